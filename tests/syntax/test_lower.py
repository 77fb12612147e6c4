"""What LibCST read and jaxlint lowered is held against what Python's own parser reads."""

from __future__ import annotations

import ast
import warnings

import pytest
from shapes import of_ast, of_ir
from sources import LINE_ENDS, NASTY, NEWER, installed, module_of, nodes

from jaxlint.syntax import ir


def _python(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


@pytest.mark.parametrize("line_end", sorted(LINE_ENDS))
def test_awkward_code_means_what_python_reads(line_end: str) -> None:
    source = NASTY.replace("\n", LINE_ENDS[line_end])

    assert of_ast(_python(source).body) == of_ir(module_of(source).body)


@pytest.mark.parametrize(
    "name", ["jax._src.ad_checkpoint", "jax._src.lax.control_flow.loops", "jax._src.nn.functions"]
)
def test_a_real_module_means_what_python_reads(name: str) -> None:
    source = installed(name)

    assert of_ast(_python(source).body) == of_ir(module_of(source).body)


@pytest.mark.parametrize(
    "source",
    [
        "f(a, *b, c, d=1, *e, **f, g=2)",
        "x[1], x[1,], x[:], x[1:2, 3], x[()], x[(1, 2)], x[a:b:c, ...]",
        "x[*a]; x[*a, b]",
        "a and b and c or (d or e) and (f and g)",
        "(a or b) or (c or (d or e))",
        "a < b < c; (a < b) < c; not a not in b",
        "-1; +1; ~1; -x ** -y; not not x",
        "a - b - c - (d - e); a ** b ** c",
        "'a' 'b' \"c\"; b'a' b'b'; '' ''",
        "f'a' 'b{' f'{{}}{x}' '}'",
        "f'{x!r}{y:>3}{z!s:{w}.{v}}{a=}{b = !s}{c=:3}'",
        "rf'\\{x}{{\\n}}' f'\\x41\\n{x}\\N{EM DASH}'",
        "'\\\n\\\\\\'\\\"\\a\\b\\f\\n\\r\\t\\v\\101\\x41\\u0041\\U00000041\\N{BULLET}\\z\\8'",
        "b'\\101\\377\\xff\\u0041\\N{BULLET}\\z'; Rb'\\x41'; U'\\x41'; r'\\''",
        "'''a\r\nb\rc''' + \"\"\"'\"\"\"; '''''' ; ''",
        "0; 00; 0x_ff; 0b1; 0o17; 1_0; 1_0.5_0e-1_0; .5; 5.; 1e400; 1_0j; 0.5J",
        "lambda: 0; lambda a, /, b=1, *c, d, e=2, **f: (yield a)",
        "[*a, b]; (*a,); {*a, b}; {**a, b: c, **d}; (); []; {}",
        "[a for b, *c in d if e if f for g in h]; (a for a in b)",
        "{a: b for a in c}; {a for a in b}",
        "del a; del a, b; del (a, b), c; del (a, b); del [a], b.c, d[0]",
        "import a; import a.b.c; import a.b as c, d; from . import a; from .a.b import c as d, e",
        "from a import *; from .. import (a, b,)",
        "x: int; x: int = 1; x.y: int = 2",
        "a = b = c, *d = e; a += 1; a //= 2; a >>= 3; a **= 4; a @= 5",
        "for a.b, c[0] in d:\n  pass\nelse:\n  e",
        "while a: break\nelse: b",
        "with a: b\nwith a as b, c as (d, e): f\nwith (a as b, c): d\nwith (a, b): c",
        "try:\n  a\nexcept:\n  b\nelse:\n  c\nfinally:\n  d",
        "try: a\nexcept* b as c: d",
        "if a: b\nelif c: d\nelif e: f\nelse: g\nif a: b\nelse:\n  if c: d",
        "@a\n@b.c(d)\nclass E(F, *g, h=i, **j):\n  'doc'\n  k = 1",
        "async def f():\n  await a\n  async for b in c: d\n  async with e as g: h",
        "async def f(): [a async for a in b]",
        "def f(a: b, *c: d, e: g = h) -> i: return",
        "assert a, b; raise a from b; raise; pass; a; return_",
        "match a, b:\n  case [1, 'x', -2, 3 + 4j, None, True, a.b, [c, *_], (d), (e,)]: f",
        "match a:\n  case {'k': x, 1: _, **r}: y\n  case {}: y\n  case C(a, b=c, d=E()): y",
        "match a:\n  case (b | c.d) as e if f: y\n  case g: y\n  case _: y\n  case *h, i: y",
        "",
        "\n\n# nothing\n",
    ],
)  # fmt: skip
def test_each_construct_means_what_python_reads(source: str) -> None:
    assert of_ast(_python(source).body) == of_ir(module_of(source).body)


def test_syntax_that_this_python_may_not_know_is_lowered() -> None:
    module = module_of(NEWER)

    kinds = [type(statement).__name__ for statement in module.body]
    assert ["FunctionDef", "ClassDef", "Try", "Assign", "Match", "While"] == kinds
    template = module.body[3]
    assert isinstance(template, ir.Assign)
    expected = ("JoinedString", ("Formatted", ("Name", "x"), None, None), ("text", " and "))
    assert expected == of_ir(template.value)[:3]


def test_the_parameters_of_a_class_or_function_are_no_part_of_its_signature() -> None:
    function = module_of(NEWER).body[0]

    assert isinstance(function, ir.FunctionDef)
    assert ["x", "y"] == [param.name for param in function.params]


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 400, "0x" + "f" * 5000])
def test_a_number_that_is_no_float_is_the_largest_integer(number: str) -> None:
    statement = module_of(f"x = {number}").body[0]

    assert isinstance(statement, ir.Assign)
    assert of_ir(statement.value) == ("Const", "int", str(1 << 1023))


def test_lazy_imports_are_imports() -> None:
    module = module_of("lazy import a.b as c\nlazy from d import e\n")

    expected = (("Import", (("a.b", "c"),)), ("ImportFrom", "d", 0, (("e", None),)))
    assert expected == of_ir(module.body)


def test_every_node_has_an_origin() -> None:
    module = module_of(NASTY)
    assert [] == [node for node in nodes(module) if not module.holds(node)]

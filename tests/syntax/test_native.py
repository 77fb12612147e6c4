"""Python's own tree and LibCST's give the same IR, with the same numbers and the same places."""

from __future__ import annotations

import ast
import os
import warnings
from pathlib import Path

import pytest
from shapes import of_ir
from sources import HERE, LINE_ENDS, NASTY, NEWER, installed, module_of, nodes

from jaxlint.base.text import SourceText
from jaxlint.syntax import ir, places
from jaxlint.syntax.places import Places, Syntax

ROOT = HERE.parent.parent
# More to compare, on demand: directories, separated as those of PATH.
MORE = [Path(one) for one in os.environ.get("JAXLINT_SOURCES", "").split(os.pathsep) if one]
OWN = sorted([*(ROOT / "jaxlint").rglob("*.py"), *(ROOT / "fixtures").rglob("*.py")])
SAMPLE = [*OWN[::12], *sorted(path for one in MORE for path in one.rglob("*.py"))]
CONSTRUCTS = [
    "f(*a, b, k=1, *c, **d, e=2)",
    "class C(a, *b, k=c, **d): pass",
    "x[a, b]; x[(a, b)]; x[a,]; x[(a,)]; x[()]; x[*a]; x[*a, b]; x[a:b, ::c]; x[a:]",
    "del a, b; del (a, b); del [a, b]; del a[0], b.c",
    "'a' 'b'; 'a' f'b'; f'a' 'b' f'{c}' 'd' f'{e}{g}' ''; b'a' b'b'; f''; '' f'{a}' ''",
    r"f'{a=}'; f'x{a = !r:>{w}}y{{z}}{b!s}{c:}'; rf'\d{a}'; f'\n{a}\n'",
    "a and b and (c and d) or e and not f; (a or b) or (c or d)",
    "a < b <= (c == d) != e in f not in g is h is not i",
    "lambda a, /, b=1, *c, d, e=2, **f: (yield a)",
    "def f(a: b = c, /, d: e = g, *h: i, j: k = l, m, **n: o) -> p: return",
    "def f(*a: *b): return",
    "async def f():\n async with a as b, c: pass\n async for d in e: await g\n else: h",
    "for *a, b in c: pass\nelse: d",
    "with (a as b, c as (d, e)): pass",
    "try: a\nexcept (b, c) as d: e\nexcept g: h\nexcept: i\nelse: j\nfinally: k",
    "try: a\nexcept* b as c: d",
    "if a: b\nelif c: d\nelse:\n if e: f\n else: g",
    "raise a from b; raise a; raise; assert a, b; assert a; pass; pass",
    "global a, b; import a.b.c, d.e as f; from ..a.b import c as d, e; from . import *",
    "a = b = c, *d = e; a += b; a: int; a.b: c = d; a @= b; a //= b; a **= b; a >>= b",
    "{a: b, **c, d: e}; {a, *b}; [a, *b]; (a, *b); (); []; {}",
    "[a for b in c if d if e for g in h]; {a: b for c in d}; {a for b in c}; (a for b in c)",
    r"x = (y := 1) + -2 ** ~3 // +4; 0x1F; 1_000; 1e3; 1j; ...; None; True; b'\x00'; '\u00e9'",
    "match a:\n case -1 | 1+2j | 'a' 'b' | None: b\n case [c, *_, (d as e)] if g: h"
    "\n case {'k': i, **j}: l\n case M(n, o=p, q=R(_)): s\n case t.u: v\n case _: w",
    "@a\n# b\n@(\n c)\ndef f(): yield from d; nonlocal_ = 1\n\n# e\nclass C: x = 1; y = 2; z\n",
    'x = 1; y = [\n 2]; z = 3; w = """\n"""; v\n\nu',
    "if a: b; c\nelse: d\nwhile e: break\nelse: continue",
]

LAID_OUT = [
    "x = (a, b); y = (a), b; z = a, (b); u = (a), (b); v = ((a), (b)); w = ((a, b),)",
    "x = (a,); y = (a), ; z = a ,; u = ( a , ); v = ((a)) , (b)\nfor (a), b in (c), (d): pass",
    "x = (  # a\n\n  # b\n  a,  # c\n  (b)  # d\n)",
    "x = (\n  a, b\n\n)\ny = (\\\n  a, b\\\n)",
    "x[a, (b)]; x[(a), (b)]; x[(a), (b),]; x[ a , b , ]; x[(a, b), ]; x[\n a,\n b\n ,\n]",
    "x[a: ]; x[ : ]; x[a : b : ]; x[: :c]; x[(a):(b)]; x[:,]; x[a:\t]",
    "f(a for a in b); f( (a) for a in (b) ); f(\n  # c\n  a\n  for a in b\n)",
    "f((a for a in b)); x = ( a for a in b  # c\n); y = (\n  a for a in '#'\n)",
    "if (a): b\nif (\n a\n ) : b\nif (a  # b\n): c\nwhile ( a ) : b\nwhile a \\\n: b",
    "for a in b, : c\nfor a in (b, c) : d\nfor a in (b),(c): d",
    "async def f():\n  async  for a in b: c\n  async  with a : b",
    "with (a): b\nwith (a, b): c\nwith (a as b, c as d,): e\nwith (\n a as b,\n): c",
    "with a as (b): c\nx[:, :\n]; x[a, : ]; x[a, : , ]",
    "try : a\nfinally : b\ntry\\\n: a\nfinally: b",
    "match (a): \n case b: c\nmatch a, : \n case b: c\nmatch (a, b) :\n case b: c",
    "def  f(a): b\ndef\\\n f(): a\nclass\tA : b\nasync  def  f(): a\n@a\n@ (b)\nclass B(c): d",
    "def f(* a, ** b): c\ndef f(a : (b) = (c), *\\\n d, **\\\n e): g\nlambda * a, b = 1: (c)",
    "\f\nx = y\nif x:\n\f  y = (a, b)\n  z = a,\f b\n",
    "é = ('é', é); ü = f(é for é in é)\nif é:\n\té.x",
    "(a).b; (a)(b); (a)[b]; (a) + (b); - (a); not (a); (a) < (b); (a) if (b) else (c); (yield)",
    "x = (y := (z)); (await_); (lambda: (a)); [(a)]; {(a): (b)}; {(a)}; *(a), = (b); del (a), (b)",
]


def _compare(source: str) -> int:
    """Compares each stretch of the file; how many there are."""
    known = Places(SourceText("file.py", source.removeprefix("\ufeff")))
    body = known.read()
    at = 0
    for stretch in known._stretches:
        theirs = known._cut(stretch).parse()
        ours = body[at : at + len(theirs)]
        at += len(theirs)
        assert of_ir(theirs) == of_ir(ours)
        numbers = [[node.origin for node in nodes(_module(one))] for one in (ours, theirs)]
        assert numbers[0] == numbers[1]
    assert len(body) == at
    return len(known._stretches)


def _module(body: tuple[ir.Stmt, ...]) -> ir.Module:
    return ir.Module(SourceText("file.py", ""), body, lambda node: pytest.fail("not located"))


@pytest.mark.parametrize("source", CONSTRUCTS)
def test_every_construct_has_the_same_nodes_with_the_same_numbers(source: str) -> None:
    assert _compare(source) >= 1


@pytest.mark.parametrize("line_end", sorted(LINE_ENDS))
def test_awkward_code_has_the_same_nodes(line_end: str) -> None:
    assert _compare(NASTY.replace("\n", LINE_ENDS[line_end])) > 10


def test_syntax_that_this_python_may_not_know_has_the_same_nodes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(NEWER)
        except SyntaxError:
            assert places.native(NEWER, "file.py") is None
            assert module_of(NEWER).body
            return
    assert _compare(NEWER) > 1


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_real_modules_have_the_same_nodes(path: Path) -> None:
    _compare(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", [NASTY, installed("jax._src.nn.functions")])
def test_places_are_those_in_the_tree_of_the_whole_file(source: str) -> None:
    ours, theirs = module_of(source), places.module(source, "file.py")
    pairs = zip(nodes(ours), nodes(theirs), strict=True)
    assert [] == [(a, b) for a, b in pairs if ours.locate(a) != theirs.locate(b)]


@pytest.mark.parametrize("source", CONSTRUCTS)
def test_every_construct_is_where_libcst_finds_it(source: str) -> None:
    _compare_places(source)


@pytest.mark.parametrize("line_end", sorted(LINE_ENDS))
def test_awkward_code_is_where_libcst_finds_it(line_end: str) -> None:
    _compare_places(NASTY.replace("\n", LINE_ENDS[line_end]))


@pytest.mark.parametrize("source", LAID_OUT)
def test_what_stands_between_parentheses_is_where_libcst_finds_it(source: str) -> None:
    _compare_places(source)


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_nearly_all_places_in_real_modules_need_no_libcst(path: Path) -> None:
    known, unsure = _compare_places(path.read_text(encoding="utf-8"))
    # A tenth of a per cent over all files; most of it are lists with a comment at their ends.
    assert unsure <= 2 + known / 20


def _compare_places(source: str) -> tuple[int, int]:
    """Compares each place that Python's own tree tells; how many it tells, and how many it does not
    though they are neither in an f-string nor in a pattern."""
    places = Places(SourceText("file.py", source.removeprefix("\ufeff")))
    places.read()
    known = unsure = 0
    for stretch in places._stretches:
        cut = places._cut(stretch)
        for node in nodes(_module(cut.parse())):
            span = cut.glance(node.origin)
            if span is not None:
                known += 1
                assert span == cut.locate(node.origin), cut._source.text
            elif cut._native is not None:
                unsure += not cut._native.is_hidden(node.origin)
    return known, unsure


def test_only_a_statement_whose_places_python_does_not_tell_becomes_a_cst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    parse = Syntax.parse

    def noted(self: Syntax) -> tuple[ir.Stmt, ...]:
        read.append(self._source.text)
        return parse(self)

    monkeypatch.setattr(Syntax, "parse", noted)
    module = module_of("a = 1\n\n# b\nb = f'{x}'; c = 3\nd = 4\n")

    assert ["b = f'{x}'", "c = 3"] == [module.text_of(one) for one in module.body[1:3]]
    assert [] == read
    names = [one for one in nodes(module) if isinstance(one, ir.Name) and one.id == "x"]
    assert ["x"] == [module.text_of(one) for one in names]
    assert ["\n# b\nb = f'{x}'; c = 3\n"] == read

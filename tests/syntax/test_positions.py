"""Places are held against LibCST's own, which cost more than parsing, and against the text."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from sources import LINE_ENDS, NASTY, NEWER, installed, module_of, nodes

from jaxlint.base.text import Span
from jaxlint.syntax import ir, places
from jaxlint.syntax.lowering.scopes import Origins
from jaxlint.syntax.places import Places
from jaxlint.syntax.positions import Positions

PYTHON_HEADERS = (
    ast.If,
    ast.While,
    ast.For,
    ast.AsyncFor,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
HEADERS = (ir.If, ir.While, ir.For, ir.With, ir.Try, ir.Match, ir.FunctionDef, ir.ClassDef)


def _whole(source: str) -> ir.Module:
    """A module that LibCST reads, as it does where `ast` does not."""
    return places.module(source.removeprefix("\ufeff"), "file.py")


def _syntax(module: ir.Module) -> tuple[Positions, Origins]:
    places = module.locate.__self__  # type: ignore[attr-defined]
    assert isinstance(places, Places)
    return places._syntax[0].tree()


def _differences(source: str, *, whole: bool = False) -> list[Any]:
    """Nodes that are not where LibCST says, less the statements that are cut to a header."""
    module = _whole(source)
    positions, origins = _syntax(module)
    if whole:
        positions._units = {}
    wrapper = MetadataWrapper(positions._tree, unsafe_skip_copy=True)
    theirs = wrapper.resolve(PositionProvider)
    found = []
    for node in nodes(module):
        origin = origins[node.origin]
        if isinstance(node, HEADERS) and not isinstance(origin, cst.Lambda):
            continue
        first, last = origin if isinstance(origin, tuple) else (origin, origin)
        start, end = theirs[first].start, theirs[last].end
        expected = Span(start.line, start.column + 1, end.line, end.column + 1)
        if expected != module.locate(node):
            found.append((type(node).__name__, expected, module.locate(node)))
    return found


@pytest.mark.parametrize("line_end", sorted(LINE_ENDS))
@pytest.mark.parametrize("whole", [False, True])
def test_awkward_code_is_located_as_libcst_does(line_end: str, whole: bool) -> None:
    source = NASTY.replace("\n", LINE_ENDS[line_end])

    assert [] == _differences(source, whole=whole)


@pytest.mark.parametrize(
    "name", ["jax._src.ad_checkpoint", "jax._src.lax.control_flow.solves", "jax._src.nn.functions"]
)
def test_a_real_module_is_located_as_libcst_does(name: str) -> None:
    assert [] == _differences(installed(name))


def test_syntax_that_this_python_may_not_know_is_located_as_libcst_does() -> None:
    assert [] == _differences(NEWER)


@pytest.mark.parametrize(
    "source",
    [
        "\ufeffx = y\n",
        "x = y",
        "\f\nif x:\n\f    y\n",
        "\\\nx = y\n",
        "x = \\\n  y; z\n",
        "class A:\n\tdef f(self):\n\t    if x:\n\t    \treturn y\n",
        "if x:\n  # a\n\n  y\n  # b\n# c\nelse:\n  z\n",
        "# a\r\nx = '''\r\n''' + y\rz\n",
        "'é' + é; '😀' + é\n",
        "x = [\n\n  # a\n  y,  # b\n\n  z]\n",
        "match x:\n  case (\n    y\n  ):\n\n    # a\n    @z\n    # b\n    @ w\n    def f(): pass\n",
    ],
)
def test_names_are_where_they_are_written(source: str) -> None:
    module = module_of(source)

    names = [node for node in nodes(module) if isinstance(node, ir.Name)]
    assert names
    assert [name.id for name in names] == [module.text_of(name) for name in names]


@pytest.mark.parametrize("line_end", sorted(LINE_ENDS))
def test_every_name_of_the_awkward_code_is_where_it_is_written(line_end: str) -> None:
    module = module_of(NASTY.replace("\n", LINE_ENDS[line_end]))

    names = [node for node in nodes(module) if isinstance(node, ir.Name)]
    assert [name.id for name in names] == [module.text_of(name) for name in names]


@pytest.mark.parametrize("whole", [False, True])
def test_compound_statements_are_located_by_their_headers(whole: bool) -> None:
    module = _whole(NASTY)
    positions, origins = _syntax(module)
    if whole:
        positions._units = {}

    words = "if|elif|while|for|async for|with|async with|try|match|def|async +def|class"
    header = re.compile(rf"({words})\b[^:]*?.*", re.DOTALL)
    texts = [
        module.text_of(node)
        for node in nodes(module)
        if isinstance(node, HEADERS) and not isinstance(origins[node.origin], cst.Lambda)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(NASTY)
    statements = [one for one in ast.walk(tree) if isinstance(one, PYTHON_HEADERS)]
    assert len(statements) == len(texts)
    assert [] == [text for text in texts if not header.fullmatch(text)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@a\nasync  def  f (x): pass", "async  def  f"),
        ("@a(1)\n# b\nclass C (D): x = 1", "class C"),
        ("if x:\n  y\nelif (z\n   ): w", "if x:"),
        ("if x: y; z", "if x:"),
        ("for x in (y,\n  z) : pass", "for x in (y,\n  z) :"),
        ("with a as b, (\n c): pass", "with a as b, (\n c):"),
        ("try: a\nfinally: b", "try:"),
        ("match x , y:\n  case z: pass", "match x , y"),
    ],
)
def test_a_statement_is_shown_as_its_header(source: str, expected: str) -> None:
    module = module_of(source)

    assert expected == module.text_of(module.body[0])


def test_an_elif_is_located_at_its_own_line() -> None:
    module = module_of("if a: b\n# c\nelif  d: e\nelse: f")

    (first,) = module.body
    assert isinstance(first, ir.If)
    assert "elif  d:" == module.text_of(first.orelse[0])


def test_a_parameter_is_its_name_with_its_stars() -> None:
    module = module_of("def f(a, b : int = 1, *c, **d): lambda e = 2: 0")

    params = [module.text_of(node) for node in nodes(module) if isinstance(node, ir.Param)]
    assert ["**d", "*c", "a", "b", "e"] == sorted(params)


def test_several_indices_are_located_from_the_first_to_the_last() -> None:
    module = _whole("x[ a , b : c ]; x[d,]; f'{g:{h} i}'")

    _, origins = _syntax(module)
    texts = [module.text_of(n) for n in nodes(module) if isinstance(origins[n.origin], tuple)]
    assert ["a , b : c", "d", "{h} i"] == sorted(texts)


def test_locating_leaves_the_recursion_limit_alone() -> None:
    limit = sys.getrecursionlimit()
    module = module_of("+".join(["a"] * 1000))

    assert Span(1, 1, 1, 2000) == module.locate(module.body[0])
    assert limit == sys.getrecursionlimit()


def test_places_are_the_same_when_a_statement_has_to_be_read_again() -> None:
    module, again = module_of(NASTY), module_of(NASTY)
    spans = [module.locate(node) for node in nodes(module)]

    for node, span in list(zip(nodes(again), spans, strict=True))[::20]:
        places.release()
        assert span == again.locate(node)


def test_few_trees_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MOST_HELD", 10)
    first, second = _whole("x = first"), _whole("y = second")

    assert [second] == [one for one in (first, second) if _is_held(one)]
    assert "x = first" == first.text_of(first.body[0])


def _is_held(module: ir.Module) -> bool:
    known = module.locate.__self__  # type: ignore[attr-defined]
    return any(one in places._held._sizes for one in known._syntax.values())


def test_a_node_is_known_by_its_own_file_only() -> None:
    first, second = module_of("x = 1"), module_of("x = 1")

    assert first.holds(first.body[0])
    assert not first.holds(second.body[0])
    assert not first.holds(ir.Name(ir.NOWHERE, "x"))

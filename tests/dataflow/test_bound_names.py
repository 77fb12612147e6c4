"""What the text of a function says of the names in it."""

from __future__ import annotations

from typing import Any

import pytest

from jaxlint.dataflow import idioms, names
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of


def function(code: str) -> ir.FunctionDef:
    return next(one for one in module_of(code, "file.py").body if isinstance(one, ir.FunctionDef))


def first(code: str) -> Any:
    return module_of(code, "file.py").body[0]


def test_nodes_are_walked_in_source_order() -> None:
    body = module_of("a = b + c(d)\ne = f", "file.py").body
    assert list("abcdef") == [one.id for one in names.walk(body) if isinstance(one, ir.Name)]


def test_nothing_is_walked_inside_nodes_of_a_closed_kind() -> None:
    body = module_of("def f(x):\n    return y\nz = 1", "file.py").body
    walked = names.walk(body, (ir.FunctionDef,))
    assert ["z"] == [one.id for one in walked if isinstance(one, ir.Name)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = b = 1", {"a", "b"}),
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("a.b = c[0] = 1", set()),
        ("a += 1", {"a"}),
        ("a: int = 1", {"a"}),
        ("for a, b in c: d = 1", {"a", "b"}),
        ("with a as b, c: pass", {"b"}),
        ("def f(x): y = 1", {"f"}),
        ("class C: y = 1", {"C"}),
        ("f(x)", set()),
    ],
)
def test_a_statement_binds_these_names_itself(code: str, expected: set[str]) -> None:
    assert expected == names.bound_names(first(code))


def test_a_loop_binds_what_blocks_in_it_bind_and_not_what_functions_do() -> None:
    loop = first(
        "for i in r:\n    if t:\n        a = 1\n    else:\n        b = 1\n"
        "    try:\n        c = 1\n    except E:\n        d = 1\n    def f():\n        g = 1\n"
    )
    assert {"a", "b", "c", "d"} == names.names_in_loop(loop.body)


def test_names_from_outside_are_read_by_nested_functions_too() -> None:
    code = "def f(x):\n    y = a\n    def g(z=b):\n        return c + y + z\n    return g(x)"
    assert {"a", "b", "c"} == names.free_names(function(code))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x - y", {"x", "y"}),
        ("return x + y", set()),
        ("return x * 2.0", {"x"}),
        ("return x < y", {"x", "y"}),
        ("return x == y", set()),
        ("return -x", {"x"}),
        ("x = f(x)\n    return -x", set()),
    ],
)
def test_these_parameters_are_used_as_numbers(body: str, expected: set[str]) -> None:
    assert expected == names.array_parameters(function(f"def f(x, y):\n    {body}"))


def test_names_with_methods_of_mappings_are_mappings() -> None:
    code = "def f(a, b, c):\n    a.items()\n    b.sum()\n    c.x.keys()"
    assert {"a"} == names.mappings(function(code))


def test_a_name_for_another_name_is_an_alias() -> None:
    assert {"b": "a"} == names.aliases(function("def f(a):\n    b = a\n    c = a + 1"))
    assert {} == names.aliases(None)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.a; self.b = 1", {"a", "b"}),
        ("self.a.c()", {"a"}),
        ("keep(self)", None),
        ("super().f()", None),
    ],
)
def test_a_method_asks_these_attributes_of_its_object(body: str, expected: set[str] | None) -> None:
    assert expected == names.asked_of_first(function(f"def f(self):\n    {body}"))


@pytest.mark.parametrize(
    ("body", "expected"), [('"""Says."""', True), ("...", True), ("pass", True), ("g()", False)]
)
def test_a_stub_only_says_what_it_is_for(body: str, expected: bool) -> None:
    assert expected is names.is_stub(function(f"def f(x):\n    {body}"))


def test_two_nodes_part_in_the_innermost_node_around_both() -> None:
    body = module_of("if t:\n    a\nelse:\n    b", "file.py").body
    found = {name: places[0] for name, places in names.names_by_text(body).items()}
    parted = names.parted(body, found["a"], found["b"])
    assert parted is not None
    assert parted[0] is body[0]
    assert names.parted(body, found["a"], body[0]) is None


def test_calls_are_known_by_their_last_names() -> None:
    body = module_of("a.b.c(d(e))", "file.py").body
    assert {"c", "d"} == names.called_names(body)


def test_what_a_finally_clause_sets_back_is_restored() -> None:
    code = "def f():\n    old = a.b\n    try:\n        a.b = 1\n    finally:\n        a.b = old"
    assert "a.b" in idioms.restored(function(code))
    assert set() == idioms.restored(function("def f():\n    a.b = 1"))

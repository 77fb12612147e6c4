"""Signatures by the rules of `inspect.signature` and of `jax.jit`."""

from __future__ import annotations

import pytest

from jaxlint.engine.inference.signatures import (
    Params,
    _partial,
    named_by,
    positional_count,
    unknown_names,
)
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of


def params(text: str) -> Params:
    (node,) = module_of(f"def f({text}): pass", "file.py").body
    assert isinstance(node, ir.FunctionDef)
    return node.params


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("a, b=1", 2), ("a, /, b", 2), ("a, *, b", 1), ("a, *b", None), ("**a", 0)],
)
def test_so_many_arguments_can_be_passed_by_position(text: str, expected: int | None) -> None:
    assert expected == positional_count(params(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b", ["c"]),
        ("a, /, b, c", ["a"]),
        ("a, b, **more", []),
        ("a, *b, **more", ["b"]),
        ("a, b, *, c", []),
    ],
)
def test_no_argument_can_be_passed_by_these_names(text: str, expected: list[str]) -> None:
    assert expected == unknown_names(params(text), ["a", "b", "c"])


def test_numbers_name_plain_parameters_alone() -> None:
    assert {"b"} == named_by(params("a, /, b, *, c"), [0, 1, 2])


@pytest.mark.parametrize(
    ("taken", "named", "expected"),
    [
        (1, [], [("b", "plain"), ("c", "keyword")]),
        (0, ["a"], [("a", "keyword"), ("b", "keyword"), ("c", "keyword")]),
        (1, ["b"], [("b", "keyword"), ("c", "keyword")]),
    ],
)
def test_a_partial_function_leaves_these(
    taken: int, named: list[str], expected: list[tuple[str, str]]
) -> None:
    left = _partial(params("a, b, *, c"), taken, named)
    assert left is not None
    assert expected == [(one.name, one.kind) for one in left]


def test_a_parameter_without_a_name_cannot_be_named() -> None:
    assert _partial(params("a, /"), 0, ["a"]) is None

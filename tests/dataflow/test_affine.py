"""Differences of integers, as polynomials of the names in them."""

from __future__ import annotations

from typing import Any

import pytest

from jaxlint.dataflow.affine import Terms, difference
from jaxlint.dataflow.loop_variance import around
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.dataflow.structure import Layout
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of


def subtracted(upper: str, lower: str, before: str = "") -> Terms | None:
    """`upper - lower` in a loop over many numbers."""
    code = f"for i in range(n):\n    {before or 'pass'}\n    mark({upper}, {lower})"
    body = module_of(code, "file.py").body
    calls = (one for one in walk(body) if isinstance(one, ir.Call))
    call = next(one for one in calls if dotted_text(one.func) == "mark")
    high, low = (argument.value for argument in call.args)
    return difference(high, low, around(Layout(body), call, dotted_text, _unknown))


def _unknown(node: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("upper", "lower", "expected"),
    [
        ("3", "1", {(): 2}),
        ("i", "i", {}),
        ("i + 4", "i", {(): 4}),
        ("i + k", "i", {("k",): 1}),
        ("2 * i", "i", {("i",): 1}),
        ("(i + 1) * k", "i * k", {("k",): 1}),
        ("(a + b) * (a - b)", "a * a", {("b", "b"): -1}),
        ("a.size", "0", {("a.size",): 1}),
    ],
)
def test_sums_and_products_are_polynomials(upper: str, lower: str, expected: Terms) -> None:
    assert expected == subtracted(upper, lower)


@pytest.mark.parametrize("other", ["i / 2", "f(i)", "1.5", "True", "-i", "'a'"])
def test_anything_else_is_none(other: str) -> None:
    assert subtracted(other, "0") is None


def test_a_name_that_a_turn_binds_once_is_what_it_is_bound_to() -> None:
    assert {("size",): 1} == subtracted("i + size", "start", "start = i")

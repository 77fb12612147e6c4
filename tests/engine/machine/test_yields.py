"""Calls are looked for among those that ran where some are found."""

from __future__ import annotations

from jaxlint.engine.machine.world import FEW_ASKED, LEAST_FOUND, SAMPLED, Yields
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of

MANY = 1200


def function() -> ir.FunctionDef:
    (node,) = module_of("def f(x):\n    return x\n", "m.py").body
    assert isinstance(node, ir.FunctionDef)
    return node


def asked(yields: Yields, node: ir.FunctionDef, calls: int, found_each: int = 0) -> int:
    """How many of so many calls are looked for, where each so many are found."""
    count = 0
    for _ in range(calls):
        if yields.is_worth(node):
            count += 1
            if found_each and count % found_each == 0:
                yields.found(node)
    return count


def test_all_are_looked_for_where_enough_are_found() -> None:
    assert MANY == asked(Yields(), function(), MANY, found_each=LEAST_FOUND - 1)


def test_a_sample_is_looked_for_where_none_are_found() -> None:
    count = asked(Yields(), function(), MANY)

    assert FEW_ASKED < count <= FEW_ASKED + MANY // SAMPLED + 1


def test_all_are_looked_for_again_once_some_are_found() -> None:
    yields, node = Yields(), function()
    asked(yields, node, MANY)
    asked(yields, node, MANY, found_each=1)

    assert 100 == asked(yields, node, 100, found_each=1)


def test_functions_are_told_apart() -> None:
    yields, one, other = Yields(), function(), function()
    asked(yields, one, MANY)

    assert FEW_ASKED == asked(yields, other, FEW_ASKED)

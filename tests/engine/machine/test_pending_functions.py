"""Functions that nothing calls run for any arguments, and so do those that they make."""

from __future__ import annotations

import pytest

from jaxlint.engine.machine import activation
from jaxlint.engine.queries.analyse import trace
from jaxlint.testing.lint import module_of

# A decorator that may be given its function later: each call makes a function that calls it.
OF_ITSELF = """
def capture(func, *kinds):
    def given_later(actual):
        return capture(actual, *kinds, func)

    return given_later
"""
# The same over two functions.
OF_EACH_OTHER = """
def first(func, *kinds):
    def then(actual):
        return second(actual, *kinds, func)

    return then


def second(func, *kinds):
    def back(actual):
        return first(actual, *kinds, func)

    return back
"""


@pytest.mark.parametrize("program", [OF_ITSELF, OF_EACH_OTHER])
def test_a_function_that_makes_another_one_of_itself_ends(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "MOST_RUNS", 1000)
    counters = trace(module_of(program, "m.py")).counters

    assert 12 >= counters.activations

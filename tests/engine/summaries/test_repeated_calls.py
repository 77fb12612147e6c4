"""Calls that stand for others run their function once."""

from __future__ import annotations

from copy import copy

import pytest

from jaxlint.engine.domain.values import Concrete, Sequence, Traced, Value
from jaxlint.engine.queries.analyse import trace
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of

HEAD = "import jax\nimport jax.numpy as jnp\n"
TWICE = """
@jax.jit
def first(x):
    return helper(x)


@jax.jit
def second(x):
    return helper(x)


first(jnp.ones(3))
second(jnp.ones(3))
"""
MAPPED = """
def helper(x):
    return jax.vmap(lambda one: one * 2)(x)
"""
RECURSIVE = """
def power(x, times):
    return x if times == 0 else x * power(x, times - 1)


def helper(x):
    return power(x, 2)
"""
COMPILED_OUTSIDE = """
@jax.jit
def double(x):
    return x * 2


def helper(x):
    return double(x)
"""


def runs(program: str) -> dict[str, int]:
    """How often each function of a program runs."""
    module = module_of(HEAD + program, "file.py")
    counted = trace(module).counters.runs
    defined = [node for node in module.body if isinstance(node, ir.FunctionDef)]
    return {node.name: counted.get(id(node), 0) for node in defined}


# Each compiled function runs for the arguments of its call, and for any.
SORTS = 2


def test_a_transform_of_its_own_belongs_to_no_trace() -> None:
    assert SORTS == runs(MAPPED + TWICE)["helper"]


def test_recursion_that_ends_inside_stands_for_other_calls() -> None:
    found = runs(RECURSIVE + TWICE)

    assert SORTS == found["helper"]
    assert 3 * SORTS == found["power"]


def test_a_call_of_a_function_that_was_transformed_outside_belongs_to_its_trace() -> None:
    assert 2 * SORTS == runs(COMPILED_OUTSIDE + TWICE)["helper"]


ENTRY = TraceEntry(ir.Name(0, "f"), Application(EntryKind.JITTED), "f")
STEP = Provenance(ir.Name(1, "x"), None, ENTRY, "x", "f", varies=ENTRY, joined=(1,), length=3)


@pytest.mark.parametrize(
    "value",
    [
        Concrete("float", 2, True),
        Traced(STEP, "ad", "int", 1, False, True),
        Sequence("list", [], 0),
    ],
)
def test_a_copy_has_all_that_the_value_has(value: Value) -> None:
    made = copy(value)
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]

    assert names and made is not value
    assert [getattr(value, name) for name in names] == [getattr(made, name) for name in names]


def test_a_copy_of_a_step_is_the_same_step() -> None:
    made = copy(STEP)

    assert made is not STEP
    assert all(getattr(made, name) is getattr(STEP, name) for name in Provenance.__slots__ if name)

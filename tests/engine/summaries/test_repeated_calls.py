"""Calls that stand for others run their function once."""

from __future__ import annotations

from collections import Counter
from copy import copy

import pytest

from jaxlint.engine.domain.values import Concrete, Sequence, Traced, Value
from jaxlint.engine.queries.analyse import trace
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.registry.registry import rules_in
from jaxlint.syntax import ir
from jaxlint.testing.lint import lint, module_of

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


LOGGED = """
seen = set()
cache = {}


def helper(x, name="rows"):
    seen.add(name + str(x.shape))
    cache[name + "!"] = 1
    return x
"""
VARIABLE = """
from flax import nnx

scale = nnx.Param(jnp.ones(3))


def helper(x):
    return x * scale.value


def around(x):
    return helper(x)


@jax.jit
def f(x):
    helper(x)
    return around(x)


f(jnp.ones(3))
"""
CALLS = "    x = helper(x)\n" * 8
MANY = f"""
@jax.jit
def f(x):
{CALLS}    cache[0] = x.shape
{CALLS}    return x


f(jnp.ones(3))
"""


def runs(program: str) -> dict[str, int]:
    """How often each function of a program runs."""
    module = module_of(HEAD + program, "file.py")
    counted = Counter(trace(module).counters.log)
    defined = [node for node in module.body if isinstance(node, ir.FunctionDef)]
    return {node.name: counted[id(node)] for node in defined}


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


def test_a_call_that_adds_nothing_new_to_a_container_stands_for_others() -> None:
    found = runs(LOGGED + MANY.replace("    cache[0] = x.shape\n", ""))["helper"]
    # At first, which elements there are is known one by one. By its shape, the helper takes an
    # array of any sort for the same.
    assert found == 3
    # A call goes by what the container holds that it adds to.
    assert found < runs(LOGGED + MANY)["helper"]


ENTRY = TraceEntry(ir.Name(0, "f"), Application(EntryKind.JITTED), "f")
NAMED = Provenance(ir.Name(1, "x"), None, ENTRY)
STEP = Provenance(ir.Name(1, "x"), None, ENTRY, "x", "f", varies=ENTRY, unlike=(NAMED,), length=3)


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


def test_a_call_that_reads_a_variable_stands_for_those_in_other_functions() -> None:
    assert SORTS == runs(VARIABLE)["helper"]


def wrapping(made: str) -> str:
    return f"""
import os
is_wide = "WIDE" in os.environ


def wrap(pair):
    return {made}


@jax.jit
def f(x, y):
    first = wrap((x, 1))
    second = wrap((y, 1))
    if second[0][0] > 0:
        return x
    return y
"""


@pytest.mark.parametrize("made", ["[pair]", "[pair] if is_wide else [pair, 1]", "{0: pair}"])
def test_a_call_gives_what_it_was_given_and_not_what_another_call_was(made: str) -> None:
    (found,) = lint(HEAD + wrapping(made), "m.py", rules_in("jaxlint.rules"))

    assert "JAX301" == found.code
    assert "`y` is a parameter of `f`" in [step.message for step in found.trail]

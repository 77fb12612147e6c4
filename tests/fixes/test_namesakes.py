"""What fixes replace functions with, asked of the NumPy and the JAX that are installed."""

from __future__ import annotations

import importlib
import inspect
import math
from typing import Any

import pytest

from jaxlint.fixes.equivalents import most_by_position, namesake
from jaxlint.knowledge import lookup
from jaxlint.knowledge.releases import TIGHTENED, UNLIKE, Supported
from jaxlint.knowledge.tables import numpy_outcomes, removals

MATHEMATICS = sorted(
    name for name in dir(math) if namesake(f"math.{name}") and lookup.math_function(f"math.{name}")
)
NUMPY = sorted(
    name for name in numpy_outcomes.TABLE if namesake(name) and not lookup.is_dtype(name)
)
# Parameters that NumPy and JAX call otherwise, in the same place.
SAME = {
    ("x1", "x"),
    ("x2", "y"),
    ("x1", "a"),
    ("x2", "b"),
    ("start_or_stop", "start"),
    ("a", "arr"),
    ("a_min", "min"),
    ("a_max", "max"),
    ("A", "M"),
    ("value", "x"),
    ("rcond", "rtol"),
    ("x", "p"),
    ("x1", "p"),
    ("type1", "a"),
    ("type2", "b"),
}
# Positional arguments of the functions that take whole numbers.
WHOLE = {"gcd": (12, 18), "lcm": (4, 6)}


def _found(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        return getattr(_found(module), name)


@pytest.mark.jax
@pytest.mark.parametrize("name", MATHEMATICS)
def test_a_namesake_computes_what_the_function_of_math_does(name: str) -> None:
    function, other = getattr(math, name), _found(namesake(f"math.{name}"))
    spec = lookup.function(lookup.canonical(namesake(f"math.{name}")))
    assert spec is not None
    arguments = WHOLE.get(name, (1.3 if name == "acosh" else 0.7, 0.4))[: spec.positional]

    assert math.isclose(float(function(*arguments)), float(other(*arguments)), rel_tol=1e-5)


@pytest.mark.jax
def test_arguments_by_position_mean_the_same() -> None:
    assert {} == {name: wrong for name in NUMPY if (wrong := _misplaced(name))}


def _misplaced(dotted: str) -> list[tuple[str, str]]:
    """The parameters that JAX has another one in the place of."""
    try:
        parameters = inspect.signature(_found(dotted)).parameters.values()
    except ValueError:
        return []
    theirs = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    spec = lookup.function(lookup.canonical(namesake(dotted)))
    most = most_by_position(namesake(dotted))
    ours = spec.params[:most] if spec is not None and most >= 0 else ()
    pairs = zip(theirs, ours, strict=False)
    return [(one, other) for one, other in pairs if one != other and (one, other) not in SAME]


@pytest.mark.jax
def test_new_names_are_there_and_take_what_they_should() -> None:
    import jax

    installed = Supported(jax.__version__)
    for old, (*_, instead) in removals.TABLE.items():
        is_offered = old not in UNLIKE and lookup.removal(instead) is None
        if instead and is_offered and installed.has(instead):
            assert _found(instead) is not None, old
    for dotted, (order, others) in TIGHTENED.items():
        names = inspect.signature(_found(dotted)).parameters
        assert {others.get(name, name) for name in order[1:]} <= set(names)


@pytest.mark.parametrize(
    ("newest", "dotted", "expected"),
    [
        (Supported("0.4.20"), "jax.tree.map", False),
        (Supported("0.4.30"), "jax.tree.map", True),
        (Supported("0.6.1"), "jax.shard_map", True),
        (Supported("0.6.1", excluded=True), "jax.shard_map", False),
        (Supported("0.7"), "jax.sharding.AxisTypes", False),
        (Supported(), "jax.tree.map", True),
    ],
)
def test_a_name_is_known_of_the_newest_release(
    newest: Supported, dotted: str, expected: bool
) -> None:
    assert expected == newest.has(dotted)

"""What jaxlint knows of optax is what the installed optax does."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.knowledge.ecosystems.optax import (
    IDLE_WITHOUT,
    NEEDS_PARAMETERS,
    SCHEDULES,
    STATEFUL,
    TRANSFORMATIONS,
    TREES,
    model,
)

optax = pytest.importorskip("optax")
jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

# Arguments with which each transformation can be made: the first that work are taken.
GIVEN: tuple[tuple[Any, ...], ...] = (
    (),
    (0.1,),
    (lambda step: 0.1,),
    (0.1, 0.1),
    (1.0, 2),
    ({}, {}),
)
WRAPPED = {"apply_if_finite": (2,), "masked": (True,), "lookahead": (2, 0.5), "flatten": ()}
SCHEDULED: dict[str, tuple[Any, ...]] = {
    "cosine_onecycle_schedule": (10, 1.0),
    "cosine_decay_schedule": (1.0, 10),
    "exponential_decay": (1.0, 10, 0.9),
    "linear_onecycle_schedule": (10, 1.0),
    "linear_schedule": (0.0, 1.0, 10),
    "piecewise_constant_schedule": (1.0, {5: 0.1}),
    "piecewise_interpolate_schedule": ("linear", 1.0, {5: 0.1}),
    "polynomial_schedule": (1.0, 0.0, 2, 10),
    "warmup_constant_schedule": (0.0, 1.0, 10),
    "warmup_cosine_decay_schedule": (0.0, 1.0, 10, 20),
    "warmup_exponential_decay_schedule": (0.0, 1.0, 10, 20, 0.9),
}
IDLE: dict[str, tuple[Any, ...]] = {
    "optax.exponential_decay": (1.0, 0, 0.9),
    "optax.linear_schedule": (1.0, 0.0, 0),
    "optax.piecewise_constant_schedule": (1.0,),
    "optax.polynomial_schedule": (1.0, 0.0, 2, 0),
    "optax.warmup_constant_schedule": (1.0, 2.0, 0),
}


def found(dotted: str) -> Any:
    home, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(home), name)


def kinds(function: Callable[..., Any], *args: Any) -> list[bool]:
    """Which leaves of the result are tracers in jitted code."""
    seen: list[bool] = []

    def run(*inside: Any) -> int:
        leaves = jax.tree.leaves(function(*inside))
        seen.extend(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        return 0

    jax.jit(run)(*args)
    return seen


def params() -> dict[str, Any]:
    return {"w": jnp.ones(2), "b": jnp.ones(())}


def made(dotted: str) -> Any:
    """A transformation, or None for one that is made of others in a way of its own."""
    name = dotted.rpartition(".")[2]
    factory = found(dotted)
    inner = optax.sgd(0.1)
    given = [(inner, *WRAPPED[name])] if name in WRAPPED else GIVEN
    for args in given:
        try:
            transformation = factory(*args)
            transformation.init(params())
        except Exception:
            continue
        return transformation
    return None


@pytest.mark.parametrize(
    "dotted",
    sorted({*model.aliases, *model.aliases.values(), *model.functions, *TREES, *IDLE_WITHOUT}),
)
def test_every_name_is_there(dotted: str) -> None:
    if dotted in model.aliases and not hasattr(optax, dotted.split(".")[1]):
        pytest.skip("this version has no such module")
    home, _, name = dotted.rpartition(".")
    if dotted in model.aliases and not hasattr(importlib.import_module(home), name):
        return  # An alias may name what only other versions have.
    assert callable(found(dotted))


@pytest.mark.parametrize("spelling", sorted(model.aliases))
def test_an_alias_is_the_same_function(spelling: str) -> None:
    home, _, name = spelling.rpartition(".")
    one = getattr(importlib.import_module(home), name, None)
    if one is None or name in ("tree_l2_norm", "tree_scalar_mul"):
        return
    assert getattr(one, "__qualname__", one) == getattr(
        found(model.aliases[spelling]), "__qualname__", None
    )


@pytest.mark.parametrize("dotted", sorted(TRANSFORMATIONS))
def test_a_transformation_is_a_pair_of_functions(dotted: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformation = made(dotted)
    if transformation is None:
        return
    assert callable(transformation.init)
    assert callable(transformation.update)
    with pytest.raises(TypeError):
        jax.jit(lambda tx: 0)(transformation)
    state = kinds(transformation.init, params())
    assert not (dotted in STATEFUL and not any(state))


@pytest.mark.parametrize("dotted", sorted(NEEDS_PARAMETERS))
def test_these_need_the_parameters(dotted: str) -> None:
    transformation = made(dotted)
    state = transformation.init(params())
    with pytest.raises((TypeError, ValueError)):
        transformation.update(params(), state)
    chained = optax.chain(transformation, optax.scale(0.1))
    with pytest.raises((TypeError, ValueError)):
        chained.update(params(), chained.init(params()))


@pytest.mark.parametrize("name", ["adam", "sgd", "rmsprop", "adagrad", "clip", "scale"])
def test_these_do_not(name: str) -> None:
    transformation = made(f"optax.{name}")
    transformation.update(params(), transformation.init(params()))


@pytest.mark.parametrize("name", sorted(SCHEDULED))
def test_a_schedule_gives_an_array(name: str) -> None:
    schedule = getattr(optax, name)(*SCHEDULED[name])
    assert f"optax.{name}" in SCHEDULES
    assert [True] == kinds(schedule, 3)
    assert [True] == kinds(lambda: schedule(3))


@pytest.mark.parametrize("dotted", sorted(IDLE_WITHOUT))
def test_some_schedules_may_be_constant(dotted: str) -> None:
    made_idle = found(dotted)(*IDLE[dotted])
    assert dotted == "optax.warmup_constant_schedule" or [False] == kinds(made_idle, 3)


def test_a_constant_schedule_gives_its_number() -> None:
    assert [False] == kinds(optax.constant_schedule(0.1), 3)


@pytest.mark.parametrize("dotted", sorted(model.functions))
def test_a_function_gives_arrays(dotted: str) -> None:
    function = found(dotted)
    for args in (
        (jnp.ones((2, 3)),),
        (jnp.ones((2, 3)),) * 2,
        (jnp.ones(3), 1.0),
        (jnp.ones(3),) * 3,
    ):
        try:
            seen = kinds(function, *args)
        except Exception:
            continue
        assert all(seen)
        return


def test_updates_are_like_the_gradients() -> None:
    tx = optax.adam(0.1)
    assert [True, True] == kinds(lambda p: tx.update(p, tx.init(p), p)[0], params())
    assert [True, True] == kinds(
        lambda: optax.apply_updates({"a": 1.0, "b": 2.0}, {"a": 1, "b": 1})
    )

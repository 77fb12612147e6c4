"""What jaxlint knows of Haiku is what the installed Haiku does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jaxlint.engine.frameworks.haiku import transform as frameworks
from jaxlint.knowledge.ecosystems.haiku import (
    CORES,
    LIFTED,
    MAKING,
    MODULES,
    SCALED,
    SHAPING,
    model,
)

hk = pytest.importorskip("haiku")
jax = pytest.importorskip("jax")
jnp = jax.numpy
lax = jax.lax
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "BatchNorm": (True, True, 0.9),
    "Bias": (),
    "DepthwiseConv1D": (1, 1),
    "DepthwiseConv2D": (1, 1),
    "DepthwiseConv3D": (1, 1),
    "Embed": (3, 2),
    "ExponentialMovingAverage": (0.9,),
    "Flatten": (),
    "GroupNorm": (1,),
    "InstanceNorm": (True, True),
    "LayerNorm": (-1, True, True),
    "MultiHeadAttention": (1, 2, 1.0),
    "RMSNorm": (-1,),
    "Reshape": ((-1,),),
    "SeparableDepthwiseConv2D": (1, 1),
    "nets.MLP": ([2],),
}


def found(dotted: str) -> Any:
    names = dotted.split(".")
    value: Any = importlib.import_module(names[0])
    for name in names[1:]:
        value = getattr(value, name)
    return value


def dotted_names() -> Iterator[str]:
    yield from model.wrappers
    yield from model.functions
    yield from model.plain_bases | model.transparent
    yield from LIFTED
    yield from (f"haiku.{name}" for name in MODULES | SHAPING | CORES)
    yield from (name for name in frameworks._TABLE if not name.endswith("(...)"))


@pytest.mark.parametrize("dotted", sorted(set(dotted_names())))
def test_the_library_has_what_the_tables_name(dotted: str) -> None:
    assert found(dotted) is not None


# -- init and apply --------------------------------------------------------------------------------


def test_transforms_give_init_and_apply() -> None:
    assert hk.transform(lambda x: x)._fields == ("init", "apply")
    assert hk.multi_transform(lambda: (lambda x: x, (lambda x: x,)))._fields == ("init", "apply")


@pytest.mark.parametrize(
    ("transform", "arguments"),
    [
        (hk.transform, ({}, None)),
        (lambda f: hk.without_apply_rng(hk.transform(f)), ({},)),
        (hk.transform_with_state, ({}, {}, None)),
        (lambda f: hk.without_apply_rng(hk.transform_with_state(f)), ({}, {})),
        (lambda f: hk.with_empty_state(hk.transform(f)), ({}, {}, None)),
        (lambda f: hk.without_state(hk.transform_with_state(f)), ({}, None)),
    ],
)
def test_apply_takes_parameters_state_and_key_first(
    transform: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    seen: list[Any] = []
    transform(seen.append).apply(*arguments, "x")
    assert seen == ["x"]


def test_apply_runs_the_function_as_it_is_called() -> None:
    seen: list[bool] = []

    def network(x: Any, n: Any) -> Any:
        seen.extend(isinstance(v, jax.core.Tracer) for v in (x, n, hk.get_parameter("w", ())))
        return x

    model = hk.without_apply_rng(hk.transform(network))
    params = {"~": {"w": jnp.ones(())}}
    model.apply(params, 1.0, 2)
    jax.jit(model.apply, static_argnums=2)(params, 1.0, 2)
    jax.grad(lambda p: model.apply(p, 1.0, 2) + p["~"]["w"])(params)
    assert seen == [False, False, False, True, False, True, False, False, True]


def test_running_init_tells_init_from_apply() -> None:
    seen: list[bool] = []
    transformed = hk.transform(lambda: seen.append(hk.running_init()))
    transformed.init(None)
    transformed.apply({}, None)
    assert seen == [True, False]


# -- modules ---------------------------------------------------------------------------------------


def made(name: str) -> Any:
    arguments = ARGUMENTS.get(name)
    if arguments is None:
        arguments = (1, 1) if name.endswith("Pool") else (2, 1) if "Conv" in name else (2,)
    if name.endswith("Pool"):
        arguments = (1, 1, "SAME")
    return found(f"haiku.{name}")(*arguments)


def given(name: str) -> tuple[Any, ...]:
    if name == "Embed":
        return (jnp.array([1, 2]),)
    rank = next((int(digit) for digit in name if digit.isdigit()), 0)
    x = jnp.ones((1, *[2] * rank, 2))
    if name == "MultiHeadAttention":
        return (x, x, x)
    return (x, True) if name in ("BatchNorm",) else (x,)


def _scanned(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: lax.scan(lambda carry, _: (carry, function(*args)), 0, None, 2)


@pytest.mark.parametrize("name", sorted(MAKING | SCALED.keys()))
@pytest.mark.parametrize("transform", [jax.jit, jax.checkpoint, _scanned])
def test_parameters_made_in_a_transform_of_jax_leak(name: str, transform: Any) -> None:
    args = given(name)

    def network(*args: Any) -> Any:
        inside, rest = args[:1], args[1:]
        return transform(lambda *xs: made(name)(*xs, *rest))(*inside)

    kept = hk.transform_with_state(network).init(jax.random.key(0), *args)
    assert any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(kept))


@pytest.mark.parametrize("name", sorted(SHAPING))
def test_some_modules_have_no_parameters(name: str) -> None:
    transformed = hk.transform(lambda *args: made(name)(*args))
    assert transformed.init(None, *given(name)) == {}


@pytest.mark.parametrize("transform", [jax.vmap, lambda f: jax.grad(lambda x: f(x).sum())])
def test_what_is_not_staged_leaks_nothing(transform: Any) -> None:
    transformed = hk.transform(lambda x: transform(lambda y: hk.Linear(2)(y))(x))
    params = transformed.init(jax.random.key(0), jnp.ones((1, 2)))
    assert not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(params))


@pytest.mark.parametrize("name", sorted(name for name in CORES if "Conv" not in name))
def test_a_core_gives_an_output_and_a_state(name: str) -> None:
    def network(x: Any) -> Any:
        core = made(name)
        return core(x, core.initial_state(1))

    transformed = hk.transform(network)
    params = transformed.init(jax.random.key(0), jnp.ones((1, 2)))
    assert len(transformed.apply(params, None, jnp.ones((1, 2)))) == 2


def test_a_key_drawn_in_a_transform_of_jax_spoils_the_next() -> None:
    def once(x: Any) -> Any:
        return jax.jit(lambda y: y + jax.random.normal(hk.next_rng_key()))(x)

    hk.transform(once).apply({}, jax.random.key(0), 1.0)
    spoiled = hk.transform(lambda x: (once(x), hk.next_rng_key()))
    with pytest.raises(jax.errors.UnexpectedTracerError):
        spoiled.apply({}, jax.random.key(0), 1.0)

"""What the tables say of zeros, bounds and infinite derivatives is what JAX does."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from jaxlint.knowledge.arrays import numerics

jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = pytest.mark.jax

# A function with an infinite derivative at the bounds of each domain.
SINGULAR = {
    "positive": "sqrt",
    "nonzero": "reciprocal",
    "below 1": "arccos",
    "above 1": "arccosh",
    "above -1": "log1p",
}
METHODS = frozenset({"astype"})


def clamped(name: str, at: int, bound: float, x: Any) -> Any:
    """`name` applied to `x` with a bound as its argument at a position, and None for the others."""
    given = [x, *[None] * (at - 1), bound]
    return getattr(jnp, name)(*given)


@pytest.mark.parametrize("name", sorted(numerics.KEEPS_ZERO - METHODS))
def test_a_function_keeps_zeros(name: str) -> None:
    others = {"multiply": (3.0,), "divide": (3.0,), "true_divide": (3.0,)}.get(name, ())
    assert not jnp.any(getattr(jnp, name)(jnp.zeros(3), *others))


@pytest.mark.parametrize("name", sorted(numerics.MOVES_ZERO - {"flatten"}))
def test_a_function_gives_zeros_for_zeros_alone(name: str) -> None:
    ones = jnp.ones((3, 3))
    others: dict[str, tuple[Any, ...]] = {
        **dict.fromkeys(("dot", "matmul"), (ones,)),
        **dict.fromkeys(("repeat", "roll", "tile"), (2,)),
        **dict.fromkeys(("moveaxis", "swapaxes"), (0, 1)),
        "broadcast_to": ((2, 3, 3),),
        "expand_dims": (0,),
        "reshape": ((9,),),
    }
    assert not jnp.any(getattr(jnp, name)(jnp.zeros((3, 3)), *others.get(name, ())))


@pytest.mark.parametrize("name, at", sorted(numerics.ZERO_SUMS.items()))
def test_a_reduction_of_zeros_along_an_axis_is_zero(name: str, at: int) -> None:
    function = jnp.linalg.norm if name == "norm" else getattr(jnp, name)
    given = [jnp.zeros((2, 3)), *[None] * (at - 1), 1]
    result = function(*given)
    assert result.shape == (2,)
    assert not jnp.any(result)


@pytest.mark.parametrize("domain", SINGULAR)
@pytest.mark.parametrize("name", numerics.CLAMPS)
def test_the_gradient_is_nan_behind_a_clamp_to_the_bound(domain: str, name: str) -> None:
    function = getattr(jnp, SINGULAR[domain])
    sides = zip(numerics.CLAMPS[name], numerics.BOUNDARY[domain], (-1.0, 1.0), strict=True)
    for arguments, bounds, outside in sides:
        for at in (one for one in arguments if isinstance(one, int)):
            for bound in bounds:

                def run(x: Any, at: int = at, bound: float = bound) -> Any:
                    return function(clamped(name, at, bound, x))

                assert jnp.isnan(jax.grad(run)(bound + outside)), (at, bound)


@pytest.mark.parametrize("name", numerics.LATE_CLAMPS)
@pytest.mark.parametrize("root", ["sqrt", "log"])
def test_the_gradient_is_nan_before_a_clamp_that_comes_late(name: str, root: str) -> None:
    home = jax.lax if name.startswith("jax.lax.") else jnp
    last = name.rpartition(".")[2]
    bound = numerics.SMALL_BOUND if root == "sqrt" else numerics.LOW_BOUND
    given: dict[str, Any] = {
        "clamp": lambda x: home.clamp(bound, x, 1.0),
        "nan_to_num": jnp.nan_to_num,
    }
    late = given.get(last, lambda x: getattr(home, last)(x, bound))
    if (last, root) != ("nan_to_num", "sqrt"):  # The root of zero is a number.
        slope = jax.grad(lambda x: late(getattr(jnp, root)(x)))
        assert jnp.isnan(slope(0.0))
        assert jnp.isfinite(slope(1.0))


def test_every_domain_has_its_bounds() -> None:
    domains = {*numerics.PARTIAL.values(), "not negative"}  # That of powers above one.
    assert domains == numerics.BOUNDARY.keys() == numerics.POINTS.keys()


def test_the_bounds_of_clip_go_by_name() -> None:
    lower, upper = numerics.CLAMPS["clip"]
    _, first, second, *_ = inspect.signature(jnp.clip).parameters
    assert first in lower
    assert second in upper


@pytest.mark.parametrize("name, bound", [("fmax", 0.0), ("fmin", 0.0)])
def test_functions_made_of_where_have_a_finite_gradient(name: str, bound: float) -> None:
    outside = -1.0 if name == "fmax" else 1.0
    slope = jax.grad(lambda x: jnp.sqrt(getattr(jnp, name)(x, bound)))(outside)
    assert jnp.isfinite(slope)
    assert name not in numerics.CLAMPS


@pytest.mark.parametrize("name", sorted(numerics.OVERFLOWS))
def test_what_overflows_has_no_derivative_far_out(name: str) -> None:
    slope = jax.grad(lambda x: jnp.where(x < 50.0, getattr(jnp, name)(x), 0.0))
    assert not jnp.isfinite(slope(200.0))


@pytest.mark.parametrize("name", sorted(numerics.ROOTS))
def test_roots_have_a_value_at_zero_and_no_derivative(name: str) -> None:
    def root(x: jax.Array) -> jax.Array:
        return jnp.linalg.norm(x) if name == "norm" else jnp.sum(getattr(jnp, name)(x))

    assert root(jnp.zeros(2)) == 0.0
    assert not jnp.any(jnp.isfinite(jax.grad(root)(jnp.zeros(2))))


@pytest.mark.parametrize("order", [*sorted(numerics.FINITE_NORMS, key=str), jnp.inf, -jnp.inf])
def test_orders_of_norms_with_a_derivative_at_zero(order: Any) -> None:
    zeros = jnp.zeros((2, 2) if order == "nuc" else 2)
    slope = jax.grad(lambda x: jnp.linalg.norm(x, order))(zeros)
    assert jnp.all(jnp.isfinite(slope))


@pytest.mark.parametrize("order", [None, 2, 3])
def test_orders_of_norms_without(order: Any) -> None:
    assert not jnp.any(jnp.isfinite(jax.grad(lambda x: jnp.linalg.norm(x, order))(jnp.zeros(2))))


def test_zeros_are_zero() -> None:
    for name in numerics.ZEROS:
        assert not jnp.any(getattr(jnp, name)(jnp.ones(2) if name.endswith("like") else 2))


VANISH = {
    "segment_sum": lambda: jax.ops.segment_sum(jnp.ones(1), jnp.array([1]), 2),
    "bincount": lambda: jnp.bincount(jnp.array([1])),
    "histogram": lambda: jnp.histogram(jnp.array([1.0, 2.0]))[0],
    "einsum": lambda: jnp.einsum("i,i", *PAIR)[None],
    "tensordot": lambda: jnp.tensordot(*PAIR, 1)[None],
    "convolve": lambda: jnp.convolve(*PAIR),
    "diff": lambda: jnp.diff(jnp.ones(2)),
}
PAIR = jnp.array([1.0, -1.0]), jnp.array([1.0, 1.0])


@pytest.mark.parametrize("name", sorted(numerics.MAY_VANISH))
def test_what_is_given_no_zero_may_give_one(name: str) -> None:
    same = name in ("subtract", "mod", "remainder")
    given = (PAIR[1], PAIR[1]) if same else PAIR
    made = VANISH[name]() if name in VANISH else jnp.atleast_1d(getattr(jnp, name)(*given))
    assert jnp.any(made == 0)

"""How many dimensions results have is what the installed JAX makes of them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.engine.domain.ranks import made_rank
from jaxlint.engine.domain.values import Concrete, Sequence, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.ranks import (
    ALONG_AN_AXIS,
    AXES,
    BROADCAST,
    CHANGED,
    CUMULATIVE,
    DRAWN,
    ELEMENTWISE,
    FLAT,
    JOINED,
    LIKE,
    RANKS,
    REDUCTIONS,
    SHAPED,
    TAKE_AXES,
)
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

HOMES = (
    "jax.numpy",
    "jax.numpy.linalg",
    "jax.numpy.fft",
    "jax.lax",
    "jax.nn",
    "jax.random",
    "jax.scipy.linalg",
    "jax.scipy.special",
)
ARRAYS = {rank: jnp.ones((2,) * rank) for rank in range(3)}
PLACE: Any = ir.Const
NAMES = (
    ELEMENTWISE | BROADCAST | REDUCTIONS | FLAT | ALONG_AN_AXIS | CUMULATIVE
    | CHANGED.keys() | LIKE.keys() | RANKS.keys()
)  # fmt: skip
# Calls for which the arguments above are no use.
CALLS = [
    "jnp.array([s, s])",
    "jnp.array([[1.0, s]])",
    "jnp.asarray(v)",
    "jnp.atleast_1d(s)",
    "jnp.atleast_1d(x)",
    "jnp.atleast_2d(v)",
    "jnp.atleast_3d(v)",
    "jnp.broadcast_to(v, (3, 2))",
    "jnp.concatenate([v, v])",
    "jnp.concatenate([x, x], axis=None)",
    "jnp.cumsum(x)",
    "jnp.cumsum(x, axis=0)",
    "jnp.diag(v)",
    "jnp.diag(x)",
    'jnp.einsum("ij,j->", x, v)',
    'jnp.einsum("ij, jk -> ik", x, x)',
    'jnp.einsum("...i->...", x)',
    "jnp.expand_dims(v, 0)",
    "jnp.expand_dims(v, (0, 1))",
    "jnp.hstack([s, s])",
    "jnp.hstack([x, x])",
    "jnp.dstack([v, v])",
    "jnp.linalg.norm(x, axis=-1)",
    "jnp.linalg.norm(x, axis=(0, 1))",
    "jnp.linalg.solve(x, v)",
    "jnp.linalg.solve(x, x)",
    "jnp.matmul(x, v)",
    "jnp.matmul(v, v)",
    "jnp.max(x, axis=(0,))",
    "jnp.repeat(x, 2)",
    "jnp.repeat(x, 2, axis=0)",
    "jnp.repeat(s, 2)",
    "jnp.repeat(s, 2, axis=0)",
    "jnp.repeat(s, 2, axis=-1)",
    "jnp.reshape(x, -1)",
    "jnp.reshape(x, (4, 1, 1))",
    "jnp.sort(x, axis=None)",
    "jnp.squeeze(x[:1], axis=0)",
    "jnp.stack([v, v])",
    "jnp.stack([s, s], axis=0)",
    "jnp.sum(x, axis=0, keepdims=True)",
    "jnp.sum(x, axis=(0, 1))",
    "jnp.take(x, i)",
    "jnp.take(x, i, axis=0)",
    "jnp.take(x, 0, axis=0)",
    "jnp.take_along_axis(x, x.astype(int), axis=0)",
    "jnp.vstack([v, v])",
    "jnp.zeros_like(x, shape=(2,))",
    "lax.cumsum(x)",
    "lax.dynamic_index_in_dim(x, 0)",
    "lax.dynamic_index_in_dim(x, 0, keepdims=False)",
    "lax.dynamic_slice(x, (0, 0), (1, 1))",
    "lax.select(x > 0, x, x)",
    "jax.nn.one_hot(i, 3)",
    "jax.random.bernoulli(key)",
    "jax.random.bernoulli(key, v)",
    "jax.random.bernoulli(key, 0.5, (2, 2))",
    "jax.random.beta(key, 1.0, 1.0)",
    "jax.random.beta(key, v, 1.0)",
    "jax.random.categorical(key, x)",
    "jax.random.categorical(key, v, shape=(3,))",
    "jax.random.choice(key, 3)",
    "jax.random.choice(key, v, (2,))",
    "jax.random.choice(key, x)",
    "jax.random.gamma(key, v)",
    "jax.random.normal(key)",
    "jax.random.permutation(key, 3)",
    "jax.random.permutation(key, x)",
    "jax.random.truncated_normal(key, -1.0, 1.0)",
    "jax.random.truncated_normal(key, -1.0, v)",
]
GIVEN: dict[str, Any] = {
    "i": jnp.array([0, 1]),
    "key": jax.random.key(0),
    "s": jnp.ones(()),
    "v": jnp.ones(2),
    "x": jnp.ones((2, 2)) + jnp.eye(2),
}


def as_value(given: Any) -> Value:
    if isinstance(given, jax.Array):
        return Concrete("float", given.ndim)
    if isinstance(given, (list, tuple)):
        return Sequence("list", [as_value(one) for one in given], None)
    return Static(given)


def promised_rank(home: str, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
    """What is promised of a call, which goes by the names of the parameters."""
    spec = lookup.function(f"{home}.{name}")
    assert spec is not None
    names = [*spec.params[: spec.positional if spec.positional >= 0 else None]]
    if spec.rest:
        names[names.index(spec.rest) :] = [f"{spec.rest}*{at}" for at in range(len(positional))]
    given = {**dict(zip(names, positional, strict=False)), **named}
    return made_rank(name, spec, {key: (as_value(one), PLACE) for key, one in given.items()})


def arguments(spec: FunctionSpec, most: int) -> Iterator[dict[str, Any]]:
    """Arguments by parameter that the function may be called with, in its order."""
    required = spec.params[: max(spec.positional, 0)]
    for count in range(1, most + 1):
        for ranks in product(ARRAYS, repeat=min(count, 2)):
            given = [ARRAYS[rank] for rank in (*ranks, ranks[0])[:count]]
            yield dict(zip(required, given, strict=False))
    for rank, axis in ((1, 0), (2, 1), (2, -1)):
        if spec.params[1:2] == ("axis",):
            yield {required[0]: ARRAYS[rank], "axis": axis}


def abstract(function: Any, given: dict[str, Any]) -> Any:
    """What a call gives, with the shapes and dtypes alone."""
    return jax.eval_shape(lambda: function(*given.values()))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_results_have_the_rank_that_is_promised(name: str) -> None:
    for home in HOMES:
        function = getattr(import_module(home), name, None)
        spec = lookup.function(f"{home}.{name}")
        if function is None or spec is None or spec.result not in ("array", "same"):
            continue
        for given in arguments(spec, 3 if name in ("clip", "where", "clamp") else 2):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = abstract(function, given)
            except Exception:
                continue
            if not isinstance(result, jax.ShapeDtypeStruct):
                continue
            bound = {key: (as_value(one), PLACE) for key, one in given.items()}
            assert made_rank(name, spec, bound) in (None, result.ndim), (home, given)


@pytest.mark.parametrize("text", CALLS)
def test_calls_give_the_rank_that_is_promised(text: str) -> None:
    scope = {"jax": jax, "jnp": jnp, "lax": jax.lax, **GIVEN}
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    home, _, name = ast.unparse(call.func).rpartition(".")
    home = {"jnp": "jax.numpy", "lax": "jax.lax"}.get(home, home.replace("jnp.", "jax.numpy."))
    positional = [eval(ast.unparse(one), scope) for one in call.args]
    named = {str(one.arg): eval(ast.unparse(one.value), scope) for one in call.keywords}
    promised = promised_rank(home, name, positional, named)
    assert promised == (
        None if "..." in text or "choice(key, x)" in text else eval(text, scope).ndim
    )


@pytest.mark.parametrize("name", sorted(SHAPED - {"broadcast_to", "reshape"}))
def test_arrays_have_the_shape_that_is_asked_for(name: str) -> None:
    for home in ("jax.numpy", "jax.random"):
        function = getattr(import_module(home), name, None)
        if function is None:
            continue
        more = {"full": (1.0,), "randint": (0, 5)}.get(name, ())
        first = (jax.random.key(0),) if home == "jax.random" else ()
        assert function(*first, (2, 3), *more).ndim == 2


def test_every_name_is_one_of_a_function() -> None:
    known = {name for home in HOMES for name in dir(import_module(home))}
    assert NAMES | SHAPED | DRAWN | JOINED.keys() <= known | {"astype", "copy", "flatten"}


@pytest.mark.parametrize("name", sorted(AXES))
def test_some_results_have_an_axis_whatever_is_given(name: str) -> None:
    function = jnp.linalg if name.startswith("linalg.") else jnp
    function = getattr(function, name.rpartition(".")[2])
    operands = [*ARRAYS.values(), 0, 1, 2]
    forms = [*product(operands), *product(operands, operands)]
    forms += [([one, one],) for one in ARRAYS.values()]
    found = [_made(function, form) for form in forms]
    ranks = {one.ndim for one in found if isinstance(one, jax.Array)}
    assert ranks and 0 not in ranks


@pytest.mark.parametrize("name", sorted(TAKE_AXES))
def test_some_operands_need_an_axis(name: str) -> None:
    function = getattr(jnp, name.rpartition(".")[2])
    plain, number = ARRAYS[1], ARRAYS[0]
    taken = [_made(function, form) for form in ((plain,), (plain, plain), ([plain, plain],))]
    assert any(isinstance(one, jax.Array) for one in taken)
    refused = [(number,), (number, plain), ([number, number],)]
    assert not any(isinstance(_made(function, form), jax.Array) for form in refused)


def _made(function: Any, form: tuple[Any, ...]) -> Any:
    try:
        return function(*form)
    except Exception:
        return None

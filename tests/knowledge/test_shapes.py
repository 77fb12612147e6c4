"""How long the axes of results are is what the installed JAX makes of them."""

from __future__ import annotations

import ast
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxlint.engine.domain.shapes import (
    broadcast,
    dims_of,
    indexed_dims,
    made_dims,
    multiplied,
    with_dims,
)
from jaxlint.engine.domain.values import NONE, Concrete, Sequence, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.shapes import JOINING, KEPT, MADE, WITH_AXES
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

pytestmark = pytest.mark.jax
PLACE: Any = ir.Const
HOMES = ("jax.numpy", "jax.nn", "jax.lax", "jax.random", "jax.scipy.special")
GIVEN: dict[str, Any] = {
    "c": jnp.ones((3, 1)),
    "key": jax.random.key(0),
    "s": jnp.ones(()),
    "v": jnp.ones(3),
    "w": jnp.ones(5),
    "x": jnp.ones((2, 3)),
    "y": jnp.ones((4, 2, 3)),
}
CALLS = [
    "jnp.append(v, w)",
    "jnp.append(v, 1.0)",
    "jnp.append(x, x, axis=1)",
    "jnp.arange(5)",
    "jnp.arange(2, 9, 2)",
    "jnp.arange(5.0)",
    "jnp.arange(5.5)",
    "jnp.array([[1.0, s], [s, s]])",
    "jnp.array([v, v])",
    "jnp.asarray(x)",
    "jnp.broadcast_to(v, (4, 3))",
    "jnp.clip(x, 0.0, v)",
    "jnp.concatenate([v, w])",
    "jnp.concatenate([x, x], axis=-1)",
    "jnp.concatenate([x, x], axis=None)",
    "jnp.expand_dims(x, (0, -1))",
    "jnp.expand_dims(v, 1)",
    "jnp.eye(3)",
    "jnp.eye(3, 4)",
    "jnp.full((2, 2), 1.0)",
    "jnp.linspace(0.0, 1.0)",
    "jnp.linspace(0.0, 1.0, 7)",
    "jnp.matmul(x, v)",
    "jnp.matmul(y, y.mT)",
    "jnp.max(y, axis=(0, -1))",
    "jnp.mean(x, axis=1, keepdims=True)",
    "jnp.ones(4)",
    "jnp.ones_like(x, shape=(5,))",
    "jnp.outer(v, w)",
    "jnp.ravel(x)",
    "jnp.reshape(x, (3, -1))",
    "jnp.reshape(x, -1)",
    "jnp.squeeze(c)",
    "jnp.squeeze(c, axis=-1)",
    "jnp.stack([v, v], axis=1)",
    "jnp.stack([s, s])",
    "jnp.sum(x)",
    "jnp.sum(x, axis=0, keepdims=False)",
    "jnp.transpose(y)",
    "jnp.transpose(y, (0, 2, 1))",
    "jnp.vstack([v, v])",
    "jnp.vstack([x, v])",
    "jnp.where(x > 0, v, c.T)",
    "jnp.zeros_like(x)",
    "lax.dynamic_update_slice(x, c.T, (0, 0))",
    "jax.nn.one_hot(x.astype(int), 6)",
    "jax.random.normal(key, (2, 5))",
    "jax.random.uniform(key)",
]


def as_value(given: Any) -> Value:
    if isinstance(given, jax.Array):
        return with_dims(Concrete("float", given.ndim), given.shape)
    if isinstance(given, slice):
        return Sequence("slice", [as_value(n) for n in (given.start, given.stop, given.step)], None)
    if isinstance(given, (list, tuple)):
        kind = type(given).__name__
        return Sequence(kind, [as_value(one) for one in given], None)
    return NONE if given is None else Static(given)


def promised(dotted: str, positional: list[Any], named: dict[str, Any]) -> Any:
    spec = lookup.function(dotted)
    assert spec is not None
    given = {**dict(zip(spec.params, positional, strict=False)), **named}
    bound = {key: (as_value(one), PLACE) for key, one in given.items()}
    return made_dims(dotted.rpartition(".")[2], bound)


def holds(dims: Any, shape: tuple[int, ...]) -> bool:
    return len(dims) == len(shape) and all(
        one in (None, size) for one, size in zip(dims, shape, strict=True)
    )


@pytest.mark.parametrize("text", CALLS)
def test_calls(text: str) -> None:
    scope = {"jax": jax, "jnp": jnp, "lax": lax, **GIVEN}
    call: Any = ast.parse(text, mode="eval").body

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), "call", "eval"), scope)

    names = ast.unparse(call.func).replace("jnp", "jax.numpy").replace("lax.", "jax.lax.")
    dotted = names if names.startswith("jax.") else f"jax.{names}"
    positional = [value(one) for one in call.args]
    named = {one.arg: value(one.value) for one in call.keywords}
    dims = promised(dotted, positional, named)
    shape = value(call).shape
    told = dims is not None and None not in dims
    assert dims is None or holds(dims, shape)
    assert told or text in SILENT


SILENT = {
    "jnp.arange(5.5)",
    "jnp.concatenate([x, x], axis=None)",
    "jnp.transpose(y, (0, 2, 1))",
    "jax.random.uniform(key)",
}


OPTIONS: dict[str, Any] = {
    "dtype": jnp.float32,
    "fill_value": 1.0,
    "key": jax.random.key(0),
    "maxval": 9,
    "minval": 0,
    "new_dtype": jnp.float32,
    "shift": 1,
    "start_index": 0,
    "start_indices": (0, 0),
    "update": jnp.ones((2, 1)),
}
NEEDED = {"empty": ["dtype"], "dynamic_update_slice_in_dim": ["axis"]}


def functions(names: frozenset[str], parameter: str) -> list[Any]:
    found: list[Any] = []
    for name in sorted(names):
        for home in HOMES:
            spec = lookup.function(f"{home}.{name}")
            function: Any = jax
            for part in [*home.split(".")[1:], name]:
                function = getattr(function, part, None)
            asks = spec is not None and (not parameter or parameter in spec.params)
            if function is not None and spec is not None and asks:
                found.append(pytest.param(function, spec, id=f"{home}.{name}"))
    return found


def options(name: str, params: tuple[str, ...]) -> dict[str, Any]:
    """What a function needs beside an array or a shape."""
    needed = NEEDED.get(name, [])
    plain = {one: OPTIONS[one] for one in params if one in OPTIONS and one != "dtype"}
    return plain | {one: OPTIONS.get(one, 0) for one in needed if one in params}


@pytest.mark.parametrize(("function", "spec"), functions(KEPT, ""))
def test_shapes_that_are_kept(function: Any, spec: FunctionSpec) -> None:
    name = function.__name__
    dtype = bool if name == "logical_not" else complex if name in ("real", "imag") else float
    array = jnp.ones((2, 3), dtype)
    positional = (float,) if name == "astype" else ()
    assert function(array, *positional, **options(name, spec.params)).shape == (2, 3)


@pytest.mark.parametrize(("function", "spec"), functions(MADE, "shape"))
def test_shapes_that_are_asked_for(function: Any, spec: FunctionSpec) -> None:
    given = {"array": jnp.ones(3)} if "array" in spec.params else {}
    made = function(shape=(2, 3), **given, **options(function.__name__, spec.params))
    assert made.shape == (2, 3)


@pytest.mark.parametrize(
    "index",
    [
        0,
        slice(1, None),
        slice(None, None, -2),
        None,
        (slice(None), 1),
        (..., None),
        (..., slice(0, 1)),
        (0, None, slice(-5, 9)),
        (None, slice(1, 1)),
    ],
)
def test_indices(index: Any) -> None:
    for array in (GIVEN["x"], GIVEN["y"]):
        given = index
        assert indexed_dims(as_value(array), as_value(given)) == array[given].shape


@pytest.mark.parametrize("left", ["s", "v", "x", "y", "c"])
@pytest.mark.parametrize("right", ["s", "v", "x", "y", "c"])
def test_operators(left: str, right: str) -> None:
    a, b = GIVEN[left], GIVEN[right]
    for made, operator in ((broadcast, jnp.add), (None, jnp.matmul)):
        try:
            shape = operator(a, b).shape
        except (TypeError, ValueError):
            continue
        values = as_value(a), as_value(b)
        dims = broadcast(map(dims_of, values)) if made else multiplied(*map(dims_of, values))
        assert dims == shape


@pytest.mark.parametrize("name", sorted(JOINING | WITH_AXES))
def test_other_shapes(name: str) -> None:
    """Arrays that are joined, or given other axes, have the shape of none that goes in."""
    x = jnp.ones((2, 2))
    given: dict[str, tuple[Any, ...]] = {
        "append": (x, x),
        "diag": (x,),
        "expand_dims": (x, 0),
        "insert": (x, 0, x[0]),
    }
    made = getattr(jnp, name)(*given.get(name, ([x, x],)))
    assert made.shape != x.shape

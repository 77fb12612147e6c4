"""Observes what functions see that are given to a function of JAX, and what comes back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ONE = np.float32(1.5)
THREE = np.arange(3, dtype=np.float32)
SQUARE = np.diag(THREE + 1)
LIKE = jax.ShapeDtypeStruct((), np.float32)


def _twice(x: Any, *rest: Any) -> Any:
    return x * 2.0


@dataclass(frozen=True, eq=False)
class Body:
    """A function to hand over: what it gives, and on which of its parameters to look."""

    gives: Callable[..., Any] = _twice

    def recorder(self, seen: list[tuple[bool, bool]]) -> Callable[..., Any]:
        """The function, which notes: was its first array a tracer, was one that it made?"""

        def body(*arguments: Any) -> Any:
            leaves = [leaf for leaf in jax.tree.leaves(arguments) if hasattr(leaf, "dtype")]
            traced = isinstance(leaves[0], jax.core.Tracer) if leaves else False
            seen.append((traced, isinstance(jnp.zeros(2), jax.core.Tracer)))
            return self.gives(*arguments)

        return body


@dataclass(frozen=True)
class Use:
    """Arguments with bodies in them, and what to call the result with when it is a function.

    `before` makes the result fit to be called.
    """

    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    then: tuple[Any, ...] | None = None
    before: Callable[[Any], object] = id


F = Body()
PAIR = Body(lambda carry, x: (carry + x, x))
SUM = Body(lambda x, y: x + y)
TEST = Body(lambda x: jnp.sum(x) < 3)
STEP = Body(lambda x: x + 1.0)
INDEXED = Body(lambda i, x: x + 1.0)
SCALAR = Body(lambda x, *rest: jnp.sum(x * x))
HOST = Body(lambda x: np.asarray(x))
NOTHING = Body(lambda *xs: None)
LINEAR = Body(lambda x: x * 3.0)
_WRAPPED = Use((F,), then=(ONE,))
_AD = Use((SCALAR,), then=(THREE,))


def _pair(*arguments: Any) -> Any:
    return arguments[0], arguments[0]


def _one_device() -> dict[str, Any]:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    whole = jax.sharding.PartitionSpec()
    return {"mesh": mesh, "in_specs": (whole,), "out_specs": whole}


_SHARDED = Use((F,), _one_device(), then=(ONE,))
_TREE = {"a": ONE, "b": (THREE,)}
_TREE_USES: dict[str, Use] = {
    "map": Use((F, _TREE)),
    "map_with_path": Use((Body(lambda path, leaf: leaf * 2.0), _TREE)),
    "reduce": Use((Body(lambda x, y: x + jnp.sum(y)), _TREE, ONE)),
    "reduce_associative": Use((SUM, (ONE, ONE, ONE))),
}

BODIES: dict[str, Use] = {
    **{f"jax.tree.{name}": use for name, use in _TREE_USES.items()},
    **{f"jax.tree_util.tree_{name}": use for name, use in _TREE_USES.items()},
    **dict.fromkeys(
        ("jax.jit", "jax.checkpoint", "jax.remat", "jax.named_call", "jax.custom_batching."
         "sequential_vmap", "jax.ad_checkpoint.checkpoint", "jax.ad_checkpoint.remat",
         "jax.experimental.pjit.pjit"), _WRAPPED,
    ),
    **dict.fromkeys(
        ("jax.grad", "jax.value_and_grad", "jax.jacfwd", "jax.jacrev", "jax.jacobian",
         "jax.hessian"), _AD,
    ),
    "jax.vmap": Use((F,), then=(THREE,)),
    "jax.pmap": Use((F,), then=(THREE[:1],)),
    "jax.shard_map": _SHARDED,
    "jax.experimental.shard_map.shard_map": _SHARDED,
    "jax.smap": Use((F,), {"in_axes": 0, "out_axes": 0, "axis_name": "i"}),
    "jax.make_jaxpr": Use((F,), then=(ONE,)),
    "jax.eval_shape": Use((F, LIKE)),
    "jax.jvp": Use((F, (ONE,), (ONE,))),
    "jax.vjp": Use((F, ONE)),
    "jax.linearize": Use((F, ONE)),
    "jax.linear_transpose": Use((LINEAR, ONE), then=(ONE,)),
    "jax.fwd_and_bwd": Use((F,), {"argnums": 0}),
    "jax.closure_convert": Use((F, ONE)),
    "jax.custom_derivatives.closure_convert": Use((F, ONE)),
    "jax.custom_gradient": Use((Body(lambda x: (x, lambda g: (g,))),), then=(ONE,)),
    "jax.custom_derivatives.custom_gradient": Use(
        (Body(lambda x: (x, lambda g: (g,))),), then=(ONE,)
    ),
    "jax.custom_jvp": Use((F,), then=(ONE,), before=lambda made: made.defjvp(_pair)),
    "jax.custom_vjp": Use((F,), then=(ONE,), before=lambda made: made.defvjp(_pair, _pair)),
    "jax.custom_batching.custom_vmap": Use(
        (F,), then=(ONE,), before=lambda made: made.def_vmap(_pair)
    ),
    "jax.pure_callback": Use((HOST, LIKE, ONE)),
    "jax.debug.callback": Use((NOTHING, ONE)),
    "jax.experimental.io_callback": Use((HOST, LIKE, ONE)),
    "jax.experimental.checkify.checkify": _WRAPPED,
    "jax.experimental.jet.jet": Use((F, (ONE,), ([ONE],))),
    "jax.experimental.ode.odeint": Use((Body(lambda y, t: -y), ONE, THREE)),
    "jax.sharding.auto_axes": Use((F,), {"out_sharding": None}),
    "jax.sharding.explicit_axes": Use((F,), {"in_sharding": None}),
    "jax.scipy.optimize.minimize": Use((SCALAR, THREE), {"method": "BFGS"}),
    **{
        f"jax.scipy.sparse.linalg.{name}": Use((Body(lambda x: x * 3.0), THREE))
        for name in ("bicgstab", "cg", "gmres")
    },
    "jax.scipy.linalg.funm": Use((SQUARE, STEP)),
    "jax.lax.associative_scan": Use((SUM, THREE)),
    "jax.lax.composite": Use((F,), {"name": "my.twice"}, then=(ONE,)),
    "jax.lax.cond": Use((np.bool_(True), F, F, ONE)),
    "jax.lax.custom_linear_solve": Use(
        (LINEAR, ONE, Body(lambda matvec, b: b / 3.0), Body(lambda matvec, b: b / 3.0))
    ),
    "jax.lax.custom_root": Use(
        (LINEAR, ONE, Body(lambda f, x: x), Body(lambda g, y: y / g(jnp.ones_like(y))))
    ),
    "jax.lax.fori_loop": Use((0, 3, INDEXED, ONE)),
    "jax.lax.map": Use((F, THREE)),
    "jax.lax.platform_dependent": Use((ONE,), {"default": F, "cpu": F}),
    "jax.lax.reduce": Use((THREE, ONE, SUM, (0,))),
    "jax.lax.reduce_window": Use((THREE, ONE, SUM, (2,), (1,), "VALID")),
    "jax.lax.scan": Use((PAIR, ONE, THREE)),
    "jax.lax.scatter_apply": Use(
        (THREE, np.zeros((1, 1), np.int32), F, lax.ScatterDimensionNumbers((), (0,), (0,))),
        {"update_shape": (1,)},
    ),
    "jax.lax.switch": Use((np.int32(0), [F, F], ONE)),
    "jax.lax.while_loop": Use((TEST, STEP, ONE)),
    "jax.numpy.apply_along_axis": Use((SCALAR, 0, SQUARE)),
    "jax.numpy.apply_over_axes": Use((Body(lambda a, axis: a), SQUARE, (0,))),
    "jax.numpy.fromfunction": Use((SUM, (2, 2))),
    "jax.numpy.frompyfunc": Use((SUM, 2, 1), {"identity": 0}, then=(ONE, ONE)),
    "jax.numpy.mask_indices": Use((2, Body(lambda m, k: m))),
    "jax.numpy.piecewise": Use((THREE, [THREE > 1], [F, F])),
    "jax.numpy.vectorize": Use((F,), then=(THREE,)),
}  # fmt: skip


class Given:
    """Arguments of a use, with a recorder in the place of each body."""

    def __init__(self, use: Use) -> None:
        self.use = use
        self.seen: dict[int, list[tuple[bool, bool]]] = {}

    def filled(self, value: Any) -> Any:
        if isinstance(value, Body):
            return value.recorder(self.seen.setdefault(id(value), []))
        if type(value) in (list, tuple):
            return type(value)(self.filled(item) for item in value)
        return value

    def run(self, function: Any) -> Any:
        """The result of a call, called in turn when the use says so."""
        keywords = {name: self.filled(value) for name, value in self.use.keywords.items()}
        result = function(*self.filled(self.use.arguments), **keywords)
        self.use.before(result)
        if self.use.then is not None:
            result(*self.filled(self.use.then))
        return result


def bodies_of(function: Any, use: Use) -> dict[str, Body]:
    """The bodies by the parameter that takes them, those in a list included."""
    bound = inspect.signature(function).bind(*use.arguments, **use.keywords).arguments
    found: dict[str, Body] = {}
    for name, value in bound.items():
        for item in [*value] if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, Body):
                found[name] = item
        if isinstance(value, dict):
            found |= {key: item for key, item in value.items() if isinstance(item, Body)}
    return found

"""Calls with abstract arguments: taken from live ones, described, stored, and staged again."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from jaxlint.verify.child.arguments import avals, encoding
from jaxlint.verify.child.arguments.avals import Unreplayable

__all__ = [
    "Call",
    "Fresh",
    "Unreplayable",
    "abstract",
    "decode",
    "describe",
    "encode",
    "fresh",
    "is_known",
    "is_returnable",
    "named",
    "stager",
]

Static = Collection["int | str"] | Callable[[Any], bool] | None

_LONGEST_DESCRIPTION = 200
_LONGEST_VALUE = 40
_MOST_YIELDED = 100


@dataclass
class Call:
    """A function and the arguments to stage it with.

    Leaves that are `jax.ShapeDtypeStruct` are traced, all others keep their value.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fresh:
    """A function object that no cache of JAX knows, and what to pass it.

    The arguments have the structure of the call's own, so JAX names them as it does in the
    user's program.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class _Known:
    """A pytree without leaves around a value that stays static."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Taken:
    """The traced leaves of a container that holds nothing but what it is made for."""

    def __init__(self, tree: Any, known: list[Any], traced: list[Any]) -> None:
        self.tree, self.known, self.traced = tree, known, traced

    def restored(self) -> Any:
        """The container, with what the traced leaves are by now."""
        traced = iter(self.traced)
        leaves = [next(traced) if _is_abstract(leaf) else leaf for leaf in self.known]
        return jax.tree_util.tree_unflatten(self.tree, leaves)


jax.tree_util.register_pytree_node(_Known, lambda node: ((), node), lambda node, _: node)
jax.tree_util.register_pytree_node(
    _Taken,
    lambda node: (node.traced, node),
    lambda node, traced: _Taken(node.tree, node.known, list(traced)),
)


def abstract(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    *,
    static: Static = None,
) -> Call:
    """The call with arrays and tracers replaced by their shapes and types.

    `static` names the positions and keywords that keep their values, or is a test for leaves
    that do (`is_known` when the live arguments come from inside a trace). Raises Unreplayable
    for arguments that have no abstract form, such as references to mutable arrays.
    """
    keep = static if callable(static) else _nothing
    kept = frozenset[Any]() if static is None or callable(static) else frozenset(static)

    def mapped(name: int | str, value: Any) -> Any:
        return value if name in kept else _abstracted(value, keep)

    return Call(
        fn,
        tuple(mapped(position, value) for position, value in enumerate(args)),
        {name: mapped(name, value) for name, value in kwargs.items()},
    )


def is_known(leaf: Any) -> bool:
    """Whether a trace knows the value: everything but a tracer."""
    return not isinstance(leaf, jax.core.Tracer)


def encode(call: Call) -> Any | None:
    """The arguments as JSON, or None when they cannot be rebuilt from text."""
    try:
        return encoding.to_json([list(call.args), dict(call.kwargs)])
    except Unreplayable:
        return None


def decode(fn: Callable[..., Any], data: Any) -> Call:
    """The call that `encode` stored, for the function as it is now. Raises Unreplayable."""
    args, kwargs = encoding.from_json(data, encoding.module_of(fn))
    return Call(fn, tuple(args), kwargs)


def describe(call: Call) -> str:
    """The arguments in a line: "x: f32[4], n=2, params: {w: f32[3,4], b: f32[4]}"."""
    parts = [_described(name, value) for name, value in named(call)]
    return _abbreviated(", ".join(parts), _LONGEST_DESCRIPTION)


def fresh(call: Call, *, entry: bool = False) -> Fresh:
    """A new function object around the call's, to be given to `jax.jit` or `jax.make_jaxpr`.

    What the function returns need not be of a JAX type, unless it is the `entry` that a
    transform was applied to: then JAX judges the result as it is.
    """
    args = tuple(_passed(value) for value in call.args)
    kwargs = {name: _passed(value) for name, value in call.kwargs.items()}

    @functools.wraps(call.fn, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = jax.tree_util.tree_map(_unwrapped, (args, kwargs), is_leaf=_is_wrapped)
        result = call.fn(*args, **kwargs)
        return result if entry else _arrays(result)

    return Fresh(function, args, kwargs)


def stager(call: Call, *, entry: bool = False) -> Callable[[], Any]:
    """Stages the call: each time a new function object, so that its body runs again.

    Functions that the body calls may still be cached: `jax.clear_caches()` is the caller's.
    """

    def stage() -> Any:
        new = fresh(call, entry=entry)
        return jax.make_jaxpr(new.fn)(*new.args, **new.kwargs)

    return stage


def _nothing(leaf: Any) -> bool:
    return False


def _abstracted(value: Any, keep: Callable[[Any], bool]) -> Any:
    def replaced(leaf: Any) -> Any:
        return leaf if keep(leaf) else _structure(leaf)

    try:
        leaves, tree = jax.tree_util.tree_flatten(value)
    except Exception:  # The user's own way to take a container apart may raise anything.
        return value
    new = [replaced(leaf) for leaf in leaves]
    if all(leaf is old for leaf, old in zip(new, leaves, strict=True)):
        return value
    try:
        return jax.tree_util.tree_unflatten(tree, new)
    except Exception as error:
        raise Unreplayable(f"{type(value).__name__} holds arrays only: {error}") from error


def _structure(leaf: Any) -> Any:
    """What a traced argument looks like; values that JAX does not trace stay themselves."""
    if isinstance(leaf, (jax.core.Tracer, jax.Array)):
        aval = leaf.aval
        if not isinstance(aval, jax.core.ShapedArray):
            raise Unreplayable(f"{type(aval).__name__} has no abstract form as an argument")
        return avals.array(aval.shape, aval.dtype, bool(aval.weak_type))
    if isinstance(leaf, (np.ndarray, np.generic)) and avals.is_numeric(leaf.dtype):
        return avals.array(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype), False)
    return leaf


def _passed(value: Any) -> Any:
    """An argument in which only the abstract arrays are leaves."""
    try:
        leaves, tree = jax.tree_util.tree_flatten(value)
    except Exception:  # As in `_abstracted`.
        return _Known(value)
    traced = [avals.argument(leaf) for leaf in leaves if _is_abstract(leaf)]
    if not traced:
        return _Known(value)
    try:
        return jax.tree_util.tree_map(_passed_leaf, value)
    except Exception:  # Classes may check what they are made of.
        return _Taken(tree, leaves, traced)


def _passed_leaf(leaf: Any) -> Any:
    return avals.argument(leaf) if _is_abstract(leaf) else _Known(leaf)


def _is_abstract(leaf: Any) -> bool:
    return isinstance(leaf, jax.ShapeDtypeStruct)


def _is_wrapped(node: Any) -> bool:
    return isinstance(node, (_Known, _Taken))


def _unwrapped(node: Any) -> Any:
    if isinstance(node, _Taken):
        return node.restored()
    return node.value if isinstance(node, _Known) else node


def is_returnable(result: Any) -> bool:
    """Whether all of a result is what JAX can return from a trace."""
    try:
        return all(_is_returnable(leaf) for leaf in jax.tree_util.tree_leaves(result))
    except Exception:  # As in `_abstracted`.
        return False


def _arrays(result: Any) -> list[Any]:
    """The parts of a result that JAX can return from a trace."""
    if inspect.isgenerator(result):
        result = list(itertools.islice(result, _MOST_YIELDED))
    elif inspect.iscoroutine(result):
        result.close()
        return []
    try:
        leaves = jax.tree_util.tree_leaves(result)
    except Exception:  # As in `_abstracted`.
        leaves = [result]
    return [leaf for leaf in leaves if _is_returnable(leaf)]


def _is_returnable(leaf: Any) -> bool:
    if isinstance(leaf, (np.ndarray, np.generic)):
        return avals.is_numeric(leaf.dtype)
    if isinstance(leaf, int):
        return -(2**31) <= leaf < 2**31
    return isinstance(leaf, (jax.core.Tracer, jax.Array, float, complex))


def named(call: Call) -> list[tuple[str, Any]]:
    """Parameter names with their arguments, in the order of the call."""
    try:
        bound = inspect.signature(call.fn).bind_partial(*call.args, **call.kwargs)
    except (TypeError, ValueError):
        positional = [(f"[{place}]", value) for place, value in enumerate(call.args)]
        return [*positional, *call.kwargs.items()]
    pairs: list[tuple[str, Any]] = []
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            pairs.extend(value.items())
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            pairs.extend((f"{name}[{place}]", item) for place, item in enumerate(value))
        else:
            pairs.append((name, value))
    return pairs


def _described(name: str, value: Any) -> str:
    text, traced = avals.describe(value)
    if traced:
        return f"{name}: {text}"
    return f"{name}={_abbreviated(text, _LONGEST_VALUE)}"


def _abbreviated(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."

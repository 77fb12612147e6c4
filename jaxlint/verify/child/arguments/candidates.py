"""Values to try for a parameter: from its annotation, default, name and use.

Abstract arrays (`jax.ShapeDtypeStruct`) are traced, all other values are static. A flag, a text
or a callable is never traced: a library that branches on its configuration is not at fault.
"""

from __future__ import annotations

import collections.abc
import contextlib
import enum
import inspect
import itertools
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child.arguments import avals
from jaxlint.verify.child.arguments.avals import is_traced
from jaxlint.verify.child.arguments.values import (
    SOME_KEYS,
    arrays,
    callables,
    concrete,
    has_field,
    hints_of,
    is_array_type,
    is_record,
    mappings,
    required,
    static_values,
    subclasses,
    traced,
)
from jaxlint.verify.child.observing.outline import Usage

Limit = Callable[[], contextlib.AbstractContextManager[object]]
STRENGTHS = ("annotation", "call-site", "default", "search")
_DEPTH = 4
_MOST = 10


@dataclass(frozen=True)
class Candidate:
    """One value, and what it rests on (one of `STRENGTHS`)."""

    value: Any
    strength: str


@dataclass
class Pool:
    """Abstract results of calls that were traced before, by class and by function name."""

    by_class: dict[type, Any] = field(default_factory=dict)
    by_name: dict[str, Any] = field(default_factory=dict)
    instances: dict[type, list[Any]] = field(default_factory=dict)
    records: list[type] = field(default_factory=list)

    def add(self, name: str, result: Any) -> None:
        """Keeps a result that is, or holds, a state: something with structure."""
        for value in [result, *(result if isinstance(result, tuple) else ())]:
            if is_record(type(value)):
                self.by_class[type(value)] = value
        self.by_name.pop(name, None)  # The newest comes last.
        self.by_name[name] = result


class Maker:
    """Makes candidates for the parameters of one function.

    `limit` bounds the making of one object: it may raise what it likes.

    One size stands for each named dimension, so that arguments fit together.
    """

    def __init__(self, pool: Pool, limit: Limit | None = None) -> None:
        self._pool = pool
        self._limit = limit
        self._sizes: dict[str, int] = {}

    def parameter(self, name: str, hint: Any, default: Any, usage: Usage) -> list[Candidate]:
        """Values for one parameter, the likeliest first; never empty."""
        return _distinct(list(self._parameter(name, hint, default, usage)))[:_MOST]

    def _parameter(self, name: str, hint: Any, default: Any, usage: Usage) -> Iterator[Candidate]:
        has_default = default is not inspect.Parameter.empty
        if hint is not inspect.Parameter.empty and hint is not Any:
            if default is None or (has_default and not _may_trace(default)):
                yield Candidate(default, "default")
            made = list(self.annotated(hint, usage, name))
            is_number = isinstance(default, (int, float))
            if has_default and not any(is_traced(value) for value in made):
                yield Candidate(default, "default")
            yield from (Candidate(value, "annotation") for value in made)
            if is_number:
                yield Candidate(default, "default")
            if made:
                return
            if isinstance(hint, type) and hint is not object:
                yield Candidate(None, "search")
                return
        elif has_default:
            yield Candidate(default, "default")
            if not _may_trace(default):
                return
            if default is not None:
                yield Candidate(traced(default), "search")
        elif static := static_values(name, usage):
            yield from (Candidate(value, "search") for value in static)
            return
        yield from (Candidate(value, "search") for value in self._named(name, usage))
        yield from (Candidate(value, "search") for value in arrays(usage))

    def _named(self, name: str, usage: Usage) -> Iterator[Any]:
        """What the name and the use of a parameter suggest."""
        last = name.lower().strip("_").rpartition("_")[2]
        if last in ("key", "rng", "prng", "rngkey", "prngkey"):
            yield avals.array((2,), np.uint32, False)
            yield jax.eval_shape(lambda: jax.random.key(0))
        elif last in ("keys", "rngs"):
            yield avals.array((4, 2), np.uint32, False)
        elif last == "state" or last in ("carry", "memory"):
            yield from self._states(usage)
        elif last == "shape":
            yield (4,)
        elif last in ("dtype", "axis", "seed"):
            yield {"dtype": jnp.float32, "axis": 0, "seed": 0}[last]
        elif last in ("fn", "func", "fun", "function", "callback", "f"):
            yield from callables()
        if usage.is_called:
            yield from callables()
        if usage.attributes:
            yield from self._with_attributes(usage.attributes)
        yield from mappings(usage)
        if usage.unpacked:
            yield (avals.array((), np.float32, False),) * usage.unpacked
            yield (avals.array((4,), np.float32, False),) * usage.unpacked
        if name.startswith(("n_", "num_")) or last in ("n", "size", "dim", "steps", "dims"):
            yield avals.array((), np.int32, True)
            yield 2

    def _states(self, usage: Usage) -> Iterator[Any]:
        """What the functions that make states returned, when they were traced."""
        for name, result in reversed(list(self._pool.by_name.items())):
            if "init" in name or "reset" in name:
                yield result
                if isinstance(result, tuple) and not hasattr(result, "_fields"):
                    yield from reversed(result)

    def _with_attributes(self, attributes: tuple[str, ...]) -> Iterator[Any]:
        """Records that have all the attributes which a body reads."""
        for value in reversed(list(self._pool.by_class.values())):
            if all(hasattr(value, name) for name in attributes):
                yield value
        for kind in self._pool.records:
            if all(has_field(kind, name) for name in attributes):
                yield from self._record(kind, _DEPTH)

    def annotated(self, hint: Any, usage: Usage, name: str, depth: int = _DEPTH) -> Iterator[Any]:
        """Values that an annotation allows."""
        origin = typing.get_origin(hint)
        if depth == 0:
            return
        if isinstance(hint, typing.TypeVar):
            bounds = [hint.__bound__] if hint.__bound__ is not None else hint.__constraints__
            for bound in bounds:
                yield from self.annotated(bound, usage, name, depth - 1)
        elif origin is typing.Annotated:
            yield from self.annotated(typing.get_args(hint)[0], usage, name, depth)
        elif origin is typing.Union or origin is types.UnionType:
            yield from self._union(typing.get_args(hint), usage, name, depth)
        elif origin is typing.Literal:
            yield from typing.get_args(hint)
        elif hasattr(hint, "dims") and hasattr(hint, "dtypes"):
            yield self._shaped(hint)
        elif origin is not None:
            yield from self._generic(origin, typing.get_args(hint), usage, name, depth)
        elif isinstance(hint, type):
            yield from self._class(hint, usage, name, depth)

    def _union(
        self, members: tuple[Any, ...], usage: Usage, name: str, depth: int
    ) -> Iterator[Any]:
        if any(is_array_type(member) for member in members):
            if int in members or float in members:
                kinds = [kind for kind in (float, int) if kind in members]
                yield from (traced(kind()) for kind in kinds)
            yield from self._class(jax.Array, usage, name, depth)
            yield from (0.5,) if float in members else ()
            yield from (2,) if int in members else ()
            return
        for member in members:
            if member is type(None):
                yield None
            else:
                yield from self.annotated(member, usage, name, depth - 1)

    def _generic(
        self, origin: Any, arguments: tuple[Any, ...], usage: Usage, name: str, depth: int
    ) -> Iterator[Any]:
        def first(hint: Any) -> Any:
            return next(self.annotated(hint, Usage(), "", depth - 1), _DEFAULT_ARRAY)

        if origin is collections.abc.Callable:
            yield from callables()
        elif origin is type:
            yield from (item for item in arguments if isinstance(item, type))
        elif origin is np.ndarray:
            yield from self._class(origin, usage, name, depth)
        elif origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                yield (first(arguments[0]),) * 2
            else:
                yield tuple(first(item) for item in arguments)
        elif not isinstance(origin, type):
            return
        elif issubclass(origin, collections.abc.Mapping) and len(arguments) == 2:
            yield dict.fromkeys(usage.keys or SOME_KEYS, first(arguments[1]))
        elif issubclass(origin, collections.abc.Iterable) and arguments and not is_record(origin):
            yield [first(arguments[0])] * 2
        else:
            yield from self._class(origin, usage, name, depth)

    def _class(self, kind: type, usage: Usage, name: str, depth: int) -> Iterator[Any]:
        if kind in _SCALARS:
            yield from _SCALARS[kind]
        elif is_array_type(kind):
            yield from self._named(name, usage)
            yield from arrays(usage)
        elif kind is type(None):
            yield None
        elif issubclass(kind, np.ndarray):
            yield np.ones((4,) * max(usage.rank, 1), np.float32)
            yield from arrays(usage)
        elif issubclass(kind, enum.Enum):
            yield from kind
        elif _is_callable(kind):
            yield from callables()
        elif kind in (list, tuple, dict, set):
            if kind is dict:
                yield from mappings(usage)
            yield kind()
            yield _DEFAULT_ARRAY
        else:
            if kind in self._pool.by_class:
                yield self._pool.by_class[kind]
            if is_record(kind):
                yield from self._record(kind, depth)
            else:
                yield from self._instance(kind, depth)

    def _record(self, kind: type, depth: int) -> Iterator[Any]:
        """A NamedTuple or dataclass, field by field; its leaves are traced if it is a pytree."""
        if depth == 0:
            return
        hints = hints_of(kind)
        values = {}
        for name in required(kind):
            found = self.annotated(hints.get(name, Any), Usage(), name, depth - 1)
            values[name] = next(found, next(self._named(name, Usage()), _DEFAULT_ARRAY))
        try:
            made = kind(**values)
        except Exception:  # The class may check its fields, and raise anything.
            try:
                made = kind(**{name: concrete(value) for name, value in values.items()})
            except Exception:
                return
        leaves = jax.tree_util.tree_leaves(made)
        if len(leaves) == 1 and leaves[0] is made:  # Not a pytree: JAX would not trace its fields.
            yield from self._instance(kind, depth, values)
        else:
            yield traced(made)
            yield made

    def objects(self, kind: type) -> list[Any]:
        """Instances of a class and its subclasses, to call methods on."""
        return list(itertools.islice(self._class(kind, Usage(), "self", _DEPTH), 3))

    def _instance(
        self, kind: type, depth: int, values: dict[str, Any] | None = None
    ) -> Iterator[Any]:
        """Objects of an ordinary class and its subclasses; what constructors need is static."""
        if depth == 0:
            return
        known = self._pool.instances.get(kind)
        if known is not None:
            yield from known
            return
        held = self._pool.instances[kind] = []
        kinds = [item for item in (kind, *subclasses(kind)) if not inspect.isabstract(item)]
        for each in kinds[:3]:
            try:
                own = values if each is kind else None
                needed = self.static_arguments(each, depth) if own is None else own
                with self._limit() if self._limit else contextlib.nullcontext():
                    held.append(each(**{name: concrete(value) for name, value in needed.items()}))
            except BaseException as error:  # The user's constructor may raise anything, or hang.
                if isinstance(error, (Exception, SystemExit)):
                    continue
                if self._limit is None or isinstance(error, KeyboardInterrupt):
                    raise
        yield from held

    def static_arguments(self, fn: Callable[..., Any], depth: int = _DEPTH) -> dict[str, Any]:
        """Concrete arguments for the parameters without a default. Raises ValueError."""
        hints = hints_of(
            vars(fn).get("__init__", fn) if isinstance(fn, type) else inspect.unwrap(fn)
        )
        values = {}
        for name, parameter in inspect.signature(fn).parameters.items():
            if parameter.default is not parameter.empty or parameter.kind in _VARIADIC:
                continue
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise ValueError(f"{name} has no keyword")
            found = [
                *self.annotated(hints.get(name, Any), Usage(), name, depth - 1),
                *self._named(name, Usage()),
                1.0,
            ]
            static = [value for value in found if not is_traced(value)]
            is_first_array = is_traced(found[0]) and hints.get(name) is not None
            values[name] = concrete(found[0]) if is_first_array else static[0]
        return values

    def _shaped(self, hint: Any) -> Any:
        """An array as jaxtyping describes it."""
        shape: list[int] = []
        for dim in () if isinstance(hint.dims, str) else hint.dims:
            if isinstance(dim, int):
                shape.append(dim)
                continue
            size, name = getattr(dim, "size", None), getattr(dim, "name", None)
            is_variadic = "Variadic" in type(dim).__name__ or dim is Ellipsis
            if is_variadic:
                continue
            shape.append(size if isinstance(size, int) else self._size(name))
        names = list(hint.dtypes) if isinstance(hint.dtypes, (list, tuple)) else []
        for wanted in ("float32", "int32", "bool", "uint32", "complex64"):
            if wanted in names:
                return avals.array(tuple(shape), np.dtype(wanted), False)
        if any("prng_key" in str(item) or "key<" in str(item) for item in names):
            return jax.eval_shape(lambda: jax.random.key(0))
        return avals.array(tuple(shape), np.float32, False)

    def _size(self, name: Any) -> int:
        if not isinstance(name, str):
            return 3
        return self._sizes.setdefault(name, 3 + len(self._sizes))


_DEFAULT_ARRAY = avals.array((4,), np.float32, False)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_SCALARS: dict[type, tuple[Any, ...]] = {
    bool: (False, True),
    int: (2, 1, 4),
    float: (0.5, avals.array((), np.float32, True)),
    complex: (avals.array((), np.complex64, True),),
    str: ("a",),
    bytes: (b"a",),
}


def _is_callable(kind: type) -> bool:
    """Whether an annotation says no more than that a value can be called."""
    is_abstract = kind.__module__ == "collections.abc" or getattr(kind, "_is_protocol", False)
    return is_abstract and "__call__" in vars(kind)


def _may_trace(default: Any) -> bool:
    return default is None or (isinstance(default, (int, float)) and not isinstance(default, bool))


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Without those that look the same."""
    seen: set[str] = set()
    kept = []
    for item in candidates:
        text = f"{type(item.value)}{avals.describe(item.value)}"
        if text not in seen:
            seen.add(text)
            kept.append(item)
    return kept

"""Other values in place of a given one: what it might have been."""

from __future__ import annotations

import abc
import copy
import enum
import functools
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child import internals

_DEPTH = 4
_MOST_ITEMS = 200
_TYPES = (
    "float16", "int8", "bfloat16", "float32", "float64", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128",
)  # fmt: skip
_ROUNDS = 4


class UnchangedError(Exception):
    """Nothing in the value can be replaced."""


def perturbed(value: Any, strings: tuple[str, ...], attempt: int, attribute: str = "") -> Any:
    """The value with everything in it replaced. Attempts 0 to `ROUNDS` - 1 differ.

    `strings` are what strings may become. Containers and objects are copied, tracers stay. Of an
    object nothing but the `attribute` is replaced, if it is named and can be. Raises
    UnchangedError.
    """
    change = _Change(strings, attempt, attribute)
    new = change.of(value, _DEPTH)
    if attribute and not change.done:
        change = _Change(strings, attempt)
        new = change.of(value, _DEPTH)
    if not change.done:
        raise UnchangedError
    return new


ROUNDS = _ROUNDS


class _Change:
    """One way to replace values; `done` once it replaced any."""

    def __init__(self, strings: tuple[str, ...], attempt: int, attribute: str = "") -> None:
        self._strings = strings
        self._attempt = attempt
        self._attribute = attribute
        self.done = False

    def of(self, value: Any, depth: int) -> Any:
        if isinstance(value, internals.Tracer) or depth < 0:
            return value
        new = self._atom(value)
        if new is not value:
            self.done = True
            return new
        return self._compound(value, depth - 1)

    def _atom(self, value: Any) -> Any:
        if value is None:
            return (1.0, 1, True, ())[self._attempt]
        if isinstance(value, enum.Enum):
            members = [each for each in type(value) if each is not value]
            return members[self._attempt % len(members)] if members else value
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float, complex)) and type(value) in (int, float, complex):
            return _number(value, self._attempt)
        if isinstance(value, str):
            others = [*self._strings, *(_TYPES if value in _TYPES else ()), value + "_"]
            others = [text for text in others if text != value]
            return others[self._attempt % len(others)]
        if isinstance(value, (np.ndarray, np.generic)):
            return _array(value, self._attempt)
        if isinstance(value, jax.Array):
            return _device_array(value, self._attempt)
        if isinstance(value, range):
            return range(value.start, value.stop + value.step * (self._attempt + 1), value.step)
        return value

    def _compound(self, value: Any, depth: int) -> Any:
        if isinstance(value, tuple) and self._attribute in getattr(value, "_fields", ()):
            return value._replace(**self._attributes(value._asdict(), depth))  # type: ignore[attr-defined]
        if isinstance(value, (list, tuple, dict, set, frozenset)):
            self._attribute = ""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.of(item, depth) for item in value))
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(self.of(item, depth) for item in list(value)[:_MOST_ITEMS])
        if isinstance(value, dict):
            return self._mapping(value, depth)
        if isinstance(value, functools.partial):
            return functools.partial(
                self.of(value.func, depth),
                *(self.of(item, depth) for item in value.args),
                **{name: self.of(item, depth) for name, item in value.keywords.items()},
            )
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
            return self._function(value, depth)
        if isinstance(value, type):
            return self._class(value, depth)
        if isinstance(value, types.ModuleType):
            return self._module(value, depth)
        if not hasattr(value, "__dict__"):
            return self._function(value, depth) if _is_jitted(value) else value
        return self._instance(value, depth)

    def _mapping(self, value: dict[Any, Any], depth: int) -> Any:
        new = copy.copy(value)
        for name in list(new)[:_MOST_ITEMS]:
            new[name] = self.of(new[name], depth)
        return new

    def _function(self, value: Any, depth: int) -> Any:
        """A function whose results differ."""
        self.done = True

        @functools.wraps(value)
        def changed(*args: Any, **kwargs: Any) -> Any:
            return jax.tree_util.tree_map(_shifted, value(*args, **kwargs))

        return changed

    def _instance(self, value: Any, depth: int) -> Any:
        if _is_jitted(value):
            return self._function(value, depth)
        known = vars(value)
        if self._attribute and self._attribute not in known:
            # The class has it: the instance hides what the class says.
            held = inspect.getattr_static(value, self._attribute, None)
            known = {self._attribute: held} if isinstance(held, _DATA) else {}
        changed = self._attributes(known, depth)
        if not changed:
            return value
        new = copy.copy(value)
        for name, item in changed.items():
            object.__setattr__(new, name, item)
        return new

    def _attributes(self, known: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """What is replaced of an object's attributes."""
        wanted, self._attribute = self._attribute, ""
        new = {
            name: self.of(item, depth)
            for name, item in list(known.items())
            if not wanted or name == wanted
        }
        return {name: item for name, item in new.items() if item is not known[name]}

    def _class(self, value: type, depth: int) -> Any:
        """A class that passes for the given one and has other constants."""
        if type(value) not in (type, abc.ABCMeta) or _is_foreign(value.__module__):
            return value
        if hasattr(value.__init_subclass__, "__func__"):
            return value
        known = {
            name: item
            for base in reversed(value.__mro__)
            for name, item in vars(base).items()
            if isinstance(item, _DATA) and not _is_special(name)
        }
        changed = self._attributes(known, depth)
        return _passing_for(value, changed) if changed else value

    def _module(self, value: types.ModuleType, depth: int) -> Any:
        """A module with other constants, for the code that reads them by its name."""
        if _is_foreign(value.__name__):
            return value
        known = {
            name: item
            for name, item in vars(value).items()
            if isinstance(item, _DATA) and not _is_special(name)
        }
        changed = self._attributes(known, depth)
        if not changed:
            return value
        new = types.ModuleType(value.__name__)
        vars(new).update(vars(value), **changed)
        return new


_DATA = (
    bool, int, float, complex, str, tuple, list, dict, set, frozenset, range, type(None),
    enum.Enum, np.ndarray, np.generic, jax.Array,
)  # fmt: skip


def _is_foreign(module: str) -> bool:
    top = module.partition(".")[0]
    return top in ("jax", "jaxlib", "numpy") or top in sys.stdlib_module_names


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _passing_for(value: type, changed: dict[str, Any]) -> Any:
    """A subclass with other attributes that compares and tests instances as the class does."""
    behaviour = {
        "__instancecheck__": lambda _, instance: isinstance(instance, value),
        "__subclasscheck__": lambda _, other: issubclass(other, value),
        "__eq__": lambda new, other: other is value or other is new,
        "__hash__": lambda _: hash(value),
    }
    try:
        kind = type(type(value).__name__, (type(value),), behaviour)
        return kind(value.__name__, (value,), {"__module__": value.__module__, **changed})
    except TypeError:  # Some classes cannot be derived from.
        return value


def _is_jitted(value: Any) -> bool:
    return callable(value) and hasattr(value, "__wrapped__") and not isinstance(value, type)


def _number(value: Any, attempt: int) -> Any:
    if isinstance(value, int):
        return (value + 1, value - 1, value * 2 + 3, 0 if value else 2)[attempt]
    return (value * 1.5 + 1, value * 0.5 - 0.25, value + 1e-3, value * 2)[attempt]


def _array(value: Any, attempt: int) -> Any:
    if value.dtype == np.bool_:
        return np.logical_not(value)
    if not np.issubdtype(value.dtype, np.number):
        return value
    step = (1, 2, -1, 3)[attempt]
    new = np.asarray(value + np.asarray(step).astype(value.dtype)).astype(value.dtype)
    return new[()] if isinstance(value, np.generic) else new


def _device_array(value: Any, attempt: int) -> Any:
    """An array of NumPy's, or a staged key: nothing is executed."""
    if not jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return _array(np.asarray(value), attempt)
    shape = jax.eval_shape(jax.random.key_data, value)
    data: Any = np.full(shape.shape, attempt + 7, shape.dtype)
    return jax.random.wrap_key_data(data, impl=jax.random.key_impl(value))


def _shifted(leaf: Any) -> Any:
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, (int, float, complex)):
        return leaf + 1
    is_array = isinstance(leaf, (jax.Array, np.ndarray, np.generic, internals.Tracer))
    if is_array:
        kind = leaf.dtype
        if jnp.issubdtype(kind, jnp.bool_):
            return ~leaf
        return leaf + 1 if jnp.issubdtype(kind, jnp.number) else leaf
    return leaf


def strings_of(code: types.CodeType) -> Iterator[str]:
    """The strings that a function's code mentions."""
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, (tuple, frozenset)):
            yield from (each for each in constant if isinstance(each, str))

"""Arguments as JSON: abstract arrays, small static values, and objects by their fields."""

from __future__ import annotations

import enum
import functools
import inspect
import math
import os
import sys
import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.avals import Unreplayable, array, is_array, is_numeric, is_weak

_LONGEST_TEXT = 200
_LONGEST_INTEGER = 256
_DEEPEST = 12
_MOST_ITEMS = 10_000
_MAIN = "__main__"
_IMPLEMENTATIONS = ("threefry2x32", "rbg", "unsafe_rbg")
_CONTAINERS: dict[str, type] = {
    "list": list, "tuple": tuple, "set": set, "frozenset": frozenset,
}  # fmt: skip
_ENDS: dict[str, type] = {"slice": slice, "range": range}


def to_json(value: Any) -> Any:
    """The value as JSON. Raises Unreplayable for what has no text without values of arrays."""
    return _Writer().write(value, 0)


def from_json(data: Any, home: str = _MAIN) -> Any:
    """The value in `data`; `home` is the module that was a script's `__main__`.

    Raises Unreplayable when the program no longer has what the value is made of.
    """
    try:
        value = _Reader(home).read(data)
        jax.tree_util.tree_leaves(value)
    except Unreplayable:
        raise
    except Exception as error:  # Stored data and the user's classes may have changed.
        raise Unreplayable(f"{type(error).__name__}: {error}") from error
    return value


def module_of(fn: Any) -> str:
    """The name of the module that a function comes from."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return str(getattr(inspect.unwrap(fn), "__module__", None) or _MAIN)


class _Writer:
    """Writes one value: bounded, and without following a cycle."""

    def __init__(self) -> None:
        self.items = 0
        self.above: set[int] = set()

    def write(self, value: Any, depth: int) -> Any:
        self.items += 1
        if depth > _DEEPEST or self.items > _MOST_ITEMS:
            raise Unreplayable("too large")
        if isinstance(value, jax.ShapeDtypeStruct):
            return _written_array(value)
        if is_array(value) or isinstance(value, jax.core.Tracer):
            raise Unreplayable("the value of an array is not stored")
        if value is None or type(value) in (bool, int, float, str):
            return _written_scalar(value)
        if id(value) in self.above:
            raise Unreplayable("refers to itself")
        self.above.add(id(value))
        try:
            return self.composed(value, depth + 1)
        finally:
            self.above.discard(id(value))

    def composed(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind.__name__ in _CONTAINERS and kind is _CONTAINERS[kind.__name__]:
            return {kind.__name__: [self.write(item, depth) for item in _ordered(value)]}
        if kind is dict:
            return {"dict": self.pairs(value.items(), depth)}
        plain = _written_plain(value)
        if plain is not None:
            return plain
        if kind is functools.partial:
            return {"partial": self.write((value.func, value.args, value.keywords), depth)}
        if isinstance(value, types.MethodType):
            return {"method": [self.write(value.__self__, depth), value.__func__.__name__]}
        if isinstance(value, enum.Enum):
            return {"enum": [_reference(kind), value.name]}
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return {"named": [_reference(kind), [self.write(item, depth) for item in value]]}
        found = _find(value) or _constant(value)
        if found is not None:
            return {"object": found}
        return self.taken_apart(value, depth)

    def taken_apart(self, value: Any, depth: int) -> Any:
        make, args, state, items, pairs = _parts(value)
        if items is not None or (state is not None and pairs is not None):
            raise Unreplayable(f"{type(value).__name__} is more than its fields")
        if getattr(make, "__name__", "") == "__newobj__" and pairs is None:
            fields = _attributes(value, args, state)
            return {"instance": [_reference(type(value)), self.pairs(fields, depth)]}
        if state is not None:
            raise Unreplayable(f"{type(value).__name__} has a state of its own")
        return {"made": [_reference(make), self.write(args, depth), self.pairs(pairs or (), depth)]}

    def pairs(self, items: Any, depth: int) -> list[Any]:
        return [[self.write(key, depth), self.write(item, depth)] for key, item in items]


def _ordered(value: Any) -> list[Any]:
    """Items in an order that does not depend on the hash seed."""
    return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)


def _written_array(value: jax.ShapeDtypeStruct) -> Any:
    if not all(isinstance(size, int) for size in value.shape):
        raise Unreplayable("symbolic dimensions")
    data = [_type_text(value.dtype), list(value.shape)]
    return {"array": [*data, True] if is_weak(value) else data}


def _written_scalar(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise Unreplayable("a long string")
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        raise Unreplayable("a long integer")
    return value


def _written_plain(value: Any) -> Any:
    """Values with a form of their own, or None."""
    kind = type(value)
    if kind is complex:
        return {"complex": [repr(value.real), repr(value.imag)]}
    if kind is bytes and len(value) <= _LONGEST_TEXT:
        return {"bytes": value.hex()}
    if kind.__name__ in _ENDS and kind is _ENDS[kind.__name__]:
        ends = [value.start, value.stop, value.step]
        if all(end is None or type(end) is int for end in ends):
            return {kind.__name__: ends}
    if _is_type(value):
        return {"dtype": _type_text(value)}
    if isinstance(value, np.generic) and is_numeric(value.dtype):
        return {"scalar": [_type_text(value.dtype), _written_number(value)]}
    if value is Ellipsis:
        return {"ellipsis": None}
    if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
        return {"module": value.__name__}
    return None


def _is_type(value: Any) -> bool:
    """Whether the value is an element type: NumPy's or that of typed random keys."""
    if isinstance(value, np.dtype):
        return True
    return (
        any(value == _key_type(name) for name in _IMPLEMENTATIONS) if _is_keylike(value) else False
    )


def _is_keylike(value: Any) -> bool:
    return str(getattr(value, "name", "")).startswith("key<") and not isinstance(value, type)


def _written_number(value: np.generic) -> Any:
    item = value.item()
    return item if isinstance(item, (bool, int)) else repr(complex(item))


def _type_text(dtype: Any) -> str:
    if dtype == jax.dtypes.float0:
        return "float0"
    return str(getattr(dtype, "name", dtype))


def _reference(value: Any) -> list[str]:
    found = _find(value)
    if found is None:
        raise Unreplayable(f"{getattr(value, '__qualname__', value)} is not importable")
    return found


def _find(value: Any) -> list[str] | None:
    """Where an importable function or class is: module, qualified name, file of a script."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    for module in (getattr(value, "__module__", None), "builtins", "numpy", "jax.numpy"):
        if isinstance(module, str) and _resolved(module, name) is value:
            return [module, name, _file(module)] if module == _MAIN else [module, name]
    return None


def _constant(value: Any) -> list[str] | None:
    """Where an object is that its own module keeps under a name, such as a marker."""
    module = internals.home_of(type(value))
    for name, held in list(getattr(sys.modules.get(module), "__dict__", {}).items()):
        if held is value:
            return [module, name, _file(module)] if module == _MAIN else [module, name]
    return None


def _resolved(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _file(module: str) -> str:
    return os.path.realpath(getattr(sys.modules.get(module), "__file__", None) or "")


def _parts(value: Any) -> tuple[Any, ...]:
    """How an object is taken apart for copying: maker, arguments, state, items, pairs."""
    try:
        parts: Any = value.__reduce_ex__(2)
    except Exception as error:  # A class may have a way of its own, which may refuse.
        raise Unreplayable(str(error)) from error
    if not isinstance(parts, tuple):
        raise Unreplayable(f"{type(value).__name__} is known by its name only")
    return (*parts, None, None, None)[:5]


def _attributes(value: Any, args: Any, state: Any) -> list[tuple[str, Any]]:
    """The fields of an object that is nothing more than its fields."""
    kind = type(value)
    if kind is object:
        raise Unreplayable("a marker is known by its identity")
    is_own = getattr(kind, "__getstate__", None) is not getattr(object, "__getstate__", None)
    if is_own or hasattr(kind, "__setstate__") or args != (kind,):
        raise Unreplayable(f"{kind.__name__} is more than its fields")
    held, slots = state if isinstance(state, tuple) else (state, None)
    return [*(held or {}).items(), *(slots or {}).items()]


class _Reader:
    """Reads what `_Writer` wrote: one method for each form."""

    def __init__(self, home: str) -> None:
        self.home = home

    def read(self, data: Any) -> Any:
        if not isinstance(data, (list, dict)):
            return data
        if isinstance(data, list) or len(data) != 1:
            raise Unreplayable("not a stored value")
        ((form, content),) = data.items()
        if form in _CONTAINERS:
            return _CONTAINERS[form](self.read(item) for item in content)
        if form in _ENDS:
            return slice(*content) if form == "slice" else range(*content)
        reader = getattr(self, f"read_{form}", None)
        if reader is None:
            raise Unreplayable(f"unknown form {form!r}")
        return reader(content)

    def read_array(self, content: Any) -> Any:
        name, shape, *weak = content
        return array(tuple(shape), _type(name), bool(weak))

    def read_float(self, content: str) -> float:
        return float(content)

    def read_complex(self, content: Any) -> complex:
        return complex(float(content[0]), float(content[1]))

    def read_bytes(self, content: str) -> bytes:
        return bytes.fromhex(content)

    def read_dtype(self, content: str) -> Any:
        return _type(content)

    def read_scalar(self, content: Any) -> Any:
        name, number = content
        dtype = _type(name)
        if isinstance(number, str):
            value = complex(number)
            return dtype.type(value if dtype.kind == "c" else value.real)
        return dtype.type(number)

    def read_ellipsis(self, content: None) -> Any:
        return Ellipsis

    def read_module(self, content: str) -> Any:
        return sys.modules[content]

    def read_dict(self, content: Any) -> dict[Any, Any]:
        return {self.read(key): self.read(item) for key, item in content}

    def read_partial(self, content: Any) -> Any:
        fn, args, kwargs = self.read(content)
        return functools.partial(fn, *args, **kwargs)

    def read_method(self, content: Any) -> Any:
        owner, name = content
        return getattr(self.read(owner), name)

    def read_enum(self, content: Any) -> Any:
        kind, name = content
        return self.read_object(kind)[name]

    def read_named(self, content: Any) -> Any:
        kind, items = content
        return tuple.__new__(self.read_object(kind), [self.read(item) for item in items])

    def read_object(self, content: Any) -> Any:
        module, name, *file = content
        if module == _MAIN and file != [_file(module)]:
            module = self.home
            if file != [_file(module)]:
                raise Unreplayable(f"{name} belongs to a script that is not loaded")
        if module not in sys.modules:
            raise Unreplayable(f"module {module} is not loaded")
        found = _resolved(module, name)
        if found is None:
            raise Unreplayable(f"{module} has no {name}")
        return found

    def read_made(self, content: Any) -> Any:
        make, args, pairs = content
        made = self.read_object(make)(*self.read(args))
        for key, value in self.read_dict(pairs).items():
            made[key] = value
        return made

    def read_instance(self, content: Any) -> Any:
        kind, pairs = content
        made = object.__new__(self.read_object(kind))
        for name, value in self.read_dict(pairs).items():
            object.__setattr__(made, name, value)
        return made


def _type(name: str) -> Any:
    if name == "float0":
        return jax.dtypes.float0
    if name.startswith("key<"):
        for implementation in _IMPLEMENTATIONS:
            dtype = _key_type(implementation)
            if _type_text(dtype) == name:
                return dtype
        raise Unreplayable(f"unknown element type {name}")
    return jnp.dtype(name)


@functools.cache
def _key_type(implementation: str) -> Any:
    return jax.eval_shape(lambda: jax.random.key(0, impl=implementation)).dtype

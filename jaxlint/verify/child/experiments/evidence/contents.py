"""What a place holds before and after a trace, compared without running the user's code."""

from __future__ import annotations

import contextlib
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from jaxlint.verify.child import internals

_PLAIN = frozenset({int, bool, complex, str, bytes, type(None)})
_MOST_ITEMS = 2000
_MOST_BYTES = 1 << 20
_DEPTH = 5


class Slot(Protocol):
    """A place that code writes to."""

    @property
    def key(self) -> Hashable: ...
    def is_import(self) -> bool: ...
    def state(self) -> Any: ...


class Contents:
    """The states of places in one trace: when it `began`, when one was `found`, when it was over.

    Code that runs in the trace may have changed a place before it is found. So a place that an
    earlier trace has found is looked at when this one begins.
    """

    def __init__(self, earlier: Contents | None = None) -> None:
        self._slots: dict[Hashable, Slot] = {}
        self._found: dict[Hashable, Any] = {}
        self._left: dict[Hashable, Any] = {}
        known = earlier._slots if earlier is not None else {}
        self._began = {key: slot.state() for key, slot in known.items()}

    def note(self, slot: Slot) -> None:
        """A place is about to be written to."""
        if slot.key not in self._found:
            self._slots[slot.key] = slot
            self._found[slot.key] = slot.state()

    def close(self) -> None:
        """The trace is over."""
        self._left = {key: slot.state() for key, slot in self._slots.items()}

    def has(self, key: Hashable) -> bool:
        """Whether the place was found in this trace."""
        return key in self._found

    def is_changed(self, key: Hashable) -> bool:
        """Whether a place that an earlier trace found is not as it was when this one began."""
        return key in self._began and key in self._left and self._began[key] != self._left[key]

    def is_restored(self, key: Hashable) -> bool:
        """Whether a place was changed, and is as before once the trace is over.

        A value that an import gives is the same at every trace, so binding it changes nothing.
        """
        left, found = self._left.get(key), self._found.get(key)
        if left is None or found is None:
            return False
        if self._slots[key].is_import():
            return True
        if key in self._began:
            return bool(self._began[key] == left) and bool(found != left)
        return bool(found == left)


def is_undone(key: Hashable, first: Contents, second: Contents) -> bool:
    """Whether two traces, one after the other, have left a place as it was."""
    return not second.is_changed(key) and (first.is_restored(key) or second.is_restored(key))


# --- states -----------------------------------------------------------------------------------


class _Same:
    """An object as part of a state: equal to itself alone, and alive as long as the state is."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


class _TooLargeError(Exception):
    """A state has too many parts."""


def state(value: Any, *, is_bound: bool) -> Any:
    """What tells a value from another, and from itself once it was changed; None if nothing does.

    Only data of Python's own, arrays of NumPy and objects of plain classes are looked into. If the
    value `is_bound` to a place that code writes to, it is its identity that counts of any other.
    """
    left = [_MOST_ITEMS]
    try:
        found = _state(value, left, _DEPTH)
    except _TooLargeError:
        return None
    return (found,) if is_bound or not isinstance(found, _Same) else None


def _state(value: Any, left: list[int], depth: int) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise _TooLargeError
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if isinstance(value, np.ndarray):
        is_small = value.nbytes <= _MOST_BYTES and value.dtype != object
        return _Same(value), value.tobytes() if is_small else b""
    inside = _inside(value, kind) if depth else None
    if inside is None:
        return _Same(value)
    return _Same(value), [_state(each, left, depth - 1) for each in inside]


def _inside(value: Any, kind: type) -> list[Any] | None:
    """The parts of a value that may be replaced; None if that is not known."""
    if kind in (list, tuple, deque, set, frozenset):
        parts: Iterable[Any] = value
        return sorted(parts, key=_rank) if kind in (set, frozenset) else list(parts)
    if issubclass(kind, dict):
        pairs = list(dict.items(value))
        return [part for pair in pairs for part in pair]
    if not _is_plain(kind):
        return None
    own = getattr(value, "__dict__", None)
    return [part for pair in list(own.items()) for part in pair] if type(own) is dict else None


def _is_plain(kind: type) -> bool:
    """Whether all that objects of a class hold is in their dictionaries."""
    return all(
        base is object or (_is_of_python(base) and not vars(base).get("__slots__"))
        for base in kind.__mro__
    )


def _is_of_python(kind: type) -> bool:
    """Whether a class is made in a Python file that is none of JAX's or NumPy's."""
    module = internals.home_of(kind)
    if module.partition(".")[0] in ("jax", "jaxlib", "numpy"):
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and file.endswith(".py")


def _rank(value: Any) -> tuple[str, int]:
    return (type(value).__name__, hash(value) if type(value) in _PLAIN else id(value))


def is_imported(value: Any) -> bool:
    """Whether a value is a module, or what one has under the value's own name."""
    if isinstance(value, types.ModuleType):
        return True
    name = getattr(value, "__name__", None) if callable(value) else None
    module = sys.modules.get(str(getattr(value, "__module__", None)))
    return isinstance(name, str) and module is not None and vars(module).get(name) is value


# --- putting back -----------------------------------------------------------------------------


def copied(value: Any) -> Any:
    """A shallow copy of a container of Python's own, else the value itself."""
    return value.copy() if type(value) in _CONTAINERS else value


_CONTAINERS = frozenset({list, dict, set, deque, Counter, OrderedDict, defaultdict})


def put_back(container: Any, copy: Any) -> None:
    """Gives a container what a copy of it has."""
    if type(container) in _CONTAINERS:
        container.clear()
        more = container.extend if isinstance(container, (list, deque)) else container.update
        more(copy)


def rebind(namespace: dict[str, Any], name: str, value: Any, was_there: bool) -> None:
    """Gives a name the value that it had."""
    if was_there:
        namespace[name] = value
    else:
        namespace.pop(name, None)


def content(cell: types.CellType) -> Any:
    """What a cell holds; None if it is empty."""
    with contextlib.suppress(ValueError):
        return cell.cell_contents
    return None


def cells(functions: Sequence[Any], frame: types.FrameType, name: str) -> list[types.CellType]:
    """The cells of a closed-over variable, of functions with the code that runs in a frame.

    Functions of one code differ in what they close over.
    """
    code, held = frame.f_code, frame.f_locals
    alike = [
        dict(zip(code.co_freevars, each.__closure__, strict=False))
        for each in functions
        if isinstance(each, types.FunctionType) and each.__code__ is code and each.__closure__
    ]
    return [
        own[name]
        for own in alike
        if all(content(cell) is held.get(free) for free, cell in own.items())
    ]

"""Values that lose their constants: what they are then, whichever constant it was."""

from __future__ import annotations

from copy import copy

from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import Concrete, Static, Traced, Value


def widened(value: Value) -> Value:
    """A value after an update that may run any number of times: constants are lost."""
    if isinstance(value, Static) and value.known and value.const is not None:
        return Static(kind=value.kind)
    return value


def is_number(value: Value) -> bool:
    """Whether a value is a constant number, flags included."""
    return isinstance(value, Static) and isinstance(value.const, (int, float))


def without_number(value: Value) -> Value:
    """A value without the number that it is, or the lengths of its axes. A flag has two values
    only, and decides what runs."""
    if isinstance(value, (Concrete, OpaqueArray, Traced)) and value.dims is not None:
        made = copy(value)
        made.dims = None
        return made
    flag = isinstance(value, Static) and isinstance(value.const, bool)
    return widened(value) if is_number(value) and not flag else value

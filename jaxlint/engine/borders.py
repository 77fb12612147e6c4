"""Host code of other modules: what of it concerns the file that is analysed.

What another module does with its own functions and with values that nothing is known of is found
when that module is examined. It concerns the file that calls it only where functions or objects
from elsewhere go in; everywhere else, transforms are noted and not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from jaxlint.engine.machine import Machine
from jaxlint.engine.records import plain_function
from jaxlint.engine.state import Frame
from jaxlint.engine.values import (
    Bound,
    Choice,
    Class,
    Function,
    Instance,
    Mapping,
    Partial,
    Sequence,
    Transformed,
    Value,
)

_DEPTH = 3


@contextmanager
def crossing(machine: Machine, func: Function, values: Iterable[Value]) -> Iterator[None]:
    """Runs a host function inside, as its own module's affair unless these arguments make it
    another one's."""
    before = machine.idle
    home = func.frame.root
    if home is machine.globals:
        machine.idle = False
    elif not _brings(values, home, _DEPTH):
        machine.idle = True
    try:
        yield
    finally:
        machine.idle = before


def _brings(values: Iterable[Value], home: Frame, depth: int) -> bool:
    return any(_is_from_elsewhere(value, home, depth) for value in values)


def _is_from_elsewhere(value: Value, home: Frame, depth: int) -> bool:
    """Whether a value is, or holds, code of another module than `home`."""
    if isinstance(value, (Function, Transformed, Partial, Bound)):
        plain = plain_function(value)
        if plain is not None and plain.frame.root is not home:
            return True
        held = [value.owner] if isinstance(value, Bound) else []
        if isinstance(value, Partial):
            held = [*value.args, *value.keywords.values()]
        return depth > 0 and _brings(held, home, depth - 1)
    if isinstance(value, Class):
        return value.home is not home
    if depth == 0:
        return False
    if isinstance(value, Instance):
        if value.cls.home is not home and not value.cls.tree:
            return True
        return _brings(list(value.fields.values()), home, depth - 1)
    if isinstance(value, Choice):
        return _brings(value.options, home, depth - 1)
    if isinstance(value, Sequence):
        return _brings(value.items or (), home, depth - 1)
    return isinstance(value, Mapping) and _brings(list(value.items.values()), home, depth - 1)

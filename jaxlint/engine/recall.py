"""What is remembered of a call, and what it is to another one."""

from __future__ import annotations

from copy import copy

from jaxlint.base.slotted import slotted
from jaxlint.engine.ledger import EMPTY, Ledger
from jaxlint.engine.state import Trace
from jaxlint.engine.tally import NOTHING, Count
from jaxlint.engine.trail import Trail
from jaxlint.engine.trees import strongest
from jaxlint.engine.values import Concrete, Sequence, Traced, Value
from jaxlint.syntax import ir


@slotted()
class Known:
    """The result of a call, when it ran, the arguments that it ran with, and what it did."""

    trace: Trace
    result: Value
    age: int
    given: dict[str, Value]
    done: Count = NOTHING
    spent: Ledger = EMPTY


def anew(value: Value, given: dict[str, Value], depth: int = 3) -> Value:
    """A result as another call gives it: arrays of its own, but for those that it was given."""
    if isinstance(value, (Concrete, Traced)):
        return value if any(value is one for one in given.values()) else copy(value)
    if depth and type(value) is Sequence and value.kind == "tuple" and value.items is not None:
        items = [anew(item, given, depth - 1) for item in value.items]
        return Sequence("tuple", items, value.born, value.element, value.path, value.made)
    return value


def retrailed(value: Value, node: ir.Expr, env: dict[str, Value], trace: Trace) -> Value:
    """A memoised result seen from another call: its trail is that of this call's arguments."""
    if not isinstance(value, Traced) or value.trail.entry is trace.entry:
        return anew(value, env)
    source = strongest(list(env.values()))
    if source is not None:
        trail = Trail(node, source.trail, source.trail.entry, call=True)
    elif trace.entry is not None:
        trail = Trail(node, None, trace.entry, function=trace.entry.function)
    else:
        return value
    return Traced(trail, value.kind, value.dtype, value.rank, value.leaf)

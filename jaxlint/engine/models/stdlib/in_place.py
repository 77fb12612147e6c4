"""Functions of the standard library that change an argument in place."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import NONE, Mapping, Sequence, Value, join
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.changes import changed, put
from jaxlint.engine.operations.containers.lists import element_of, loosen
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def _change(name: str, hands_out: bool = False) -> Handler:
    """The handler of a function that changes its first argument, and may give an element."""

    def handle(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        owner = args.get(0, "")
        if not isinstance(owner, (Sequence, Mapping)):
            return machine.unknown(name)
        known = isinstance(owner, Sequence) and (owner.items or owner.element)
        element = element_of(owner) if known else machine.unknown(name)  # type: ignore[arg-type]
        _note(machine, frame, node, owner, name, args)
        _fill(machine, frame, owner, name, args)
        return element if hands_out else NONE

    return handle


def _note(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Sequence | Mapping,
    name: str,
    args: Args,
) -> None:
    place = args.node(0, "", node)
    text = dotted_text(place)
    kind = "attribute" if isinstance(place, ir.Attribute) else "container"
    holder = text.rpartition(".")[0]
    changed(machine, frame, node, owner, kind, text, name, args.values()[1:], holder)


def _fill(machine: Machine, frame: Frame, owner: Sequence | Mapping, name: str, args: Args) -> None:
    """What the container holds now."""
    index, value = args.get(1, ""), args.get(2, "")
    if name == "setitem" and index is not None and value is not None:
        put(machine, frame, owner, index, value)
    elif isinstance(owner, Mapping):
        owner.open = True
    else:
        added = None if name == "delitem" else index
        loosen(owner)
        if added is not None:
            owner.element = added if owner.element is None else join(owner.element, added)


HANDLERS: dict[str, Handler] = {
    "operator.setitem": _change("setitem"),
    "operator.delitem": _change("delitem"),
    "heapq.heappush": _change("heappush"),
    "heapq.heapify": _change("heapify"),
    "heapq.heappop": _change("heappop", hands_out=True),
    "heapq.heapreplace": _change("heapreplace", hands_out=True),
    "heapq.heappushpop": _change("heappushpop", hands_out=True),
    "bisect.insort": _change("insort"),
    "bisect.insort_left": _change("insort_left"),
    "bisect.insort_right": _change("insort_right"),
}

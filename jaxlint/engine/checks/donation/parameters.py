"""Parameters that a function gives away: each call of the function gives its argument away.

Arrays are found by their identity wherever they go. Values of which nothing is known, and what
`*args` gathers of them, are not the same objects in the code that calls.
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Mapping, Sequence, Unknown, Value
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

HANDED = "handed"


@slotted(frozen=True)
class Handed:
    """A parameter that a function gives to `record`, or the part of `*args` or `**options` at a
    position or under a name."""

    record: TransformUse
    parameter: str
    at: int | str | None = None


def note(machine: Machine, frame: Frame, value: Value, node: ir.Expr, record: TransformUse) -> None:
    """A function gives a value away: if that is its own parameter, its callers do so."""
    home = frame.home()
    if not isinstance(node, ir.Name) or home.func is None or home is not typestate.holder(machine):
        return
    held = typestate.current(machine, typestate.OWN).given.get(node.id)
    at = None if held is value else _place(held, value)
    if held is None or (at is None and held is not value):
        return
    if isinstance(value, Unknown) and _is_part(home.func, node.id):
        return
    subject = node.id if at is None else f"{node.id}[{at!r}]"
    handed = Handed(record, node.id, at)
    typestate.mark(machine, frame, HANDED, subject, node, handed)


def _place(gathered: Value | None, value: Value) -> int | str | None:
    """Where a value stands among arguments that one parameter gathers."""
    if isinstance(gathered, Sequence) and gathered.kind == "tuple":
        return next((at for at, one in enumerate(gathered.items or ()) if one is value), None)
    if isinstance(gathered, Mapping):
        return next((key for key, one in gathered.items.items() if one is value), None)
    return None


def _is_part(func: ir.FunctionDef, name: str) -> bool:
    """Whether a function may bind the name of a parameter to a part of that: of an unknown value,
    parts are the same object."""
    parts = (ir.Attribute, ir.Subscript, ir.Name)
    return any(isinstance(one, parts) for one in bindings(func.body).get(name, []))


def argument(
    func: ir.FunctionDef, args: Args, node: ir.Expr, handed: Handed
) -> tuple[Value, ir.Expr] | None:
    """What a call passes for a parameter that is given away, and its expression."""
    plain = [one.name for one in func.params if one.kind in ("plain", "positional")]
    name: str | None = handed.parameter
    place = plain.index(handed.parameter) if handed.parameter in plain else None
    if isinstance(handed.at, int):
        place, name = len(plain) + handed.at, None
    elif handed.at is not None:
        name = handed.at
    if name in args.keywords:
        return args.keywords[name], args.keyword_nodes.get(name, node)
    if place is None or place >= len(args.positional):
        return None
    return args.positional[place], args.node(place, "", node)

"""Attributes whose values were given away, where the arrays in them are not known one by one:
`step(self.params, batch)`. They go by the text that reads them, in the function that gave them
away, until something is stored there."""

from __future__ import annotations

from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import chain_text, dotted_text
from jaxlint.engine.checks.donation.whole_containers import is_undivided
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Unknown, Value
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.buffers import WITHOUT_BUFFERS
from jaxlint.syntax import ir

HELD = "donated attribute"


@slotted(frozen=True)
class Held:
    """What was given away (`gift`), in the code of `home`, as an attribute of `owner`."""

    gift: Any
    home: Frame
    owner: Value


def give(machine: Machine, frame: Frame, node: ir.Expr, value: Value, gift: Any) -> None:
    """An argument was given away that reads an attribute of an object."""
    text = chain_text(node)
    root, _, names = text.partition(".")
    if not names or not WITHOUT_BUFFERS.isdisjoint(names.split(".")):
        return
    home = frame.home()
    owner = home.env.get(root)
    if owner is None or not (isinstance(value, Unknown) or is_undivided(value)):
        return
    if _stays(machine, frame, root):
        held = Held(gift, home, owner)
        typestate.mark(machine, frame, HELD, text, node, held, sure=False)


def _stays(machine: Machine, frame: Frame, root: str) -> bool:
    """Whether a name stands for one object: unknown objects that it is bound to one after another
    may be the same one here."""
    func = frame.home().func
    count = 0 if func is None else len(bindings(func.body).get(root, ()))
    is_given = func is not None and any(one.name == root for one in func.params)
    return count <= (not is_given and not machine.in_loop(frame))


def given(machine: Machine, frame: Frame, node: ir.Node) -> typestate.Mark | None:
    """The call that an expression, or what it is a part of, was given away to."""
    marks = typestate.current(machine).marks
    if not any(kind == HELD for kind, _ in marks):
        return None
    inner: Any = node
    while isinstance(inner, (ir.Attribute, ir.Subscript)):
        if isinstance(inner, ir.Attribute):
            if inner.attr in lookup.STATIC_ATTRIBUTES:
                return None
            mark = typestate.marked(machine, HELD, chain_text(inner))
            if mark is not None and _is_there(mark.detail, frame, inner):
                return mark
        inner = inner.value
    return None


def _is_there(held: Held, frame: Frame, node: ir.Expr) -> bool:
    """Whether the code of a frame sees the attribute that was given away."""
    root = chain_text(node).partition(".")[0]
    scope: Frame | None = frame
    while scope is not None and root not in scope.env and scope is not held.home:
        scope = scope.parent
    return scope is held.home and scope.env.get(root) is held.owner


def stored(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str) -> None:
    """Something else is stored in an attribute, of this object or of one that goes by its name."""
    text = dotted_text(node)
    for kind, subject in [*typestate.current(machine).marks]:
        if kind == HELD and f"{subject}.".startswith(f"{text}."):
            typestate.unmark(machine, HELD, subject)

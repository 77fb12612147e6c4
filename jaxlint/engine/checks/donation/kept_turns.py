"""What a loop keeps of an array that each of its turns gives away, and that is read later.

`frames.append(state)` in front of `state = step(state)`, or `best = state` behind it: the call of
this turn or of the next one deletes what was kept. It goes by the text of the loop; whether the
loop turns again, nothing tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import OWN_SCOPES, chain_text, dotted_text, each_assigned, walk
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.donation.donated_arguments import arguments
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.buffers import UNEXECUTED
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)
_LEAVES = (ir.Break, ir.Return, ir.Raise)
# Calls that read no element of a container.
_COUNTING = frozenset({"enumerate", "len", "list", "range", "reversed", "zip"})
_SEEN: PerRun[set[tuple[int, str]]] = PerRun(set)


@slotted(frozen=True, eq=False)
class _Kept:
    """A name that holds what a loop gives away, by itself or as an element (`inside`). `lasts`
    tells that the last one is still there after the loop."""

    name: str
    node: Any
    inside: bool
    lasts: bool


def _observe(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """A compiled function is called that its arguments are given to, in a loop of host code."""
    func = frame.home().func
    if not record.donates or not frame.trace.is_host or func is None or machine.dynamic.idle:
        return
    if record.refused or not isinstance(node, ir.Call) or not machine.in_loop(frame):
        return
    if isinstance(node.func, ir.Attribute) and node.func.attr in UNEXECUTED:
        return
    for one in arguments(record, args):
        text = chain_text(one.node) if one.given else ""
        place = id(node), text
        if text and place not in _SEEN.of(machine):
            _SEEN.of(machine).add(place)
            _judge(machine, frame, func, node, text)


def _judge(machine: Machine, frame: Frame, func: ir.FunctionDef, call: ir.Call, text: str) -> None:
    outward = layout(machine.module.body).outward(call)
    loop: Any = next((one for one in outward if one is func or isinstance(one, _LOOPS)), None)
    if not isinstance(loop, _LOOPS):
        return
    order = {id(one): at for at, one in enumerate(walk(func.body, OWN_SCOPES))}
    if id(call) not in order:
        return
    for kept in _kept(func, loop, call, text, order):
        read = _read(func, loop, call, kept, order)
        if read is not None:
            machine.emit(
                facts.Donated(
                    machine.module,
                    read,
                    frame.name,
                    kind="use",
                    target=text,
                    callee=dotted_text(call.func),
                    given=call,
                    possible=True,
                )
            )


def _kept(
    func: ir.FunctionDef, loop: Any, call: ir.Call, text: str, order: dict[int, int]
) -> Iterator[_Kept]:
    """What holds the value of `text` when the call gives it away: it is bound to no other value
    between the two."""
    others = [
        order[id(one)]
        for one in walk(loop.body, OWN_SCOPES)
        for target, _ in each_assigned(one)
        if dotted_text(target) == text and not _is_inside(call, one)
    ]
    gone = order[id(call)]
    for statement in walk(loop.body, OWN_SCOPES):
        for name, node, inside in _holders(statement, text):
            at = order[id(statement)]
            before = at < gone
            between = [
                one for one in others if (at < one < gone if before else one > at or one < gone)
            ]
            is_container = inside and not _is_fresh(func, loop, name)
            if between or is_container or (not before and _leaves(loop, statement)):
                continue
            if not inside and _is_other(loop, name, text):
                continue
            yield _Kept(name, node, inside, not before)


def _holders(statement: Any, text: str) -> Iterator[tuple[str, Any, bool]]:
    """The names that a statement lets hold a value, or an element that is one."""
    for target, value in each_assigned(statement):
        if value is None or dotted_text(value) != text or dotted_text(target) == text:
            continue
        if isinstance(target, ir.Name):
            yield target.id, target, False
        elif isinstance(target, ir.Subscript) and isinstance(target.value, ir.Name):
            yield target.value.id, target.value, True
    call = statement.value if isinstance(statement, ir.ExprStmt) else None
    method = call.func if isinstance(call, ir.Call) else None
    if not isinstance(call, ir.Call) or not isinstance(method, ir.Attribute):
        return
    appends = method.attr == "append" and [dotted_text(one.value) for one in call.args] == [text]
    if appends and isinstance(method.value, ir.Name):
        yield method.value.id, method.value, True


def _is_inside(node: ir.Node, around: Any) -> bool:
    return any(one is node for one in walk(around))


def _is_fresh(func: ir.FunctionDef, loop: Any, name: str) -> bool:
    """Whether a name stands for one list or dict that the function made before the loop."""
    bound = bindings(func.body).get(name, [])
    return len(bound) == 1 and isinstance(bound[0], (ir.Sequence, ir.Dict, ir.Call))


def _is_other(loop: Any, name: str, text: str) -> bool:
    """Whether a loop binds a name to something else too."""
    found = [
        value
        for one in walk(loop.body, OWN_SCOPES)
        for target, value in each_assigned(one)
        if isinstance(target, ir.Name) and target.id == name
    ]
    return any(one is None or dotted_text(one) != text for one in found)


def _leaves(loop: Any, statement: Any) -> bool:
    """Whether the loop ends behind a statement, in the block that it stands in."""
    for one in walk((loop,), OWN_SCOPES):
        for block in (getattr(one, "body", ()), getattr(one, "orelse", ())):
            if isinstance(block, tuple) and statement in block:
                return any(isinstance(it, _LEAVES) for it in block)
    return False


def _read(
    func: ir.FunctionDef, loop: Any, call: ir.Call, kept: _Kept, order: dict[int, int]
) -> ir.Expr | None:
    """Where what was kept is read first: behind the loop, or behind the call in it."""
    last = max(order[id(one)] for one in walk(loop, OWN_SCOPES))
    begin = last if kept.inside else order[id(call)]
    hidden = {id(kept.node)}.union(*(_unread(one, kept) for one in walk(func.body)))
    named = (one for one in walk(func.body, OWN_SCOPES) if isinstance(one, ir.Name))
    later = (one for one in named if one.id == kept.name and order[id(one)] > begin)
    return next((one for one in later if id(one) not in hidden), None)


def _unread(node: Any, kept: _Kept) -> set[int]:
    """The parts of a node in which a name may stand without that anything of the array is read."""
    hidden = {id(target) for target, _ in each_assigned(node)}
    is_shape = isinstance(node, ir.Attribute) and node.attr in lookup.STATIC_ATTRIBUTES
    if not kept.inside:
        held = node.left if isinstance(node, ir.Compare) else node.value if is_shape else None
        return hidden | {id(held)}
    if isinstance(node, ir.Call) and dotted_text(node.func) in _COUNTING:
        return hidden | {id(given.value) for given in node.args}
    if isinstance(node, (ir.Attribute, ir.Return)) or (
        isinstance(node, ir.Subscript) and kept.lasts
    ):
        return hidden | {id(node.value)}
    return hidden


CHECK = Check("kept-turns", on_compiled_call=_observe)

"""Places of a container that one assignment lets hold the same arrays, before a call gives the
container away: `state = state.replace(target=state.params)` in the loop that calls `step(state)`.

It goes by the text: whether the assignment is reached first, nothing tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import OWN_SCOPES, chain_text, dotted_text, each_assigned, walk
from jaxlint.dataflow.structure import layout
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.arrays.buffers import COPYING, WITHOUT_BUFFERS
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)


@slotted(frozen=True)
class Synced:
    """The place `target` holds what the place `source` holds: attributes, unless they are keys."""

    target: str
    source: str
    is_key: bool = False

    @property
    def places(self) -> tuple[str, str]:
        """How the two are written."""
        if self.is_key:
            return f"[{self.source!r}]", f"[{self.target!r}]"
        return f".{self.source}", f".{self.target}"


def synced(machine: Machine, frame: Frame, call: ir.Expr, text: str) -> Synced | None:
    """What stands at two places of a container, by its text, when a call gives it away."""
    home = frame.home()
    body = machine.module.body if home.func is None else home.func.body
    loop = layout(machine.module.body).innermost(call, _LOOPS)
    found = _before(machine, frame, body, call, text)
    if found is None and loop is not None:
        found = _in_last_iteration(machine, frame, loop, call, text)
    if found is None and home.func is not None and home.cls is not None and home.func.params:
        own, _, attr = text.partition(".")
        if attr and own == home.func.params[0].name and home.cls.node is not None:
            others = (one for one in home.cls.node.body if one is not home.func)
            methods = [one for one in others if isinstance(one, ir.FunctionDef) and one.params]
            made = (_left_by(machine, frame, one, attr) for one in methods)
            found = next(filter(None, made), None)
    return found


def _before(
    machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...], call: ir.Expr, text: str
) -> Synced | None:
    """What the last assignment in front of a call does."""
    last = None
    for one in walk(body, OWN_SCOPES):
        if one is call:
            return last
        for target, value in each_assigned(one):
            if not _is_inside(call, value):
                last = _next(machine, frame, target, value, text, last)
    return None


def _in_last_iteration(
    machine: Machine, frame: Frame, loop: Any, call: ir.Expr, text: str
) -> Synced | None:
    """What the last assignment of a loop does, if none is in front of the call."""
    last, behind = None, False
    for one in walk(loop.body, OWN_SCOPES):
        behind |= one is call
        for target, value in each_assigned(one):
            if _is_inside(call, value):
                last = None
            elif chain_text(target) == text and not behind:
                return None
            else:
                last = _next(machine, frame, target, value, text, last)
    return last


def _left_by(machine: Machine, frame: Frame, method: ir.FunctionDef, attr: str) -> Synced | None:
    """What the last assignment of another method does to an attribute of the object."""
    text, last = f"{method.params[0].name}.{attr}", None
    for one in walk(method.body, OWN_SCOPES):
        for target, value in each_assigned(one):
            last = _next(machine, frame, target, value, text, last)
    return last


def _next(
    machine: Machine,
    frame: Frame,
    target: ir.Expr,
    value: ir.Expr | None,
    text: str,
    last: Synced | None,
) -> Synced | None:
    """What holds after an assignment, given what held before."""
    if chain_text(target) == text:
        return None if value is None else _by_copy(machine, frame, value, text)
    place = _place(target, text)
    if not place:
        return last
    source = "" if value is None else _place(value, text)
    if source and source != place and value is not None and _hold_arrays(place, source):
        return Synced(place, source, isinstance(target, ir.Subscript))
    return None if last is not None and place in (last.target, last.source) else last


def _by_copy(machine: Machine, frame: Frame, value: ir.Expr, text: str) -> Synced | None:
    if isinstance(value, ir.IfExp):
        made = (_by_copy(machine, frame, one, text) for one in (value.body, value.orelse))
        return next(filter(None, made), None)
    if not isinstance(value, ir.Call):
        return None
    copied = copied_by(value)
    if copied is not None:
        return _repeated(value) if chain_text(copied) == text else None
    given = [one.value for one in value.args if not one.star and not one.keyword]
    if len(given) != 1 or chain_text(given[0]) != text or not is_chain(value.func):
        return None
    func = peek(machine, frame, value.func)
    if not isinstance(func, Function) or not func.node.params or len(func.node.body) != 1:
        return None
    last = func.node.body[0]
    inner = last.value if isinstance(last, ir.Return) else None
    copied = copied_by(inner) if isinstance(inner, ir.Call) else None
    is_own = isinstance(copied, ir.Name) and copied.id == func.node.params[0].name
    return _repeated(inner) if is_own and isinstance(inner, ir.Call) else None


@answered_once
def _repeated(call: ir.Call) -> Synced | None:
    """The place to which a copy gives what stands at another place of the same container."""
    copied = copied_by(call)
    named = {one.keyword for one in call.args if one.keyword}
    for one in call.args if copied is not None else ():
        source = _place(one.value, chain_text(copied)) if copied is not None else ""
        if one.keyword and source and source not in named and _hold_arrays(one.keyword, source):
            return Synced(one.keyword, source)
    return None


def _hold_arrays(*places: str) -> bool:
    return WITHOUT_BUFFERS.isdisjoint(places)


def _place(node: ir.Expr, text: str) -> str:
    """The place of a container, by its text, that an expression reads or an assignment sets."""
    if not text or not isinstance(node, (ir.Attribute, ir.Subscript)):
        return ""
    return step(node) if chain_text(node.value) == text else ""


def _is_inside(call: ir.Expr, value: ir.Expr | None) -> bool:
    return value is not None and any(one is call for one in walk(value))


def step(node: ir.Node) -> str:
    """The name or key by which an expression reads a place of a container, else ""."""
    if isinstance(node, ir.Attribute):
        return node.attr
    key = node.index if isinstance(node, ir.Subscript) else None
    return str(key.value) if isinstance(key, ir.Const) else ""


def copied_by(call: ir.Call) -> ir.Expr | None:
    """What a call copies all places of but those that it names: `state.replace(step=0)`."""
    func = call.func
    if isinstance(func, ir.Attribute) and func.attr in COPYING:
        is_function = dotted_text(func) == "dataclasses.replace"
        return call.args[0].value if is_function and call.args else func.value
    return None


def named_places(call: ir.Call) -> Iterator[str]:
    """The places that a copy has something else at."""
    return (one.keyword for one in call.args if one.keyword)

"""Buffers that host code gives away to compiled functions, and what happens to them after that.

A donated array is deleted by the call (JAX documentation, "Buffer donation"). What the arrays are
is found by their identity here; arrays that the analysis cannot tell from others, such as the
elements of a list of unknown length, are left alone.
"""

from __future__ import annotations

from typing import Literal

from jaxlint import facts
from jaxlint.base.dataclass import replace, slotted
from jaxlint.dataflow.names import chain_text, dotted_text
from jaxlint.engine.checks.donation import held_attributes, parameters, whole_containers
from jaxlint.engine.checks.donation.donated_arguments import Argument, arguments
from jaxlint.engine.checks.donation.unknown_buffers import (
    buffers,
    is_unread,
    reads_whole,
    told_apart,
)
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import GivenAway
from jaxlint.engine.domain.values import (
    Concrete,
    Instance,
    LibraryName,
    Method,
    Transformed,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference.aliasing import arrays, own_object, several
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.knowledge.arrays.buffers import (
    MAPPING,
    READING,
    READING_METHODS,
    SHOWING,
    UNEXECUTED,
    UNREAD_NUMPY,
)
from jaxlint.syntax import ir

DONATED = "donated"
Kind = Literal["use", "loop", "twice"]


@slotted(frozen=True)
class Gift:
    """What was given away, to which function, and how many calls were running. It may have been
    an array of an object that stands for all of its class: what is known of it holds `within` one
    call of a method."""

    target: str
    callee: str
    record: TransformUse
    depth: int = 0
    within: Frame | None = None

    def holds(self, frame: Frame) -> bool:
        """Whether the code of a frame sees the array that was given away."""
        inner: Frame | None = frame
        while self.within is not None and inner is not None and inner is not self.within:
            inner = inner.parent
        return self.within is None or inner is not None


class _Watch:
    """What host code does once it has given something away."""

    __slots__ = ("machine",)

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def operated(self, frame: Frame, node: ir.Node, operands: list[Value]) -> None:
        """An operation of JAX computes with arrays."""
        if is_unread(node):
            return
        for value in operands:
            for array in buffers(value):
                _judge(self.machine, frame, node, array)
        for place in whole_containers.operands(node):
            for held in whole_containers.around(frame, place):
                _judge(self.machine, frame, node, held)
            _judge_attribute(self.machine, frame, place, node)

    def called(self, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
        """Something is called that is no operation of JAX, or not only one."""
        if isinstance(func, Unknown):
            if reads_whole(node):
                _judge(self.machine, frame, node, func)
        elif isinstance(func, Method) and isinstance(func.owner, Concrete):
            if func.name in READING_METHODS:
                _judge(self.machine, frame, node, func.owner)
            elif func.name == "is_deleted":
                # Code that asks knows what may have happened.
                typestate.unmark(self.machine, DONATED, func.owner)
        elif isinstance(func, LibraryName):
            self._external(frame, node, func.dotted, args)
        elif isinstance(func, Transformed) and func.record.wrapper.kind in ("vmap", "ad"):
            self._read(frame, args, nested=True)

    def shown(self, frame: Frame, node: ir.Expr, value: Value) -> None:
        """A value becomes text."""
        for array in buffers(value):
            _judge(self.machine, frame, node, array)

    def _mapped(self, frame: Frame, node: ir.Expr, args: Args) -> None:
        """A function is called on the leaves of trees."""
        for place in args.nodes[1:]:
            _judge_attribute(self.machine, frame, place, node)
        first = [self._leaf(frame, node, tree) for tree in args.positional[1:]]
        spent = [typestate.marked(self.machine, DONATED, one) for one in first if one is not None]
        if any(spent):
            leaves = [one or self.machine.unknown("leaf") for one in first]
            nodes = args.nodes[1:]
            self.machine.call(frame, node, args.positional[0], Args([*leaves], nodes=nodes))

    def _leaf(self, frame: Frame, node: ir.Expr, tree: Value) -> Value | None:
        """A leaf of a tree: any one, if the tree was given away as a whole."""
        whole = _marked(self.machine, frame, tree)
        if whole is None or isinstance(tree, (Concrete, Unknown)):
            return next(buffers(tree), None)
        leaf = GivenAway(self.machine.unknown("leaf"))
        typestate.mark(self.machine, frame, DONATED, leaf, whole.node, whole.detail, sure=False)
        return leaf

    def _external(self, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
        if dotted in MAPPING:
            self._mapped(frame, node, args)
        elif dotted in SHOWING:
            self._read(frame, args, nested=True)
        elif dotted in READING or (
            dotted.startswith("numpy.") and dotted not in UNREAD_NUMPY and dotted.count(".") == 1
        ):
            self._read(frame, args, nested=False)

    def _read(self, frame: Frame, args: Args, nested: bool) -> None:
        for value, node in args.pairs():
            _judge_attribute(self.machine, frame, node, node)
            if isinstance(value, (Concrete, Unknown)):
                _judge(self.machine, frame, node, value)
            elif nested:
                for array in buffers(value):
                    _judge(self.machine, frame, node, array)


# -- calls that give something away ------------------------------------------------------------


def observe(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """A compiled function is called."""
    given = machine.counters.donations
    if not (record.donates or given) or not frame.trace.is_host:
        return
    if record.refused or _only_lowers(node):
        return
    # What other modules do with their own arrays is found there, what they do with ours is not.
    passed, is_ours = arguments(record, args), not machine.dynamic.idle
    for one in passed if given and is_ours else ():
        _judge_argument(machine, frame, one)
    if not any(one.given for one in passed):
        return
    if not given:
        machine.checks = machine.checks.plus(WATCH)
    machine.counters.donations += 1
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    callee = callee or function_name(record.func)
    if is_ours:
        _judge_pairs(machine, frame, node, record, passed, callee)
    for one in passed:
        if one.given:
            _give(machine, frame, one, record, callee)


def _only_lowers(node: ir.Expr) -> bool:
    """Whether the function is traced for the arguments, and not run."""
    func = node.func if isinstance(node, ir.Call) else None
    return isinstance(func, ir.Attribute) and func.attr in UNEXECUTED


def _give(machine: Machine, frame: Frame, one: Argument, record: TransformUse, callee: str) -> None:
    gift = Gift(chain_text(one.node), callee, record, len(machine.dynamic.calls))
    parameters.note(machine, frame, one.value, one.node, record)
    if isinstance(one.value, Unknown):
        held = told_apart(frame, one.node, one.value)
        if held is not None:
            typestate.mark(machine, frame, DONATED, held, one.node, gift)
        else:
            held_attributes.give(machine, frame, one.node, one.value, gift)
        return
    held_attributes.give(machine, frame, one.node, one.value, gift)
    if whole_containers.is_undivided(one.value) and whole_containers.is_kept(
        frame, one.node, one.value
    ):
        typestate.mark(machine, frame, DONATED, one.value, one.node, gift, sure=False)
    shared = several(machine, frame)
    own = shared - several(machine, frame, own_object(frame)) if shared else shared
    for array in arrays(one.value):
        known = _marked(machine, frame, array)
        if known is not None and known.is_sure:
            continue
        if id(array) not in shared:
            typestate.mark(machine, frame, DONATED, array, one.node, gift)
        elif id(array) in own:
            within = replace(gift, within=frame.home())
            typestate.mark(machine, frame, DONATED, array, one.node, within)


def handed_on(
    machine: Machine, frame: Frame, node: ir.Expr, func: ir.FunctionDef, args: Args
) -> None:
    """A function was called: what it gives away of its parameters, this call gave away."""
    spent = machine.summaries.spent.get(id(func))
    for (kind, _), mark in () if spent is None else spent.marks.items():
        handed = mark.detail
        if kind != parameters.HANDED or not mark.is_sure:
            continue
        found = parameters.argument(func, args, node, handed)
        if found is not None and _marked(machine, frame, found[0]) is None:
            callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
            one = Argument(*found, True)
            _give(machine, frame, one, handed.record, callee or func.name)


# -- what is used after that -------------------------------------------------------------------


def _judge(machine: Machine, frame: Frame, node: ir.Node, array: Value) -> None:
    mark = _marked(machine, frame, array)
    if mark is not None:
        held = mark.detail.record.captures.values()
        kind: Kind = "twice" if any(value is array for _, value in held) else "use"
        _emit(machine, frame, node, kind, mark.detail, mark.node, _is_possible(mark, array))


def _judge_argument(machine: Machine, frame: Frame, one: Argument) -> None:
    for array in (*buffers(one.value), one.value):
        mark = _marked(machine, frame, array)
        if mark is not None:
            kind = _kind_again(machine, frame, mark, one)
            _emit(machine, frame, one.node, kind, mark.detail, mark.node, _is_possible(mark, array))
            return
    held = held_attributes.given(machine, frame, one.node)
    if held is not None:
        kind = _kind_again(machine, frame, held, one)
        _emit(machine, frame, one.node, kind, held.detail.gift, held.node, True)


def _kind_again(machine: Machine, frame: Frame, mark: typestate.Mark, one: Argument) -> Kind:
    return "loop" if mark.node is one.node and machine.in_loop(frame) else "use"


def _judge_attribute(machine: Machine, frame: Frame, place: ir.Node, node: ir.Node) -> None:
    held = held_attributes.given(machine, frame, place)
    if held is not None:
        _emit(machine, frame, node, "use", held.detail.gift, held.node, True)


def _marked(machine: Machine, frame: Frame, array: Value) -> typestate.Mark | None:
    """The call that an array was given away to, as far as the code of a frame sees it."""
    mark = typestate.marked(machine, DONATED, array)
    return mark if mark is not None and mark.detail.holds(frame) else None


def is_spent(machine: Machine, frame: Frame, owner: Value | None) -> bool:
    """Whether an object was given away whose method is called: what the method reads is gone."""
    if not machine.counters.donations or not isinstance(owner, Instance):
        return False
    return any(_marked(machine, frame, one) for one in (owner, *arrays(owner)))


def _is_possible(mark: typestate.Mark, array: Value) -> bool:
    return isinstance(array, Unknown) or not mark.is_sure


def _judge_pairs(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    passed: list[Argument],
    callee: str,
) -> None:
    """One array that goes to a call twice, at least once for good."""
    shared = several(machine, frame)
    # In one call of a method, its object is one.
    within = several(machine, frame, own_object(frame)) if shared else shared
    first: dict[int, Argument] = {}
    for one in passed:
        for array in arrays(one.value):
            other = first.setdefault(id(array), one)
            twice = other is not one and (one.given or other.given)
            same = chain_text(one.node) and chain_text(one.node) == chain_text(other.node)
            if twice and (same or id(array) not in within):
                gift = Gift(chain_text(one.node), callee, record)
                unsure = not same and id(array) in shared
                unsure |= machine.silences().unsure > 0
                _emit(machine, frame, node, "twice", gift, None, unsure)
                return
    names: dict[str, Argument] = {}
    for one in passed:
        text = one.node.id if isinstance(one.node, ir.Name) else ""
        if text and isinstance(one.value, Unknown):
            other = names.setdefault(text, one)
            if other is not one and (one.given or other.given):
                _emit(machine, frame, node, "twice", Gift(text, callee, record), None, True)


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    kind: Kind,
    gift: Gift,
    given: ir.Node | None,
    possible: bool,
) -> None:
    # What a function hands on to another one that reads it, it does wrong itself.
    within = machine.dynamic.calls[gift.depth :] if kind == "use" else ()
    module, node = within[0] if within else (machine.module, node)
    machine.emit(
        facts.Donated(
            module,
            node,
            frame.name,
            kind=kind,
            target=gift.target,
            callee=gift.callee,
            given=given,
            possible=possible,
        )
    )


def _computed(machine: Machine, frame: Frame, node: ir.Node, operands: list[Value]) -> None:
    if frame.trace.is_host:
        _Watch(machine).operated(frame, node, operands)


def _called(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    if frame.trace.is_host:
        _Watch(machine).called(frame, node, func, args)


def _formatted(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, spec: str, callee: str
) -> None:
    if frame.trace.is_host and callee == "f-string":
        _Watch(machine).shown(frame, node, value)


def _combined(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, ...],
    nodes: tuple[ir.Expr, ...],
) -> None:
    """An operator reads values of which nothing is known."""
    if frame.trace.is_host and not any(map(is_none, values)):
        for value, place in zip(values, nodes, strict=False):
            if isinstance(value, Unknown):
                for held in (value, *whole_containers.around(frame, place)):
                    _judge(machine, frame, node, held)
                _judge_attribute(machine, frame, place, node)


# Listens once something was given away.
WATCH = Check(
    "donated-buffers",
    on_call=_called,
    on_computation=_computed,
    on_operation=_combined,
    on_format=_formatted,
    on_attribute_store=(Typed(held_attributes.stored, (Value,)),),
)
CHECK = Check(
    "use-after-donation",
    on_compiled_call=observe,
)

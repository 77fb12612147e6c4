"""Methods of lists, tuples, sets and deques."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    BOOL,
    INT,
    NONE,
    Sequence,
    Static,
    Unknown,
    Value,
    as_traced,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.changes import grow
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.syntax import ir

_SET_RESULTS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
_SET_UPDATES = frozenset(
    {"intersection_update", "difference_update", "symmetric_difference_update"}
)
_SET_TESTS = frozenset({"issubset", "issuperset", "isdisjoint"})


def element_of(owner: Sequence) -> Value:
    """What any element may be."""
    if not owner.items and owner.element is None:
        return Unknown("element of an empty sequence")
    return join_all([*(owner.items or []), *([owner.element] if owner.element else [])])


def loosen(owner: Sequence) -> None:
    """Forgets which elements there are and in which order."""
    owner.items, owner.element = None, element_of(owner) if owner.items or owner.element else None
    owner.holds = None


def call_method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Sequence, name: str, args: Args
) -> Value:
    """The result of `owner.name(*args)`."""
    first = args.get(0, "")
    if name in ("append", "add", "appendleft") and first is not None:
        _push(frame, owner, first, front=name == "appendleft")
        return NONE
    if name in ("extend", "extendleft", "update") and first is not None:
        inner, items, _ = iterate(machine, frame, args.node(0, "", node), first, name)
        if name == "extendleft" and items is not None:
            items = None
        grow(frame, owner, items if items is not None else [inner])
        if name == "extendleft" or (items is None and owner.items is not None):
            loosen(owner)
        return NONE
    if name == "insert" and len(args.positional) == 2:
        demand(machine, frame, args.nodes[0], args.positional[0], "subscript", container=owner.kind)
        _insert(frame, owner, args.positional[0], args.positional[1])
        return NONE
    if name in ("pop", "popleft"):
        if first is not None:
            demand(machine, frame, args.node(0, "", node), first, "subscript", container=owner.kind)
        return _pop(frame, owner, Static(0) if name == "popleft" else first)
    if name in ("index", "count", "remove") and first is not None and owner.kind != "set":
        return _find(machine, frame, node, owner, name, args)
    if name == "sort":
        return _sort(machine, frame, node, owner, args)
    if name == "_replace":
        known = [*(owner.items or []), *args.values()]
        element = join_all(known if owner.element is None else [*known, owner.element])
        return Sequence("tuple", None, frame.trace, element, frame.path)
    return _plain(machine, frame, owner, name)


def _plain(machine: Machine, frame: Frame, owner: Sequence, name: str) -> Value:
    if name == "copy":
        items = None if owner.items is None else list(owner.items)
        return Sequence(owner.kind, items, frame.trace, owner.element, frame.path)
    if name == "clear" and frame.is_straight(owner):
        owner.items, owner.element, owner.holds = [], None, None
        return NONE
    if name in ("reverse", "rotate") and owner.items is not None and frame.is_straight(owner):
        if name == "reverse":
            owner.items = owner.items[::-1]
        else:
            loosen(owner)
        return NONE
    if name in ("clear", "reverse", "rotate", "discard", "remove") or name in _SET_UPDATES:
        loosen(owner)
        return NONE
    if name in _SET_RESULTS:
        return Sequence("set", None, frame.trace, element_of(owner))
    if name in _SET_TESTS:
        return BOOL
    if name in ("index", "count"):
        return INT
    return machine.unknown("method of a sequence")


def _push(frame: Frame, owner: Sequence, value: Value, front: bool) -> None:
    if front and owner.items is not None and frame.is_straight(owner):
        owner.items = [value, *owner.items]
        return
    if owner.kind == "set" and owner.items is not None:
        loosen(owner)
    grow(frame, owner, [value])
    if front:
        loosen(owner)


def _insert(frame: Frame, owner: Sequence, index: Value, value: Value) -> None:
    at = index.const if isinstance(index, Static) else None
    if owner.items is not None and isinstance(at, int) and frame.is_straight(owner):
        held = list(owner.items)
        held.insert(min(max(at, -len(held)), len(held)), value)
        owner.items = held
        return
    grow(frame, owner, [value])
    loosen(owner)


def _pop(frame: Frame, owner: Sequence, index: Value | None) -> Value:
    element = element_of(owner)
    at = -1 if index is None else index.const if isinstance(index, Static) else None
    if owner.kind != "set" and isinstance(at, int) and owner.items and frame.is_straight(owner):
        held = list(owner.items)
        if -len(held) <= at < len(held):
            taken = held.pop(at)
            owner.items = held
            return taken
    owner.items, owner.element, owner.holds = None, element, None
    return element


def _find(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Sequence, name: str, args: Args
) -> Value:
    first = args.positional[0]
    if as_traced(first) is not None and (owner.items or owner.element):
        demand(machine, frame, args.node(0, "", node), first, "in", name)
    known = [i.const for i in owner.items or [] if isinstance(i, Static) and i.known]
    exact = owner.items is not None and len(known) == len(owner.items)
    if name != "remove":
        if exact and name == "count" and isinstance(first, Static) and first.known:
            return Static(known.count(first.const))
        return INT
    told = exact and isinstance(first, Static) and first.known and first.const in known
    if told and isinstance(first, Static) and frame.is_straight(owner):
        _pop(frame, owner, Static(known.index(first.const)))
    else:
        loosen(owner)
    return NONE


def _sort(machine: Machine, frame: Frame, node: ir.Expr, owner: Sequence, args: Args) -> Value:
    element = element_of(owner)
    several = owner.items is None or len(owner.items) > 1
    if several and "key" not in args.keywords and as_traced(element) is not None:
        demand(machine, frame, node, element, "order", "sort", "list.sort")
    items = sorted_constants(owner.items, args) if frame.is_straight(owner) else None
    if items is not None:
        owner.items = items
    else:
        loosen(owner)
    return NONE


def sorted_constants(items: list[Value] | None, args: Args) -> list[Value] | None:
    """Known constants in order, None where the order is not known."""
    if items is None or args.more is not None:
        return None
    known = [i for i in items if isinstance(i, Static) and i.known]
    down = args.keywords.get("reverse")
    if len(known) < len(items) or "key" in args.keywords:
        return None
    if down is not None and not (isinstance(down, Static) and down.known):
        return None
    try:
        ordered = sorted(known, key=lambda v: v.const)
    except TypeError:
        return None
    return list(reversed(ordered)) if down is not None and down.const else list(ordered)

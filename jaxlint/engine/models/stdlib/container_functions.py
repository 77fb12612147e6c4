"""Builtin functions that make containers, and that ask for their length."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import surely_held
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    STATIC,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.inference.extents import length_of
from jaxlint.engine.inference.lengths import numbers_of, range_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.changes import put
from jaxlint.engine.operations.containers.dicts import overridden
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.syntax import ir


def len_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "obj")
    if isinstance(value, Sequence) and value.items is not None:
        return Static(len(value.items))
    if isinstance(value, Mapping) and not value.open and value.element is None:
        return Static(len(value.items))
    if value is not None:
        if isinstance(value, Static) and isinstance(value.const, (str, bytes)):
            return Static(len(value.const))
        if isinstance(value, Instance) and "typing.NamedTuple" in value.cls.externals():
            return Static(len(value.cls.fields))
        made = dunder.method(machine, frame, node, value, "__len__")
        return length_of(machine, value) if made is None else made
    return INT


def range_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    any(demand(machine, frame, at, v, "count", "range", "builtins.range") for v, at in args.pairs())
    consts = [v.const for v in args.positional if isinstance(v, Static) and v.known]
    if len(consts) == len(args.positional) and all(isinstance(c, int) for c in consts):
        try:
            known = range(*consts)
        except (TypeError, ValueError):
            return Static(kind="range")
        if not known[8:]:
            return Sequence("range", [Static(i) for i in known], frame.trace)
    return range_of(machine, frame, args)


def to_sequence(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    kind = {"frozenset": "set"}.get(name, name)
    if not args.positional:
        made = Sequence(kind, [], frame.trace, None, frame.path, node)
        made.local = frame.home().kind == "function"
        return made
    place = args.node(0, "", node)
    element, items, _ = iterate(machine, frame, place, args.positional[0], name)
    if isinstance(args.positional[0], Unknown):
        return machine.unknown("sequence of unknown elements")
    for one in (items or [element]) if kind == "set" else ():
        for heard in machine.checks.hash:
            heard(machine, frame, place, one, "element")
    items = items or numbers_of(args.positional[0])
    copied = None if items is None or kind == "set" else list(items)
    rest = None if copied is not None else element
    made = Sequence(kind, copied, frame.trace, rest, frame.path, node)
    made.holds = None if rest is None else surely_held(args.positional)
    return made


def dict_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    result = Mapping({}, frame.trace, path=frame.path, made=node)
    for value in args.positional:
        if isinstance(value, Mapping):
            result.items.update(value.items)
            result.element, result.open = value.element, value.open
        elif isinstance(value, Traced) and not value.leaf:
            result.open, result.element = True, value
        else:
            element, items, _ = iterate(machine, frame, args.node(0, "", node), value, "for")
            pairs = [i.items for i in items or [] if isinstance(i, Sequence) and i.items]
            if items is not None and len(pairs) == len(items) and all(len(p) == 2 for p in pairs):
                for known, inner in pairs:
                    put(machine, frame, result, known, inner)
                continue
            pair = element.items if isinstance(element, Sequence) else None
            second = pair[1] if pair is not None and len(pair) == 2 else None
            result.open, result.element = True, second or machine.unknown("dict of pairs")
    if args.more is not None:
        overridden(machine, result, machine.unknown("unpacked mapping"))
        result.open = True
    result.items.update(args.keywords)
    return result


def slice_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """A slice is a tuple of its bounds, of kind "slice", as in a subscript."""
    bounds = args.positional
    if not 1 <= len(bounds) <= 3 or args.rest is not None:
        return STATIC
    start, stop, step = [NONE, bounds[0], NONE] if len(bounds) == 1 else [*bounds, NONE][:3]
    return Sequence("slice", [start, stop, step], frame.trace)

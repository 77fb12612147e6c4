"""Builtin functions that iterate: `zip`, `enumerate`, `map`, `filter`, `next`, `sum` and kin."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import anonymous
from jaxlint.engine.domain.pytrees import dtype_of, is_number
from jaxlint.engine.domain.values import (
    INT,
    STATIC,
    Concrete,
    Iterator,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    join_all,
    options,
)
from jaxlint.engine.evaluation.alternatives import each
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.arithmetic import binary
from jaxlint.engine.operations.conditions.truth import truth_of
from jaxlint.engine.operations.containers.iteration import advance, iterate
from jaxlint.syntax import ir

# Elements that `map` and `filter` call their function for one by one.
MOST_CALLS = 8
# Terms that `sum` adds up one by one.
MOST_TERMS = 16


def zip_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    alike = all(isinstance(v, (Traced, Concrete)) for v in args.positional)
    parts = [
        iterate(machine, frame, n, v, "zip" if alike else "aside")
        for v, n in zip(args.positional, args.nodes, strict=False)
    ]
    if args.rest is not None or not parts:
        return Iterator(machine.unknown("zip"), frame.trace, source="zip", made=node)
    element = Sequence("tuple", [p[0] for p in parts], frame.trace)
    lengths = [len(p[1]) for p in parts if p[1] is not None]
    items: list[Value] | None = None
    if len(lengths) == len(parts) and min(lengths) <= 16:
        items = [
            Sequence("tuple", [p[1][i] for p in parts if p[1] is not None], frame.trace)
            for i in range(min(lengths))
        ]
    return Iterator(element, frame.trace, items, "zip", node)


def enumerate_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return machine.unknown("enumerate")
    element, items, _ = iterate(machine, frame, args.node(0, "iterable", node), value, "enumerate")
    pair = Sequence("tuple", [INT, element], frame.trace)
    known: list[Value] | None = None
    start = args.get(1, "start") or Static(0)
    begin = start.const if isinstance(start, Static) else None
    if items is not None and len(items) <= 16 and isinstance(begin, int):
        known = [Sequence("tuple", [Static(i), v], frame.trace) for i, v in enumerate(items, begin)]
    return Iterator(pair, frame.trace, known, "enumerate", node)


def map_filter(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown(name)
    parts = [
        iterate(machine, frame, n, v, name)
        for v, n in zip(args.positional[1:], args.nodes[1:], strict=False)
    ]
    func = args.positional[0]
    inner = Args([p[0] for p in parts], nodes=args.nodes[1:])
    if name == "filter":
        kept = _kept(machine, frame, node, func, parts[0][1], args.nodes)
        if kept is not None:
            return Iterator(join_all(kept), frame.trace, kept, name, node)
        if isinstance(func, Static) and func.const is None:
            truth_of(machine, frame, args.nodes[1], parts[0][0], "filter", name)
        else:
            answer = machine.call(frame, node, func, inner)
            truth_of(machine, frame, args.nodes[0], answer, "filter", name)
        return Iterator(parts[0][0], frame.trace, None, name, node)
    rows = [p[1] for p in parts if p[1] is not None]
    if len(rows) == len(parts) and min(map(len, rows)) <= MOST_CALLS:
        known = [
            machine.call(frame, node, func, Args(list(row), nodes=args.nodes[1:]))
            for row in zip(*rows, strict=False)
        ]
        return Iterator(join_all(known), frame.trace, known, name, node)
    staged = machine.tally.staged
    made = machine.call(frame, node, func, inner)
    if len(parts) == 1:
        for heard in machine.checks.repetition:
            heard(machine, frame, args.nodes[1], args.positional[1], staged)
    return Iterator(anonymous(made), frame.trace, None, name, node)


def _kept(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: Value,
    items: list[Value] | None,
    nodes: list[ir.Expr],
) -> list[Value] | None:
    """The elements that `filter` keeps, None where that is not known of each."""
    if items is None or len(items) > MOST_CALLS:
        return None
    kept: list[Value] = []
    for item in items:
        answer = item
        if not (isinstance(func, Static) and func.const is None):
            answer = machine.call(frame, node, func, Args([item], nodes=nodes[1:]))
        truth = truth_of(machine, frame, nodes[0], answer, "filter", "filter")
        if truth is None:
            return None
        if truth:
            kept.append(item)
    return kept


def reversed_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if not args.positional:
        return machine.unknown(name)
    value = args.positional[0]
    element, items, _ = iterate(machine, frame, args.node(0, "", node), value, name)
    known = None if items is None or name == "iter" else list(reversed(items))
    made = Iterator(element, frame.trace, items if name == "iter" else known, name, node)
    made.path = frame.path
    return made


def next_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("next")
    value = args.positional[0]
    if isinstance(value, Iterator):
        advance(machine, frame, args.node(0, "", node), value, "next")
        default = args.get(1, "")
        fresh = not isinstance(args.node(0, "", node), (ir.Name, ir.Attribute))
        if value.items is not None and (fresh or frame.is_straight(value)):
            if value.items:
                first, *value.items = value.items
                return first
            return default or machine.unknown("end of an iterator")
        return value.element if default is None else join_all([value.element, default])
    return machine.unknown("next of an unknown iterator")


_PLAIN = (NumPy, Static)


def sum_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return machine.unknown("sum")
    if isinstance(value, Union):
        given = [
            Args([o, *args.positional[1:]], args.keywords, nodes=args.nodes) for o in value.options
        ]
        return join_all(each(machine, given, lambda one: sum_(machine, frame, node, name, one)))
    place = args.node(0, "iterable", node)
    element, items, certain = iterate(machine, frame, place, value, "sum")
    start = args.get(1, "start")
    if items is not None and len(items) <= MOST_TERMS:
        return _added(machine, frame, node, items, Static(0) if start is None else start)
    if isinstance(start, Sequence):
        return _joined(machine, frame, node, element, start)
    term = element
    if start is not None:
        element = join_all([element, start])
    if isinstance(element, Union) and all(isinstance(o, _PLAIN) for o in element.options):
        return element
    if isinstance(element, (Traced, Concrete, Union)):
        if isinstance(element, Traced) and not element.leaf:
            return machine.unknown("sum over a pytree parameter")
        start = Static(0) if start is None else start
        total = _added(machine, frame, node, [term], start)
        return total if certain else join_all([total, start])
    if is_number(element):
        return Static(kind=dtype_of(element))
    if isinstance(element, Static):
        return STATIC
    return element if isinstance(element, (NumPy, Unknown)) else machine.unknown("sum")


def _joined(
    machine: Machine, frame: Frame, node: ir.Expr, element: Value, start: Sequence
) -> Value:
    """The sum of tuples or lists: one that holds what they hold."""
    parts = [one for one in options(element) if isinstance(one, Sequence)]
    if len(parts) < len(options(element)):
        return machine.unknown("sum of sequences")
    held = [one for part in (start, *parts) for one in part.items or ()]
    held += [part.element for part in (start, *parts) if part.element is not None]
    inner = join_all(held) if held else None
    return Sequence(start.kind, None, frame.trace, inner, frame.path, node)


def _added(
    machine: Machine, frame: Frame, node: ir.Expr, items: list[Value], start: Value
) -> Value:
    """The sum of known terms, one after the other."""
    total = start
    for item in items:
        total = binary(machine, frame, node, "+", total, item, node, node)
    return total

"""Builtin functions that compare the elements of an iterable, or ask each for its truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.dataflow.names import free_in
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced, surely_held
from jaxlint.engine.domain.values import (
    BOOL,
    STATIC,
    Sequence,
    Static,
    Value,
    as_traced,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.truth import truth_of
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.containers.lists import sorted_constants
from jaxlint.engine.relations.tracer_tests import either, every, over
from jaxlint.syntax import ir

# How many elements a key function is called for one by one.
MOST_KEYS = 8


_EXTREMES: dict[str, Callable[..., Any]] = {"max": max, "min": min}


def order(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`min` and `max`: comparing two operands, or the elements of one, asks for truth."""
    keyed = "key" in args.keywords
    if len(args.positional) > 1:
        if not keyed:
            for value, place in zip(args.positional, args.nodes, strict=False):
                if demand(machine, frame, place, value, "order", name, f"builtins.{name}"):
                    return join_all(args.positional)
        known = [v.const for v in args.positional if isinstance(v, Static) and v.known]
        if len(known) == len(args.positional) and not keyed and name in _EXTREMES:
            try:
                return Static(_EXTREMES[name](*known))
            except (TypeError, ValueError):
                return STATIC
        return join_all(args.positional)
    if not args.positional:
        return machine.unknown("order")
    return _order_elements(machine, frame, node, name, args, keyed)


def _order_elements(
    machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args, keyed: bool
) -> Value:
    place = args.node(0, "", node)
    element, items, certain = iterate(machine, frame, place, args.positional[0], name)
    default = args.keywords.get("default")
    if default is not None and not (certain and items):
        element = default if items is not None else join_all([element, default])
    asked = False
    if items is None or len(items) > 1:
        asked = _compare_elements(machine, frame, node, name, args, element, items)
    if name == "sorted":
        return _sorted(frame, args, element, items, asked)
    ordered = None if keyed else sorted_constants(items, args)
    if ordered:
        return ordered[0 if name == "min" else -1]
    return element


def _compare_elements(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    name: str,
    args: Args,
    element: Value,
    items: list[Value] | None,
) -> bool:
    """Whether a comparison of several elements, or of their keys, asks a tracer for its truth."""
    place = args.node(0, "", node)
    compared = element
    ranked = items
    if "key" in args.keywords:
        key = args.keywords["key"]
        each = items if items is not None and len(items) <= MOST_KEYS else [element]
        ranked = [machine.call(frame, node, key, Args([one], nodes=[place])) for one in each]
        place = args.keyword_nodes.get("key", place)
        compared = join_all(ranked)
    if ranked is not None:
        # Each of several is compared with another one.
        compared = next((one for one in ranked if as_traced(one) is not None), compared)
    held = as_traced(args.positional[0])
    kind = "array" if held is not None and held.leaf else ""
    return demand(machine, frame, place, compared, "order", name, f"builtins.{name}", kind)


def _sorted(
    frame: Frame, args: Args, element: Value, items: list[Value] | None, asked: bool
) -> Sequence:
    """The list that `sorted` gives."""
    fixed = items is not None and not asked and all(isinstance(i, Static) for i in items)
    known = sorted_constants(items, args) or (items if fixed else None)
    made = Sequence("list", known, frame.trace, None if known else element, frame.path)
    made.holds = None if known else surely_held(args.positional)
    return made


def any_all(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return BOOL
    place = args.node(0, "iterable", node)
    element, items, _ = iterate(machine, frame, place, value, name)
    containers = _containers(frame, place)
    if isinstance(place, ir.Comprehension):
        place = place.element
    stop = name == "any"
    result: bool | None = not stop
    guarded = False
    for item in items if items is not None else [element]:
        asked_for = machine.counters.demands
        # Behind an element of unknown truth that is static, the iteration may have ended.
        with machine.quiet(guarded and not frame.trace.is_host):
            answer = truth_of(machine, frame, place, item, "filter", name)
        if answer is stop and items is not None:
            return Static(stop)
        if answer is None or items is None:
            result = None
            guarded |= machine.counters.demands == asked_for
    if result is not None:
        return Static(result)
    asked = (either if stop else every)(items) if items is not None else None
    first = items[0] if items else element
    return over(containers, first, stop, asked) or asked or BOOL


def _containers(frame: Frame, place: ir.Expr) -> list[Value]:
    """The values with tracers that an iteration is over: `map(f, xs)`, `g(x) for x in xs`."""
    if isinstance(place, ir.Comprehension):
        names = free_in(place.clauses[0].iter)
    else:
        names = free_in(place)
    found = [frame.env[name] for name in sorted(names) if name in frame.env]
    return [value for value in found if finds_traced(value) is not None]

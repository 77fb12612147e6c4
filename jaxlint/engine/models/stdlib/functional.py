"""Functions over functions and iterables: `itertools`, `functools.reduce`."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.eager.unrolling import repeated
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import surely_held
from jaxlint.engine.domain.values import (
    INT,
    MOST_ELEMENTS,
    NONE,
    STATIC,
    Iterator,
    Sequence,
    Static,
    Value,
    as_traced,
    is_none,
    join,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.arithmetic import binary
from jaxlint.engine.operations.conditions.truth import truth_of
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
# Elements that are followed one by one, and results that are kept apart.
MOST_CALLS = 8
MOST_ITEMS = 16


def _rows(
    machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args
) -> tuple[list[Value], list[list[Value]] | None]:
    """What each positional argument gives, and all of it where that is known."""
    parts = [
        iterate(machine, frame, args.node(at, "", node), value, name)
        for at, value in enumerate(args.positional)
    ]
    rows = [p[1] for p in parts if p[1] is not None]
    return [p[0] for p in parts], rows if len(rows) == len(parts) and args.rest is None else None


def _made(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    name: str,
    known: Iterable[Value] | None,
    element: Value | None = None,
) -> Iterator:
    items = None if known is None else list(itertools.islice(known, MOST_ITEMS + 1))
    if items is not None and (len(items) <= MOST_ITEMS or element is None):
        joined = join_all(items) if items else STATIC
        exact = items if len(items) <= MOST_ITEMS else None
        made = Iterator(joined if element is None else element, frame.trace, exact, name, node)
    else:
        rest = element if element is not None else machine.unknown(name)
        made = Iterator(rest, frame.trace, None, name, node)
    made.path = frame.path
    return made


def _tuple(frame: Frame, items: Iterable[Value]) -> Sequence:
    return Sequence("tuple", list(items), frame.trace)


def _number(value: Value | None, most: int = MOST_ELEMENTS) -> int | None:
    """A number of elements, None where that is not known or too large to be followed."""
    const = value.const if isinstance(value, Static) else None
    return const if isinstance(const, int) and 0 <= const <= most else None


def _chain(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "chain", args)
    if args.rest is not None:
        elements.append(iterate(machine, frame, node, args.rest, "chain")[0])
    known = None if rows is None else itertools.chain(*rows)
    made = _made(machine, frame, node, "chain", known, join_all(elements) if elements else None)
    traced = filter(None, map(as_traced, elements))
    made.holds = surely_held(args.positional) or next(traced, None)
    return made


def _chain_from(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "chain", args)
    if rows:
        inside = Args(rows[0], nodes=[args.node(0, "", node)] * len(rows[0]))
        return _chain(machine, frame, node, inside)
    inner = iterate(machine, frame, node, elements[0], "chain")[0] if elements else None
    return _made(machine, frame, node, "chain", None, inner)


_CHOICES: dict[str, Callable[[list[Value], int | None], Iterable[tuple[Value, ...]]]] = {
    "batched": lambda items, n: (
        tuple(items[i : i + (n or 1)]) for i in range(0, len(items), n or 1)
    ),
    "combinations": lambda items, n: itertools.combinations(items, n or 0),
    "combinations_with_replacement": lambda items, n: itertools.combinations_with_replacement(
        items, n or 0
    ),
    "pairwise": lambda items, n: itertools.pairwise(items),
    "permutations": itertools.permutations,
}


def _choices(name: str) -> Handler:
    """Functions that give tuples of the elements of one iterable."""

    def handler(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        if not args.positional:
            return machine.unknown(name)
        count = args.get(1, "r") or args.get(1, "n")
        if count is not None:
            demand(machine, frame, args.node(1, "r", node), count, "count", name)
        element, items, _ = iterate(
            machine, frame, args.node(0, "", node), args.positional[0], name
        )
        number = _number(count)
        if items is not None and len(items) <= MOST_CALLS and (count is None or number is not None):
            found = _CHOICES[name](items, number)
            return _made(machine, frame, node, name, (_tuple(frame, row) for row in found))
        size = 2 if name == "pairwise" else number
        one = Sequence("tuple", None, frame.trace, element)
        if size is not None and name != "batched":
            one = _tuple(frame, [element] * size)
        return _made(machine, frame, node, name, None, one)

    return handler


def _product(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "product", args)
    times = _number(args.keywords.get("repeat", Static(1)))
    if args.rest is not None or times is None:
        return _made(machine, frame, node, "product", None)
    element = _tuple(frame, elements * times)
    if rows is None or len(rows) * times > MOST_CALLS:
        return _made(machine, frame, node, "product", None, element)
    found = (_tuple(frame, row) for row in itertools.product(*rows, repeat=times))
    return _made(machine, frame, node, "product", found, element)


def _zip_longest(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "zip_longest", args)
    fill = args.keywords.get("fillvalue", NONE)
    element = _tuple(frame, [join(e, fill) for e in elements])
    found = None
    if rows is not None:
        found = (_tuple(frame, row) for row in itertools.zip_longest(*rows, fillvalue=fill))
    return _made(machine, frame, node, "zip_longest", found, element)


def _islice(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown("islice")
    for value, place in list(args.pairs())[1:]:
        if demand(machine, frame, place, value, "count", "islice", "itertools.islice"):
            break
    element, items, _ = iterate(
        machine, frame, args.node(0, "", node), args.positional[0], "islice"
    )
    bounds = [_number(b, sys.maxsize) for b in args.positional[1:]]
    plain = bounds.count(None) == sum(map(is_none, args.positional[1:]))
    known = None
    if items is not None and plain:
        # Python refuses a step of zero, and more than three bounds.
        with suppress(TypeError, ValueError):
            known = itertools.islice(items, *bounds)
    return _made(machine, frame, node, "islice", known, element)


def _repeat(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    times = args.get(1, "times")
    value = args.get(0, "object") or machine.unknown("repeat")
    if times is None:
        return Iterator(value, frame.trace, None, "view", node)  # It has no end and no state.
    demand(machine, frame, args.node(1, "times", node), times, "count", "repeat")
    number = _number(times)
    known = None if number is None else itertools.repeat(value, number)
    return _made(machine, frame, node, "repeat", known, value)


def _count(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    numbers = [v for v in args.values() if not isinstance(v, Static)]
    return Iterator(join_all(numbers) if numbers else INT, frame.trace, None, "count", node)


def _cycle(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, _ = _rows(machine, frame, node, "cycle", args)
    return _made(machine, frame, node, "cycle", None, elements[0] if elements else None)


def _tee(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "tee", Args(args.positional[:1], nodes=args.nodes))
    number = _number(args.get(1, "n") or Static(2))
    known = rows[0] if rows else None
    element = elements[0] if elements else None
    copies = [
        _made(machine, frame, node, "tee", known, element) for _ in range(min(number or 2, 8))
    ]
    return _tuple(frame, copies)


def _compress(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, rows = _rows(machine, frame, node, "compress", args)
    if rows is None or len(rows) != 2:
        return _made(machine, frame, node, "compress", None, elements[0] if elements else None)
    kept = []
    for item, flag in zip(*rows, strict=False):
        answer = truth_of(machine, frame, args.node(1, "", node), flag, "filter", "compress")
        if answer is None:
            return _made(machine, frame, node, "compress", None, elements[0])
        if answer:
            kept.append(item)
    return _made(machine, frame, node, "compress", kept, elements[0])


def _group_by(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    elements, _ = _rows(
        machine, frame, node, "groupby", Args(args.positional[:1], nodes=args.nodes)
    )
    element = elements[0] if elements else machine.unknown("groupby")
    func, place = args.get(1, "key"), [args.node(0, "", node)]
    key = element
    if func is not None and not is_none(func):
        key = machine.call(frame, node, func, Args([element], nodes=place))
    group = Iterator(element, frame.trace, None, "groupby", node)
    return _made(machine, frame, node, "groupby", None, _tuple(frame, [key, group]))


def _selected(name: str) -> Handler:
    """`takewhile`, `dropwhile` and `filterfalse`: a function decides on each element."""

    def handler(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        if len(args.positional) < 2:
            return machine.unknown(name)
        func, value = args.positional[:2]
        element, items, _ = iterate(machine, frame, args.node(1, "", node), value, name)
        followed = items is not None and len(items) <= MOST_CALLS
        answers: list[bool | None] = []
        for item in items if items is not None and followed else [element]:
            made = item
            if not is_none(func):
                made = machine.call(frame, node, func, Args([item], nodes=args.nodes[1:]))
            place = args.node(0, "", node)
            answers.append(truth_of(machine, frame, place, made, "filter", name))
        if items is None or not followed or None in answers:
            return _made(machine, frame, node, name, None, element)
        flagged = list(zip(items, answers, strict=True))
        if name == "filterfalse":
            kept = [item for item, answer in flagged if not answer]
        elif name == "takewhile":
            kept = [i for i, _ in itertools.takewhile(lambda pair: bool(pair[1]), flagged)]
        else:
            kept = [i for i, _ in itertools.dropwhile(lambda pair: bool(pair[1]), flagged)]
        return _made(machine, frame, node, name, kept, element)

    return handler


def _starmap(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown("starmap")
    func = args.positional[0]
    place = args.node(1, "", node)
    element, items, _ = iterate(machine, frame, place, args.positional[1], "starmap")

    def apply(row: Value) -> Value:
        inner, parts, _ = iterate(machine, frame, place, row, "unpacking")
        if parts is None:
            return machine.call(frame, node, func, Args(rest=inner))
        return machine.call(frame, node, func, Args(parts, nodes=[place] * len(parts)))

    if items is not None and len(items) <= MOST_CALLS:
        return _made(machine, frame, node, "starmap", [apply(row) for row in items])
    return _made(machine, frame, node, "starmap", None, apply(element))


def _folded(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: Value | None,
    items: list[Value],
    place: ir.Expr,
) -> list[Value]:
    """Every state of a fold over known elements."""
    states = items[:1]
    for item in items[1:]:
        if func is None or is_none(func):
            states.append(binary(machine, frame, node, "+", states[-1], item, place, place))
        else:
            both = Args([states[-1], item], nodes=[place, place])
            states.append(machine.call(frame, node, func, both))
    return states


def _fold(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    name: str,
    args: Args,
    at: int,
    start: Value | None,
) -> list[Value] | tuple[Value]:
    """The states of a fold one by one; one for all where the elements are not known."""
    func = args.get(1 - at, "func" if at == 0 else "")
    place = args.node(at, "", node)
    element, items, _ = iterate(machine, frame, place, args.positional[at], name)
    first = [] if start is None or (is_none(start) and name == "accumulate") else [start]
    if items is not None and len(items) <= MOST_CALLS:
        return _folded(machine, frame, node, func, [*first, *items], place)
    state, staged = first[0] if first else element, machine.tally.staged
    for _ in range(2):  # What the first round changes, the second sees.
        state = join(state, _folded(machine, frame, node, func, [state, element], place)[-1])
    repeated(machine, frame, place, args.positional[at], staged)
    return (state,)


def _accumulate(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("accumulate")
    start = args.keywords.get("initial")
    states = _fold(machine, frame, node, "accumulate", args, 0, start)
    known = states if isinstance(states, list) else None
    return _made(
        machine, frame, node, "accumulate", known, join_all(list(states)) if states else None
    )


def _reduce(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown("reduce")
    states = _fold(machine, frame, node, "reduce", args, 1, args.get(2, "initial"))
    return states[-1] if states else machine.unknown("reduce of nothing")


def _bisect(name: str) -> Handler:
    def handler(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        value = args.get(1, "x")
        if value is not None and "key" not in args.keywords:
            demand(machine, frame, args.node(1, "x", node), value, "order", name, f"bisect.{name}")
        return INT

    return handler


def _run(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`asyncio.run(coroutine)`."""
    value = args.get(0, "main")
    coroutine = isinstance(value, Iterator) and value.source == "coroutine"
    return value.element if isinstance(value, Iterator) and coroutine else machine.unknown("run")


def _prod(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("prod")
    place = args.node(0, "", node)
    element, items, _ = iterate(machine, frame, place, args.positional[0], "prod")
    total = args.keywords.get("start") or Static(1)
    terms = items if items is not None and len(items) <= MOST_CALLS else [element]
    for term in terms:
        total = binary(machine, frame, node, "*", total, term, place, place)
    if terms is not items and isinstance(total, Static):
        return Static(kind=total.kind)
    return total


TABLE: dict[str, Handler] = {
    "itertools.accumulate": _accumulate,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_from,
    "itertools.compress": _compress,
    "itertools.count": _count,
    "itertools.cycle": _cycle,
    "itertools.groupby": _group_by,
    "itertools.islice": _islice,
    "itertools.product": _product,
    "itertools.repeat": _repeat,
    "itertools.starmap": _starmap,
    "itertools.tee": _tee,
    "itertools.zip_longest": _zip_longest,
    **{f"itertools.{name}": _choices(name) for name in _CHOICES},
    **{f"itertools.{name}": _selected(name) for name in ("dropwhile", "filterfalse", "takewhile")},
    "functools.reduce": _reduce,
    "math.prod": _prod,
    "asyncio.run": _run,
    **{f"bisect.{name}": _bisect(name) for name in ("bisect", "bisect_left", "bisect_right")},
}

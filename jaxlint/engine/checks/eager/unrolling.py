"""Python loops that traced code repeats operation by operation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.eager import loops
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.values import Concrete, Traced, Value
from jaxlint.engine.inference.lengths import FEWEST, leading, looped
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.loop_events import Turns
from jaxlint.syntax import ir

# So many names may be unpacked from an array.
MOST_NAMES = 8


def begun(
    machine: Machine,
    loop: Loop,
    targets: Iterable[str],
    node: ir.Expr,
    iterable: Value | None,
    body: Any,
) -> None:
    """A loop over `iterable` (`node`) begins, or one that `node` tests."""
    before = machine.tally.now()
    loop.watched = Turns(node, iterable, frozenset(targets), body, before)


def finished(machine: Machine, frame: Frame, loop: Loop | None) -> None:
    """A loop has run."""
    turns = None if loop is None else loop.watched
    if loop is None or turns is None:
        return
    if frame.trace.is_host:
        loops.finished(machine, frame, loop, turns)
    elif frame.trace.staged and machine.tally.staged != turns.before.staged:
        if isinstance(turns.iterable, Traced):
            # `for w, b in params` takes layers, unless it is known to take rows.
            if len(turns.names) == 1 or leading(turns.iterable) is not None:
                _slice(machine, frame, turns.place, turns.iterable, "for")
        elif turns.iterable is not None and not loop.breaks:
            steady = frozenset(it for it in loop.names if _is_steady(frame, turns, it))
            _unrolled(machine, frame, turns.place, turns.iterable, loop.comprehension, steady)


def repeated(machine: Machine, frame: Frame, node: ir.Expr, iterable: Value, before: int) -> None:
    """A function was called for each element, with `before` operations staged until then."""
    if frame.trace.staged and machine.tally.staged != before:
        _unrolled(machine, frame, node, iterable, False)


def _is_steady(frame: Frame, turns: Turns, name: str) -> bool:
    """Whether a name holds an array of one rank and dtype before a loop and now, as far as these
    are known."""
    before, after = turns.held.get(name), frame.env.get(name)
    if not isinstance(before, Traced) or not isinstance(after, Traced):
        return False
    if before.rank != after.rank and None not in (before.rank, after.rank):
        return False
    # A weak dtype gives way to that of the result.
    one, other = dtype_of(before), dtype_of(after)
    return before.weak or one == other or not (one and other)


def _unrolled(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    iterable: Value,
    comprehension: bool,
    steady: frozenset[str] = frozenset(),
) -> None:
    # Loops in kernels are unrolled on purpose.
    if machine.dynamic.compile_time or machine.dynamic.watch is not None:
        return
    found = looped(machine, frame, place, iterable)
    if found is None or (found.count is not None and found.count < FEWEST):
        return
    if found.count is None and (machine.dynamic.supposed or not found.extent):
        return
    machine.emit(
        facts.Unrolled(
            machine.module,
            place,
            frame.name,
            frame.trace.entry,
            count=found.count,
            comprehension=comprehension,
            steady=steady,
        )
    )


def sliced(
    machine: Machine, frame: Frame, node: ir.Expr, array: Traced | Concrete, how: str
) -> None:
    """An array is iterated over, by a loop (`how` is "for") or otherwise."""
    if how in _OTHERWISE or (how == "unpacking" and _is_short(node)):
        return
    _slice(machine, frame, node, array, how)


def _slice(machine: Machine, frame: Frame, node: ir.Expr, array: Value, how: str) -> None:
    if not isinstance(array, Traced) or not frame.trace.staged or array.kind != "abstract":
        return
    if machine.dynamic.supposed or array.rank == 0:
        return
    count = leading(array)
    if (count is None and not array.leaf) or (count is not None and count < FEWEST):
        return
    trail = array.trail
    if count is None and isinstance(trail.node, ir.Call) and _makes_few(trail.node):
        return
    if isinstance(trail.node, ir.Param) and _is_container(trail.node):
        return
    machine.emit(
        facts.ArrayIterated(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            trail,
            how=how,
            count=count,
        )
    )


def _is_container(param: ir.Param) -> bool:
    """Whether a parameter is annotated as a container, though it is used like an array later."""
    note: ir.Node | None = param.annotation
    note = note.value if isinstance(note, ir.Subscript) else note
    name = dotted_text(note).rpartition(".")[2] if isinstance(note, ir.Expr) else ""
    return name.lower() in _CONTAINERS


_CONTAINERS = frozenset({"dict", "iterable", "iterator", "list", "sequence", "tuple"})


def _makes_few(node: ir.Call) -> bool:
    """Whether this makes random keys, few of them most of the time, or one array for each axis."""
    return dotted_text(node.func).rpartition(".")[2] in ("split", "indices")


# Loops are judged when they have run. Tuples are made of coordinates. The others ask for the truth
# of each element, which is worse, or run over something else with the array, which is shorter.
_OTHERWISE = frozenset(
    {"for", "any", "all", "min", "max", "sorted", "set", "frozenset", "aside", "tuple"}
)


def _is_short(node: ir.Expr) -> bool:
    """Whether a few names are unpacked, or a call takes its arguments from an array."""
    return not isinstance(node, ir.Sequence) or (
        len(node.items) <= MOST_NAMES and not any(map(_is_rest, node.items))
    )


def _is_rest(node: ir.Expr) -> bool:
    """Whether this takes what is left of the elements, to be used."""
    if not isinstance(node, ir.Starred):
        return False
    return not isinstance(node.value, ir.Name) or not node.value.id.startswith("_")


CHECK = Check(
    "unrolling",
    on_loop_start=begun,
    on_loop_end=finished,
    on_repetition=repeated,
    on_array_iteration=sliced,
)

"""Readings of clocks in host code, and what happened between two of them."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Instance,
    LibraryName,
    NumPy,
    Partial,
    Transformed,
    Value,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.occasions import measures
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting import eager_facts
from jaxlint.engine.summaries.cost import Cost
from jaxlint.engine.summaries.loop_events import Turns
from jaxlint.engine.summaries.transformed import function_name
from jaxlint.syntax import ir

_CALLABLE = (Bound, Function, Partial, Transformed)
_MANAGER = "contextlib.contextmanager"
_TIMERS = frozenset({"timeit.repeat", "timeit.timeit"})


class Reading(NumPy):
    """What a clock showed, and what had been done by then."""

    __slots__ = ("done", "home", "loop", "node", "tick")

    def __init__(self, node: ir.Expr, done: Cost, tick: int, frame: Frame) -> None:
        super().__init__()
        self.node = node
        self.done = done
        self.tick = tick
        self.loop = frame.loop
        self.home = frame.home()


def read(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A clock is read."""
    if not frame.trace.is_host:
        return NumPy()
    if dotted in _TIMERS:
        _measured(machine, frame, node, args)
        return NumPy()
    machine.counters.tick += 1
    machine.tally.timed = True
    return Reading(node, machine.tally.now(), machine.counters.tick, frame)


def _measured(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> None:
    """`timeit.timeit(function)` calls it."""
    func = args.get(0, "stmt")
    if not isinstance(func, _CALLABLE):
        return
    before = machine.tally.now()
    machine.call(frame, node, func, Args())
    _judge(machine, frame, node, machine.tally.since(before))


def elapsed(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """`end - start`."""
    end, start = values
    if op != "-" or not isinstance(end, Reading) or not isinstance(start, Reading):
        return
    if start.home is not end.home or start.home is not frame.home():
        return  # In what order functions run is not the order in which they are looked at.
    place = node if nodes[0] is end.node else end.node
    loop = frame.loop
    if loop is not None and start.loop is not loop:
        # It is read again in each iteration: what waits anywhere in the loop bounds the time.
        loop.watched.timed.append(((place, node), start.done))
    else:
        _judge(machine, frame, place, end.done.since(start.done), node)
    cold = next(_first_called(machine, frame, start, end), None)
    if cold is not None:
        eager_facts.emit(
            machine, frame, facts.Timed(machine.module, node, frame.name, kind="cold", subject=cold)
        )


def finished(machine: Machine, frame: Frame, turns: Turns) -> None:
    """A loop has run in which clocks are read that were read before it."""
    for (end, node), start in turns.timed:
        _judge(machine, frame, end, machine.tally.since(start), node)


def started(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> Cost | None:
    """What had been done when a `with` statement enters an object or a generator of the project
    that measures how long its block takes; None for any other."""
    code = value.cls.node if isinstance(value, Instance) else _generator(machine, frame, node)
    if code is None or not frame.trace.is_host or not measures(code):
        return None
    machine.tally.timed = True
    return machine.tally.now()


def _generator(machine: Machine, frame: Frame, node: ir.Expr) -> ir.FunctionDef | None:
    """The generator of the project that a call of a context manager runs."""
    func = peek(machine, frame, node.func) if isinstance(node, ir.Call) else None
    if not isinstance(func, Partial) or not isinstance(func.func, LibraryName):
        return None
    made = func.args[0] if func.func.dotted.startswith(_MANAGER) and func.args else None
    return made.node if isinstance(made, Function) and made.node.is_generator else None


def stopped(machine: Machine, frame: Frame, node: ir.Expr, before: Cost) -> None:
    """Such a block has ended."""
    _judge(machine, frame, node, machine.tally.since(before))


def _judge(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    done: Cost,
    difference: ir.Node | None = None,
) -> None:
    """Whether work of JAX was `done` that nothing had waited for by `node`."""
    if (done.eager or done.launched) and not done.waited:
        fact = facts.Timed(machine.module, node, frame.name, difference=difference)
        eager_facts.emit(machine, frame, fact)


def _first_called(machine: Machine, frame: Frame, start: Reading, end: Reading) -> Iterator[str]:
    """The functions compiled in the code around that are called between two readings, and were
    not before."""
    if start.loop is not None:
        return
    for record in machine.uses():
        if not record.wrapper.compiles or not record.calls:
            continue
        first = record.calls[0][0]
        if start.tick < first < end.tick and record.frame.home() is frame.home():
            yield function_name(record.func)


CHECK = Check(
    "clocks",
    on_operation=elapsed,
)

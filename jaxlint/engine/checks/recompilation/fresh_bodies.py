"""Bodies of control flow that eager code makes anew each time, so that each time compiles."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, Loop, in_test
from jaxlint.engine.domain.values import Bound, Function, Partial, Sequence, Transformed, Value
from jaxlint.engine.inference.fresh_functions import keeps_results
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.knowledge.transforms import CONTROL_FLOW
from jaxlint.syntax import ir

# Control flow that compiles its bodies for each function object, even outside of `jit`.
_COMPILED = CONTROL_FLOW | {"jax.lax.reduce"}


@slotted(frozen=True)
class Fresh:
    """A call that is given a body which was made in `loop`, or in the same run of a function."""

    module: ir.Module
    node: ir.Expr
    frame: Frame
    loop: Loop | None
    body: str


_BODIES: PerRun[list[Fresh]] = PerRun(list)


def note(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Control flow runs its functions."""
    if not frame.trace.is_host:
        return
    if dotted not in _COMPILED or machine.dynamic.eager or machine.expects_errors or in_test(frame):
        return
    if not _runs_for_itself(machine):
        return
    for value, place in args.pairs():
        held = value.items or [] if isinstance(value, Sequence) else [value]
        for one in held:
            made = _made(frame, one, place)
            if made is not None:
                fresh = Fresh(machine.module, node, frame, made[0], made[1])
                _BODIES.of(machine).append(fresh)
                return


def _runs_for_itself(machine: Machine) -> bool:
    """Whether the module itself, or a script, runs the code here: what a library defines may well
    be called in traced code alone."""
    first = machine.frames_around()[0].func if machine.frames_around() else None
    if first is None or id(first) in machine.program.called_outside:
        return True
    return "__main__" in machine.module.source.text


def _made(frame: Frame, value: Value, place: ir.Expr) -> tuple[Loop | None, str] | None:
    """The loop around a function that was made where it is used, and what it is."""
    home = frame.home()
    if isinstance(value, Function):
        kind = "lambda" if value.node.is_lambda else "local function"
        return (value.loop, kind) if value.frame.home() is home else None
    if isinstance(value, Transformed):
        record: TransformUse = value.record
        return (record.loop, "transformed function") if record.frame.home() is home else None
    if isinstance(value, Partial) and isinstance(place, ir.Call):
        return frame.innermost_loop(), "partial"
    if isinstance(value, Bound) and isinstance(place, ir.Attribute):
        return frame.innermost_loop(), "bound method"
    return None


def after(machine: Machine) -> None:
    """Emits the facts about those that run again and again."""
    staged = [plain_function(r.func) for r in machine.uses() if r.wrapper.kind != "plain"]
    wrapped = {id(func.node) for func in staged if func is not None}
    for fresh in _BODIES.of(machine):
        home = fresh.frame.home()
        func = home.func
        if home.root is not machine.globals or (func is None and fresh.loop is None):
            continue
        if func is not None and _is_traced(machine, home, wrapped):
            continue
        again = func is not None and id(func) in machine.program.looped and not keeps_results(home)
        if fresh.loop is None and not again:
            continue
        node = fresh.node
        callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
        fact = facts.FreshBody(fresh.module, node, fresh.frame.name, callee=callee)
        fact.body = fresh.body
        fact.in_loop = fresh.loop is not None
        machine.emit(fact)


def _is_traced(machine: Machine, home: Frame, wrapped: set[int]) -> bool:
    """Whether a function, or one around it, is traced, or given to somebody who may trace it."""
    scope: Frame | None = home
    while scope is not None and scope.func is not None:
        func = scope.func
        if id(func) in machine.program.traced or id(func) in wrapped:
            return True
        around = scope.parent.home() if scope.parent is not None else None
        if around is not None and around.func is not None and not _only_called(around.func, func):
            return True
        scope = around
    return False


def _only_called(around: ir.FunctionDef, func: ir.FunctionDef) -> bool:
    """Whether a local function is called where it is made, and nothing else is done with it."""
    names = {id(n) for n in walk(around.body) if isinstance(n, ir.Name) and n.id == func.name}
    called = {id(n.func) for n in walk(around.body) if isinstance(n, ir.Call)}
    return not func.decorators and bool(names) and names <= called


CHECK = Check(
    "fresh-bodies",
    on_control_flow=note,
    on_finish=after,
)

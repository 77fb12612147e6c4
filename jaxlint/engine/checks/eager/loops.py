"""Loops of host code: what each iteration sends to the device, and what it waits for."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.checks.eager import clocks
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.values import (
    Concrete,
    LibraryName,
    Sequence,
    Static,
    Transformed,
    Value,
)
from jaxlint.engine.inference.lengths import FEWEST, Range, leading, looped
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting import eager_facts
from jaxlint.engine.summaries.loop_events import How, Touch, Turns
from jaxlint.engine.summaries.transformed import function_name
from jaxlint.knowledge.host.costs import GROWING, NAMESAKES
from jaxlint.syntax import ir

# Fewer parts than this are put together one by one as well.
FEWEST_PARTS = 4
_CASTS = frozenset({"bool", "complex", "float", "int"})


def touched(machine: Machine, frame: Frame, node: ir.Subscript, array: Value, how: How) -> None:
    """Host code in a loop takes one element of an array, or sets it."""
    loop = frame.loop
    if loop is None or loop.watched is None or not isinstance(array, Concrete):
        return
    if _names_in(node.index) & loop.watched.names and not isinstance(node.index, ir.Slice):
        base = node.value
        subject = base.value if how == "update" and isinstance(base, ir.Attribute) else base
        loop.watched.touched.append(Touch(node, how, subject, array))


def computed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Host code calls a function of JAX with numbers alone."""
    loop = frame.loop
    if loop is None or loop.watched is None or not frame.trace.is_host:
        return
    numbers = args.positional and all(isinstance(value, Static) for value in args.positional)
    if numbers and _names_in(node) & loop.watched.names:
        loop.watched.touched.append(Touch(node, "compute", None, args.positional[0]))


def _names_in(node: ir.Node) -> set[str]:
    return {one.id for one in walk(node) if isinstance(one, ir.Name)}


def finished(machine: Machine, frame: Frame, loop: Loop, turns: Turns) -> None:
    """A loop of host code has run."""
    done = machine.tally.since(turns.before)
    if turns.timed:
        clocks.finished(machine, frame, turns)
    if done.launched and turns.read:
        _emit(machine, frame, turns.read[0], "sync")
    if not done.launched or any(touch.how == "update" for touch in turns.touched):
        _piecemeal(machine, frame, turns, launched=done.launched > 0)


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    kind: str,
    subject: str = "",
    brief: bool = False,
) -> None:
    eager_facts.emit(
        machine,
        frame,
        facts.LoopCost(
            machine.module,
            node,
            frame.name,
            kind=kind,  # type: ignore[arg-type]
            subject=subject,
            brief=brief,
        ),
    )


def _piecemeal(machine: Machine, frame: Frame, turns: Turns, launched: bool) -> None:
    iterated = isinstance(turns.iterable, Concrete)
    if not iterated and not turns.touched:
        return
    if iterated and turns.iterable is not None:
        count = leading(turns.iterable)
        if count is not None and count >= FEWEST and not launched and _by_number(turns):
            _tell(machine, frame, turns.place, "iterate", count, turns.place)
        return
    found = None if turns.iterable is None else looped(machine, frame, turns.place, turns.iterable)
    if found is None or not _is_long(found):
        return
    for touch in turns.touched:
        if touch.how == "update" or (not launched and _is_scalar(touch, turns)):
            how = "update" if touch.how == "update" else "read"
            _tell(machine, frame, touch.node, how, found.count, touch.subject)
            return


def _is_long(found: Range) -> bool:
    return found.extent if found.count is None else found.count >= FEWEST


def _tell(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    how: str,
    count: int | None,
    subject: ir.Node | None,
) -> None:
    text = "" if subject is None else machine.module.text_of(subject)
    eager_facts.emit(
        machine,
        frame,
        facts.ElementwiseLoop(
            machine.module,
            node,
            frame.name,
            how=how,  # type: ignore[arg-type]
            count=count,
            subject=text if len(text) < 40 and "\n" not in text else "",
        ),
    )


def _is_scalar(touch: Touch, turns: Turns) -> bool:
    """Whether what is taken is one number."""
    if touch.how == "compute":
        return True
    if isinstance(touch.value, Concrete) and touch.value.rank == 1:
        return True
    return any(touch.node is one for one in _converted(turns))


def _by_number(turns: Turns) -> bool:
    """Whether an array's elements are handled as numbers, one by one."""
    if isinstance(turns.iterable, Concrete) and turns.iterable.rank == 1:
        return True
    return any(isinstance(one, ir.Name) and one.id in turns.names for one in _converted(turns))


def _converted(turns: Turns) -> list[ir.Node]:
    """The expressions of a loop that are made numbers of Python."""
    found: list[ir.Node] = []
    for node in walk(turns.body):
        if not isinstance(node, ir.Call):
            continue
        if isinstance(node.func, ir.Attribute) and node.func.attr == "item":
            found.append(node.func.value)
        elif dotted_text(node.func) in _CASTS and len(node.args) == 1:
            found.append(node.args[0].value)
    return found


# -- arrays that grow ----------------------------------------------------------------------------


def assigned(machine: Machine, frame: Frame, node: ir.Assign, value: Value) -> None:
    """An assignment."""
    if frame.loop is not None:
        grown(machine, frame, node.targets, node.value, value)


def grown(
    machine: Machine, frame: Frame, targets: tuple[ir.Expr, ...], node: ir.Expr, value: Value
) -> None:
    """Host code in a loop assigns the result of a call."""
    loop = frame.loop
    if loop is None or loop.watched is None or not frame.trace.is_host or len(targets) != 1:
        return
    if isinstance(node, ir.IfExp):
        grown(machine, frame, targets, node.body, value)
        grown(machine, frame, targets, node.orelse, value)
        return
    name = targets[0].id if isinstance(targets[0], ir.Name) else ""
    if not isinstance(value, Concrete) and not isinstance(frame.env.get(name), Concrete):
        return
    parts = _joined(machine, frame, node)
    if not parts or _is_brief(loop.watched):
        return
    target = machine.module.text_of(targets[0])
    if target in loop.watched.names or _begins_again(loop.watched, targets[0], node):
        return
    texts = [machine.module.text_of(part) for part in parts]
    if target in texts or any(_is_passed_on(loop.watched, name, text) for text in texts):
        watched = loop.watched
        brief = not _runs_long(machine, frame, watched) and not _launches(machine, frame, watched)
        _emit(machine, frame, node, "grow", target, brief)


def _runs_long(machine: Machine, frame: Frame, turns: Turns) -> bool:
    """Whether a loop is seen not to be a short one."""
    known = turns.iterable.items if isinstance(turns.iterable, Sequence) else None
    if turns.iterable is None or known is not None:
        return True
    found = looped(machine, frame, turns.place, turns.iterable)
    return found is not None and (found.extent or found.count is not None)


def _launches(machine: Machine, frame: Frame, turns: Turns) -> bool:
    """Whether a loop calls a compiled function."""
    if machine.tally.since(turns.before).launched:
        return True
    with machine.quiet():
        called = [
            machine.eval(frame, one.func)
            for one in walk(turns.body)
            if isinstance(one, ir.Call) and dotted_text(one.func)
        ]
    return any(isinstance(one, Transformed) and one.record.wrapper.compiles for one in called)


def _joined(machine: Machine, frame: Frame, node: ir.Expr) -> tuple[ir.Expr, ...]:
    """What an expression puts together: the parts of `jnp.concatenate([a, b])`, `jnp.r_[a, b]`."""
    if isinstance(node, ir.Call) and node.args:
        func = machine.eval(frame, node.func)
        if isinstance(func, LibraryName) and func.dotted in GROWING:
            first = node.args[0].value
            return first.items if isinstance(first, ir.Sequence) else (first,)
    elif isinstance(node, ir.Subscript) and isinstance(node.index, ir.Sequence):
        named = isinstance(node.value, ir.Attribute) and node.value.attr in ("c_", "r_")
        return node.index.items if named else ()
    return ()


def _is_brief(turns: Turns) -> bool:
    known = turns.iterable.items if isinstance(turns.iterable, Sequence) else None
    return known is not None and len(known) < FEWEST_PARTS


def _is_passed_on(turns: Turns, name: str, part: str) -> bool:
    """Whether what is assigned to `name` is what the next iteration calls `part`."""
    return any(
        isinstance(node, ir.Assign)
        and isinstance(node.value, ir.Name)
        and node.value.id == name
        and part in bound_names(node)
        for node in walk(turns.body)
    )


def _begins_again(turns: Turns, target: ir.Expr, grown: ir.Expr) -> bool:
    """Whether an iteration assigns something else to a name as well, whatever it is."""
    if not isinstance(target, ir.Name):
        return False
    first = {
        id(one)
        for test in walk(turns.body)
        if isinstance(test, ir.If) and target.id in _names_in(test.test)
        for one in walk((*test.body, *test.orelse))
    }
    return any(
        isinstance(node, ir.Assign)
        and id(node) not in first
        and target.id in bound_names(node)
        and target.id not in _names_in(node.value)
        for node in walk(turns.body)
        if not isinstance(node, ir.Assign) or node.value is not grown
    )


# -- transforms that are not compiled --------------------------------------------------------------


def transformed(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> None:
    """Host code calls what a transform made."""
    if frame.loop is None or not frame.trace.is_host or machine.dynamic.eager:
        return
    if func.record.wrapper.kind not in ("ad", "vmap"):
        return
    inner: Value = func
    while isinstance(inner, Transformed):
        if inner.record.wrapper.compiles:
            return
        inner = inner.func
    _emit(machine, frame, node, "gradient", function_name(func))


CHECK = Check(
    "loops",
    on_library_call=(Named(computed, NAMESAKES),),
    on_transformed_call=transformed,
    on_element=touched,
    on_assignment=assigned,
)

"""Transfer functions of loops: few iterations one by one, many to a fixed point."""

from __future__ import annotations

from jaxlint.dataflow import plain_data
from jaxlint.dataflow.names import bound_names, dotted_text, names_in_loop, walk
from jaxlint.engine.domain.environment import Frame, Loop, again, join_envs, settled
from jaxlint.engine.domain.values import Function, Instance, Sequence, Static, Traced, Value
from jaxlint.engine.inference.aliasing import another
from jaxlint.engine.inference.lengths import counted
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.narrowing import narrow
from jaxlint.engine.operations.conditions.truth import truth
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.stores import assign
from jaxlint.syntax import ir

MOST_PASSES = 3
# Loops that nest deeper run once in each pass of those around them.
MOST_NESTED = 2
# So do loops that were come to more often.
MOST_ENTERED = 64
# How many iterations of nested loops are followed one by one.
MOST_TURNS = 16
# How many functions of one loop are told apart.
MOST_FUNCTIONS = 6
# How many fields of a class are told apart.
MOST_FIELDS = 64


def _run_loop(
    machine: Machine, frame: Frame, loop: Loop, body: tuple[ir.Stmt, ...]
) -> dict[str, Value] | None:
    """One pass of a body; the environment at its end, None if no path reaches it."""
    loop.continues = []
    falls = machine.block(frame, body)
    state = frame.env if falls else None
    for env in loop.continues:
        state = env if state is None else join_envs(state, env)
    return state


def for_loop(machine: Machine, frame: Frame, node: ir.For) -> bool:
    iterable = machine.eval(frame, node.iter)
    element, items, certain = iterate(machine, frame, node.iter, iterable, "for")
    if items is not None and not items:
        return machine.block(frame, node.orelse)
    names = names_in_loop(node.body) | bound_names(node)
    loop = Loop(names, frame.loop, False, frame.innermost_loop())
    if items is not None and _is_short(frame, loop, node, items):
        return _each_turn(machine, frame, node, loop, items)
    for heard in machine.checks.loop_start:
        heard(machine, loop, bound_names(node), node.iter, iterable, node.body)
    outer, path = frame.loop, frame.path
    before = loop.watched.held = frame.env
    frame.loop = loop
    state: dict[str, Value] = before
    after: dict[str, Value] = before
    passes = _passes(machine, loop, node) if items is None or len(items) > 1 else 1
    first = items[0] if items and passes > 1 else element
    apart = items if items and passes > 1 and _are_functions(items) else []
    passes = max(passes, len(apart))
    try:
        for turn in range(passes):
            frame.env = dict(state)
            frame.path = loop.path = loop.watched.began = object()
            one = first if turn == 0 else another(element)
            one = apart[turn] if turn < len(apart) else one
            assign(machine, frame, node.target, one, node.target)
            end = _run_loop(machine, frame, loop, node.body)
            if end is None:
                break
            after = end if turn == 0 else join_envs(after, end)
            following = again(state, end)
            if turn >= max(len(apart) - 1, 1) and all(
                _same(state.get(k), v) for k, v in following.items()
            ):
                break
            state = following
    finally:
        frame.loop, frame.path = outer, path
    for heard in machine.checks.loop_end:
        heard(machine, frame, loop)
    frame.env = settled(before, after) if certain else join_envs(before, after)
    falls = machine.block(frame, node.orelse)
    return _leave_loop(frame, loop, falls)


def _passes(machine: Machine, loop: Loop, node: ir.Stmt) -> int:
    """How often a body runs at most, lest the time grows exponentially with the depth."""
    if loop.depth >= MOST_NESTED or not machine.counters.enters(node, MOST_ENTERED):
        return 1
    return MOST_PASSES


def _is_short(frame: Frame, loop: Loop, node: ir.For, items: list[Value]) -> bool:
    """Whether so few iterations run that each is followed by itself: of traced code, of code that
    puts data together, and of code that makes a class a pytree field by field."""
    loop.turns *= len(items)
    if frame.trace.is_host:
        fields = len(items) <= MOST_FIELDS and all(map(_is_field, items))
        return fields or (loop.turns <= plain_data.MOST_TURNS and plain_data.only_data(node))
    return loop.turns <= MOST_TURNS


def _are_functions(items: list[Value]) -> bool:
    """Whether few functions are gone through, maybe with a name or number each: what the body does
    goes by the function."""
    return len(items) <= MOST_FUNCTIONS and all(
        isinstance(one, Function)
        or (isinstance(one, Sequence) and any(isinstance(v, Function) for v in one.items or ()))
        for one in items
    )


def _is_field(value: Value) -> bool:
    """Whether a value is one of those that `dataclasses.fields` gives."""
    return isinstance(value, Instance) and "dataclasses.Field" in value.cls.libraries


def _each_turn(
    machine: Machine, frame: Frame, node: ir.For, loop: Loop, items: list[Value]
) -> bool:
    """A loop over known elements, one iteration after the other."""
    outer, path = frame.loop, frame.path
    frame.loop = loop
    falls = True
    try:
        for item in items:
            frame.env = dict(frame.env)
            assign(machine, frame, node.target, item, node.target)
            end = _run_loop(machine, frame, loop, node.body)
            if end is None:
                falls = False
                break
            frame.env = end
    finally:
        frame.loop, frame.path = outer, path
    falls = falls and machine.block(frame, node.orelse)
    return _leave_loop(frame, loop, falls)


def _leave_loop(frame: Frame, loop: Loop, falls: bool) -> bool:
    state = frame.env if falls else None
    for env in loop.breaks:
        state = env if state is None else join_envs(state, env)
    if state is None:
        return False
    frame.env = state
    return True


def _same(a: Value | None, b: Value) -> bool:
    if a is b:
        return True
    if isinstance(a, Traced) and isinstance(b, Traced):
        return a.kind == b.kind and a.dtype == b.dtype and a.leaf == b.leaf
    if isinstance(a, Static) and isinstance(b, Static):
        return a.known == b.known and a.kind == b.kind
    return a is not None and type(a) is type(b)


def while_loop(machine: Machine, frame: Frame, node: ir.While) -> bool:
    loop = Loop(names_in_loop(node.body), frame.loop, False, frame.innermost_loop())
    name, over = counted(machine, frame, node) or ("", None)
    for heard in machine.checks.loop_start:
        heard(machine, loop, (name,), node.test, over, node.body)
    outer, path = frame.loop, frame.path
    frame.loop = loop
    exits: dict[str, Value] | None = None
    try:
        if not _leading_turns(machine, frame, node, loop):
            return _leave_loop(frame, loop, False)
        passes = _passes(machine, loop, node)
        for turn in range(passes):
            answer = truth(machine, frame, node.test, "while")
            if answer is not True:
                left = dict(frame.env)
                left.update(narrow(machine, frame, node.test, False))
                exits = left if exits is None else join_envs(exits, left)
            if answer is False:
                break
            before = frame.env
            frame.env = dict(before)
            frame.path = object()
            loop.watched.began = frame.path
            frame.env.update(narrow(machine, frame, node.test, True))
            end = _run_loop(machine, frame, loop, node.body)
            if end is None:
                break
            following = again(before, end)
            if turn > 0 and all(_same(before.get(k), v) for k, v in following.items()):
                exits = end if exits is None and not _endless(node) else exits
                break
            frame.env = following
            if turn == passes - 1 and exits is None and not _endless(node):
                exits = following
    finally:
        frame.loop, frame.path = outer, path
    for heard in machine.checks.loop_end:
        heard(machine, frame, loop)
    falls = exits is not None
    if exits is not None:
        frame.env = exits
        falls = machine.block(frame, node.orelse)
    return _leave_loop(frame, loop, falls)


def _leading_turns(machine: Machine, frame: Frame, node: ir.While, loop: Loop) -> bool:
    """The first iterations in traced code, as long as the test certainly holds; whether a path
    goes on to the test."""
    around = loop.turns
    if frame.trace.is_host or _endless(node) or not _is_repeatable(node.test):
        return True
    while loop.turns + around <= MOST_TURNS:
        with machine.quiet():
            certain = truth(machine, frame, node.test, "while")
        if certain is not True:
            return True
        frame.env = dict(frame.env)
        end = _run_loop(machine, frame, loop, node.body)
        if end is None:
            return False
        frame.env = end
        loop.turns += around
    return True


def _is_repeatable(test: ir.Expr) -> bool:
    """Whether evaluating a test changes nothing."""
    return not any(
        isinstance(node, (ir.NamedExpr, ir.Await, ir.Yield))
        or (isinstance(node, ir.Call) and dotted_text(node.func) != "len")
        for node in walk(test)
    )


def _endless(node: ir.While) -> bool:
    return isinstance(node.test, ir.Const) and bool(node.test.value)

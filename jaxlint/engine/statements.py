"""Transfer functions of statements. Each says whether control falls through to the next."""

from __future__ import annotations

from jaxlint.engine.bindings import (
    bound_names,
    dotted_text,
    free_in,
    looked_in,
    names_in_loop,
)
from jaxlint.engine.classes import define_class, match_class
from jaxlint.engine.containers import iterate
from jaxlint.engine.expressions import function_value
from jaxlint.engine.machine import Args, Exec, Machine
from jaxlint.engine.operators import binary
from jaxlint.engine.sinks import narrow, truth
from jaxlint.engine.state import Frame, Loop, again, join_envs, settled
from jaxlint.engine.targets import assign, delete
from jaxlint.engine.values import (
    NONE,
    External,
    Function,
    Heap,
    Instance,
    Mapping,
    Object,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import COMPILE_TIME_CONTEXTS, EAGER_CONTEXTS
from jaxlint.syntax import ir

MOST_PASSES = 3
_TRACE_ERRORS = (
    "Exception",
    "BaseException",
    "TypeError",
    "ValueError",
    "IndexError",
    "RuntimeError",
    "NotImplementedError",
)


def assignment(machine: Machine, frame: Frame, node: ir.Assign) -> bool:
    value = machine.eval(frame, node.value)
    for target in node.targets:
        assign(machine, frame, target, value, node)
    return True


def annotated(machine: Machine, frame: Frame, node: ir.AnnAssign) -> bool:
    value = None if node.value is None else machine.eval(frame, node.value)
    if frame.kind == "class" and frame.cls is not None and isinstance(node.target, ir.Name):
        frame.cls.fields[node.target.id] = (node.annotation, value)
    if value is not None:
        assign(machine, frame, node.target, value, node)
    return True


def augmented(machine: Machine, frame: Frame, node: ir.AugAssign) -> bool:
    old = machine.eval(frame, node.target)
    right = machine.eval(frame, node.value)
    if isinstance(old, Sequence) and old.kind == "list" and node.op == "+":
        _extend(machine, frame, node, old, right)
        return True
    value = binary(machine, frame, node, node.op, old, right, node.target, node.value)
    if not isinstance(node.target, ir.Name) and isinstance(value, Static) and value.known:
        value = Static(kind=value.kind)
    assign(machine, frame, node.target, value, node, "augment")
    return True


def _extend(
    machine: Machine, frame: Frame, node: ir.AugAssign, old: Sequence, right: Value
) -> None:
    from jaxlint.engine.containers import changed, grow

    element, items, _ = iterate(machine, frame, node.value, right, "unpacking")
    text = node.target.id if isinstance(node.target, ir.Name) else ""
    changed(machine, frame, node.target, old, "container", text, "augment", [right])
    grow(frame, old, items if items is not None else [element])


def expression(machine: Machine, frame: Frame, node: ir.ExprStmt) -> bool:
    value = machine.eval(frame, node.value)
    return not (isinstance(value, External) and value.dotted == "exit")


def returned(machine: Machine, frame: Frame, node: ir.Return) -> bool:
    value = NONE if node.value is None else machine.eval(frame, node.value)
    home = frame.home()
    _escapes(value)
    home.returns.append(value)
    home.exits.append(frame.env)
    return False


def _escapes(value: Value, depth: int = 2) -> None:
    record = getattr(value, "record", None)
    if isinstance(value, Heap):
        value.local = False
    if record is not None:
        record.escaped = True
    elif depth and isinstance(value, Sequence):
        for item in value.items or []:
            _escapes(item, depth - 1)
    elif depth and isinstance(value, Mapping):
        for item in value.items.values():
            _escapes(item, depth - 1)


def raised(machine: Machine, frame: Frame, node: ir.Raise) -> bool:
    if node.exc is not None:
        machine.eval(frame, node.exc)
    return False


def asserted(machine: Machine, frame: Frame, node: ir.Assert) -> bool:
    answer = truth(machine, frame, node.test, "assert")
    if answer is False:
        return False
    frame.env.update(narrow(machine, frame, node.test, True))
    return True


def deleted(machine: Machine, frame: Frame, node: ir.Delete) -> bool:
    for target in node.targets:
        delete(machine, frame, target, node)
    return True


def nothing(machine: Machine, frame: Frame, node: ir.Stmt) -> bool:
    return True


def broke(machine: Machine, frame: Frame, node: ir.Break) -> bool:
    if frame.loop is not None:
        frame.loop.breaks.append(frame.env)
    return False


def continued(machine: Machine, frame: Frame, node: ir.Continue) -> bool:
    if frame.loop is not None:
        frame.loop.continues.append(frame.env)
    return False


def imported(machine: Machine, frame: Frame, node: ir.Import) -> bool:
    for dotted, alias in node.names:
        if alias is not None:
            machine.bind(frame, alias, External(lookup.canonical(dotted)), node)
        else:
            top = dotted.partition(".")[0]
            machine.bind(frame, top, External(top), node)
    return True


def imported_from(machine: Machine, frame: Frame, node: ir.ImportFrom) -> bool:
    if node.names is None:
        return True
    module = "." * node.level + node.module
    for name, alias in node.names:
        dotted = f"{module}.{name}" if not module.endswith(".") else f"{module}{name}"
        machine.bind(frame, alias or name, External(lookup.canonical(dotted)), node)
    return True


def branch(machine: Machine, frame: Frame, node: ir.If) -> bool:
    """`if`: both paths from copies of the environment, joined; an elif chain is flattened."""
    result: dict[str, Value] | None = None
    path = frame.path
    current: ir.If | None = node
    falls_last = True
    # Behind `if key in memo: return ...` and in its `else`, the container is filled once.
    looked_up: set[str] = set()
    while current is not None:
        answer = truth(machine, frame, current.test, "if")
        tested = machine.tested
        looked_up |= looked_in(current.test)
        machine.tested = tested | free_in(current.test)
        if answer is not False:
            before = frame.env
            frame.env = dict(before)
            frame.env.update(narrow(machine, frame, current.test, True))
            unsure = answer is None
            if unsure:
                frame.path = object()
            machine.conditions += unsure
            falls = machine.block(frame, current.body)
            machine.conditions -= unsure
            frame.path = path
            if falls:
                result = frame.env if result is None else join_envs(result, frame.env)
            frame.env = before
            if answer is True:
                falls_last = False
                machine.tested = tested
                break
        frame.env = dict(frame.env)
        frame.env.update(narrow(machine, frame, current.test, False))
        machine.tested = tested
        if len(current.orelse) == 1 and isinstance(current.orelse[0], ir.If):
            current = current.orelse[0]
            continue
        unsure = answer is None
        if unsure:
            frame.path = object()
        machine.conditions += unsure
        machine.tested = tested | looked_up
        falls_last = machine.block(frame, current.orelse)
        if current.orelse:
            machine.tested = tested
        machine.conditions -= unsure
        frame.path = path
        current = None
    if falls_last:
        result = frame.env if result is None else join_envs(result, frame.env)
    if result is None:
        return False
    frame.env = result
    return True


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
    loop = Loop(names, frame.loop, comprehension=False)
    outer, path = frame.loop, frame.path
    before = frame.env
    frame.loop = loop
    state: dict[str, Value] = before
    after: dict[str, Value] = before
    first = items[0] if items else element
    try:
        for turn in range(MOST_PASSES):
            frame.env = dict(state)
            frame.path = object()
            assign(machine, frame, node.target, first if turn == 0 else element, node.target)
            end = _run_loop(machine, frame, loop, node.body)
            if end is None:
                break
            after = end if turn == 0 else join_envs(after, end)
            following = again(state, end)
            if turn > 0 and all(_same(state.get(k), v) for k, v in following.items()):
                break
            state = following
    finally:
        frame.loop, frame.path = outer, path
    frame.env = settled(before, after) if certain else join_envs(before, after)
    falls = machine.block(frame, node.orelse)
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
    loop = Loop(names_in_loop(node.body), frame.loop, comprehension=False)
    outer, path = frame.loop, frame.path
    frame.loop = loop
    exits: dict[str, Value] | None = None
    try:
        for turn in range(MOST_PASSES):
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
            frame.env.update(narrow(machine, frame, node.test, True))
            end = _run_loop(machine, frame, loop, node.body)
            if end is None:
                break
            following = again(before, end)
            if turn > 0 and all(_same(before.get(k), v) for k, v in following.items()):
                exits = end if exits is None and not _endless(node) else exits
                break
            frame.env = following
            if turn == MOST_PASSES - 1 and exits is None and not _endless(node):
                exits = following
    finally:
        frame.loop, frame.path = outer, path
    falls = exits is not None
    if exits is not None:
        frame.env = exits
        falls = machine.block(frame, node.orelse)
    return _leave_loop(frame, loop, falls)


def _endless(node: ir.While) -> bool:
    return isinstance(node.test, ir.Const) and bool(node.test.value)


def with_block(machine: Machine, frame: Frame, node: ir.With) -> bool:
    muted = eager = compile_time = 0
    for expr, target in node.items:
        value = machine.eval(frame, expr)
        func = expr.func if isinstance(expr, ir.Call) else expr
        dotted = _context_name(machine, frame, func)
        muted += dotted.rpartition(".")[2] in (
            "raises",
            "assertRaises",
            "assertRaisesRegex",
            "suppress",
        )
        eager += dotted in EAGER_CONTEXTS
        compile_time += dotted in COMPILE_TIME_CONTEXTS
        if target is not None:
            entered = value if isinstance(value, (Object, Instance)) else machine.unknown("context")
            if isinstance(value, Object) and value.kind == "path":
                entered = machine.unknown("context")
            assign(machine, frame, target, entered, node)
    machine.muted += muted
    machine.eager += eager
    machine.compile_time += compile_time
    try:
        falls = machine.block(frame, node.body)
    finally:
        machine.muted -= muted
        machine.eager -= eager
        machine.compile_time -= compile_time
    return True if muted else falls


def _context_name(machine: Machine, frame: Frame, func: ir.Expr) -> str:
    if isinstance(func, ir.Attribute):
        inner = machine.eval(frame, func.value)
        if isinstance(inner, External):
            return lookup.canonical(f"{inner.dotted}.{func.attr}")
        return func.attr
    if isinstance(func, ir.Name):
        value = machine.eval(frame, func)
        return value.dotted if isinstance(value, External) else func.id
    return ""


def try_block(machine: Machine, frame: Frame, node: ir.Try) -> bool:
    before = dict(frame.env)
    caught = any(_catches(machine, frame, h.type) for h in node.handlers)
    with machine.quiet(caught):
        falls = machine.block(frame, node.body)
    after = frame.env
    result: dict[str, Value] | None = None
    if falls:
        falls = machine.block(frame, node.orelse)
        if falls:
            result = frame.env
    for handler in node.handlers:
        frame.env = join_envs(before, after)
        if handler.name is not None:
            frame.env[handler.name] = machine.unknown("exception")
        machine.conditions += 1
        tested = machine.tested
        if dotted_text(handler.type) in ("KeyError", "IndexError", "AttributeError", "NameError"):
            machine.tested = tested | {name for part in node.body for name in free_in(part)}
        if machine.block(frame, handler.body):
            result = frame.env if result is None else join_envs(result, frame.env)
        machine.tested = tested
        machine.conditions -= 1
    frame.env = result if result is not None else join_envs(before, after)
    if not machine.block(frame, node.final):
        return False
    return result is not None


def _catches(machine: Machine, frame: Frame, kind: ir.Expr | None) -> bool:
    """Whether a handler may catch what concretising a tracer raises."""
    if kind is None:
        return True
    value = machine.eval(frame, kind)
    types = value.items or [] if isinstance(value, Sequence) else [value]
    for one in types:
        if not isinstance(one, External):
            return True
        name = one.dotted.rpartition(".")[2]
        if (
            name in _TRACE_ERRORS
            or one.dotted.startswith("jax.")
            or not one.dotted.startswith("builtins.")
        ):
            return True
    return False


def match_block(machine: Machine, frame: Frame, node: ir.Match) -> bool:
    subject = machine.eval(frame, node.subject)
    before = frame.env
    result: dict[str, Value] | None = None
    open_ended = True
    for case in node.cases:
        frame.env = dict(before)
        certain = match(machine, frame, case.pattern, subject)
        if certain is False:
            continue
        if case.guard is not None and truth(machine, frame, case.guard, "if") is False:
            continue
        machine.conditions += 1
        if machine.block(frame, case.body):
            result = frame.env if result is None else join_envs(result, frame.env)
        machine.conditions -= 1
        if certain is True and case.guard is None:
            open_ended = False
            break
    if open_ended:
        result = before if result is None else join_envs(result, before)
    frame.env = result if result is not None else before
    return result is not None


def match(machine: Machine, frame: Frame, pattern: ir.Pattern, subject: Value) -> bool | None:
    """Binds the captures of a pattern; whether it certainly matches."""
    if isinstance(pattern, ir.MatchAs):
        answer = (
            True if pattern.pattern is None else match(machine, frame, pattern.pattern, subject)
        )
        if pattern.name is not None:
            machine.bind(frame, pattern.name, subject, pattern)
        return answer
    if isinstance(pattern, ir.MatchValue):
        value = machine.eval(frame, pattern.value)
        if (
            isinstance(value, Static)
            and isinstance(subject, Static)
            and value.known
            and subject.known
        ):
            return bool(value.const == subject.const)
        return None
    if isinstance(pattern, ir.MatchOr):
        answers = [match(machine, frame, p, subject) for p in pattern.patterns]
        return True if True in answers else (None if None in answers else False)
    if isinstance(pattern, ir.MatchSequence):
        return _match_sequence(machine, frame, pattern, subject)
    if isinstance(pattern, ir.MatchMapping):
        for key, inner in pattern.items:
            const = key.value if isinstance(key, ir.Const) else None
            found = subject.items.get(const) if isinstance(subject, Mapping) else None
            match(machine, frame, inner, found or machine.unknown("matched value"))
        if pattern.rest is not None:
            machine.bind(frame, pattern.rest, machine.unknown("matched rest"), pattern)
        return None
    if isinstance(pattern, ir.MatchClass):
        return match_class(machine, frame, pattern, subject, match)
    return None


def _match_sequence(
    machine: Machine, frame: Frame, pattern: ir.MatchSequence, subject: Value
) -> bool | None:
    items = subject.items if isinstance(subject, Sequence) and subject.kind != "set" else None
    plain = not any(isinstance(p, ir.MatchStar) for p in pattern.patterns)
    if items is not None and plain and len(items) != len(pattern.patterns):
        return False
    element = machine.unknown("matched element")
    for at, part in enumerate(pattern.patterns):
        if isinstance(part, ir.MatchStar):
            if part.name is not None:
                machine.bind(frame, part.name, machine.unknown("matched rest"), part)
        else:
            match(machine, frame, part, items[at] if items is not None and plain else element)
    return None


def define_function(machine: Machine, frame: Frame, node: ir.FunctionDef) -> bool:
    func = function_value(machine, frame, node)
    value = decorate(machine, frame, node, func)
    machine.bind(frame, node.name, value, node, "def")
    return True


def decorate(
    machine: Machine, frame: Frame, node: ir.FunctionDef | ir.ClassDef, value: Value
) -> Value:
    """Applies decorators, the innermost first."""
    decorators = [machine.eval(frame, d) for d in node.decorators]
    for expr, decorator in zip(reversed(node.decorators), reversed(decorators), strict=True):
        args = Args([value], nodes=[expr])
        held = value
        value = machine.call(frame, expr, decorator, args)
        record = getattr(value, "record", None)
        if record is not None and record.definition is None and isinstance(held, Function):
            record.definition = node
        if type(value).__name__ == "Unknown" and isinstance(held, Function):
            machine.later(held)
    return value


def define_class_here(machine: Machine, frame: Frame, node: ir.ClassDef) -> bool:
    cls = define_class(machine, frame, node)
    machine.bind(frame, node.name, decorate(machine, frame, node, cls), node, "class")
    return True


EXECUTORS: dict[type, Exec] = {
    ir.Assign: assignment,
    ir.AnnAssign: annotated,
    ir.AugAssign: augmented,
    ir.ExprStmt: expression,
    ir.Return: returned,
    ir.Raise: raised,
    ir.Assert: asserted,
    ir.Delete: deleted,
    ir.Global: nothing,
    ir.Nonlocal: nothing,
    ir.Break: broke,
    ir.Continue: continued,
    ir.Import: imported,
    ir.ImportFrom: imported_from,
    ir.If: branch,
    ir.For: for_loop,
    ir.While: while_loop,
    ir.With: with_block,
    ir.Try: try_block,
    ir.Match: match_block,
    ir.FunctionDef: define_function,
    ir.ClassDef: define_class_here,
}

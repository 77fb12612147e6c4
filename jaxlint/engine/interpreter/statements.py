"""Transfer functions of statements. Each says whether control falls through to the next."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text, updates
from jaxlint.engine.checks.eager import clocks
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.traversal import known, walk_values
from jaxlint.engine.domain.values import (
    NONE,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Value,
)
from jaxlint.engine.evaluation.classes import define_class
from jaxlint.engine.interpreter.branches import branch
from jaxlint.engine.interpreter.exceptions import suppressing, try_block
from jaxlint.engine.interpreter.expressions import function_value
from jaxlint.engine.interpreter.loops import for_loop, while_loop
from jaxlint.engine.interpreter.patched_contexts import entered_by
from jaxlint.engine.interpreter.patterns import match_block
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.semantics import Exec
from jaxlint.engine.operations.arithmetic import binary
from jaxlint.engine.operations.changes import changed, grow
from jaxlint.engine.operations.conditions.narrowing import narrow
from jaxlint.engine.operations.conditions.truth import truth
from jaxlint.engine.operations.containers.dicts import merge
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.containers.lists import loosen
from jaxlint.engine.operations.context_managers import Entered
from jaxlint.engine.operations.modules import bind_import, bind_import_from
from jaxlint.engine.operations.stores import assign, delete, only_written
from jaxlint.engine.summaries.cost import Cost
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import (
    COMPILE_TIME_CONTEXTS,
    EAGER_CONTEXTS,
    UNSTAGED_CONTEXTS,
)
from jaxlint.syntax import ir

# Methods of tests whose body is to raise.
_EXPECT_ERRORS = ("raises", "assertRaises", "assertRaisesRegex")


def assignment(machine: Machine, frame: Frame, node: ir.Assign) -> bool:
    value = machine.eval(frame, node.value)
    for heard in machine.checks.assignment:
        heard(machine, frame, node, value)
    for target in node.targets:
        again = not _is_own(frame, target) and _updates(node.value, target)
        assign(machine, frame, target, value, node, "augment" if again else "assign")
    return True


def _is_own(frame: Frame, target: ir.Expr) -> bool:
    """Whether an assignment binds names of the running code alone: how, concerns nobody."""
    if isinstance(target, ir.Sequence):
        return all(_is_own(frame, one) for one in target.items)
    if not isinstance(target, ir.Name):
        return False
    return target.id not in frame.globals and target.id not in frame.nonlocals


def _updates(value: ir.Expr, target: ir.Expr) -> bool:
    # `seen = seen and ok` says the same however often it runs.
    return not isinstance(value, ir.BoolOp) and updates(value, target)


def annotated(machine: Machine, frame: Frame, node: ir.AnnAssign) -> bool:
    value = None if node.value is None else machine.eval(frame, node.value)
    cls = frame.cls if frame.kind == "class" else None
    if cls is not None and isinstance(node.target, ir.Name) and not _is_of_class(node.annotation):
        cls.fields[node.target.id] = (node.annotation, value)
    if value is not None:
        assign(machine, frame, node.target, value, node)
    return True


def _is_of_class(annotation: ir.Expr) -> bool:
    """Whether an annotation says that a name is a class's own: no field of its objects."""
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        return annotation.value.partition("[")[0].rpartition(".")[2] in _OF_CLASS
    head = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    return dotted_text(head).rpartition(".")[2] in _OF_CLASS


# `AbstractVar`: those that derive declare the field, in their own order.
_OF_CLASS = frozenset({"AbstractClassVar", "AbstractVar", "ClassVar"})


def augmented(machine: Machine, frame: Frame, node: ir.AugAssign) -> bool:
    old = machine.eval(frame, node.target)
    only_written(frame, node.target)
    right = machine.eval(frame, node.value)
    if isinstance(old, Sequence) and old.kind == "list" and node.op == "+":
        _extend(machine, frame, node, old, right)
        return True
    if node.op == "|" and (
        isinstance(old, Mapping) or (isinstance(old, Sequence) and old.kind == "set")
    ):
        _unite(machine, frame, node, old, right)
        return True
    for heard in machine.checks.augmented:
        heard(machine, frame, node, old, right)
    value = binary(machine, frame, node, node.op, old, right, node.target, node.value)
    if not isinstance(node.target, ir.Name) and isinstance(value, Static) and value.known:
        value = Static(kind=value.kind)
    assign(machine, frame, node.target, value, node, "augment")
    return True


def _extend(
    machine: Machine, frame: Frame, node: ir.AugAssign, old: Sequence, right: Value
) -> None:
    element, items, _ = iterate(machine, frame, node.value, right, "unpacking")
    text = node.target.id if isinstance(node.target, ir.Name) else ""
    changed(machine, frame, node.target, old, "container", text, "augment", [right])
    grow(frame, old, items if items is not None else [element])


def _unite(
    machine: Machine, frame: Frame, node: ir.AugAssign, old: Sequence | Mapping, right: Value
) -> None:
    """`|=` changes a dict or set in place."""
    text = node.target.id if isinstance(node.target, ir.Name) else ""
    changed(machine, frame, node.target, old, "container", text, "augment", [right])
    if isinstance(old, Mapping):
        merge(machine, frame, node.value, old, right)
        return
    element, items, _ = iterate(machine, frame, node.value, right, "unpacking")
    grow(frame, old, items if items is not None else [element])
    loosen(old)


def expression(machine: Machine, frame: Frame, node: ir.ExprStmt) -> bool:
    value = machine.eval(frame, node.value)
    if not isinstance(node.value, ir.Const):
        for heard in machine.checks.discard:
            heard(machine, frame, node, value)
    return not (isinstance(value, LibraryName) and value.dotted == "exit")


def returned(machine: Machine, frame: Frame, node: ir.Return) -> bool:
    value = NONE if node.value is None else machine.eval(frame, node.value)
    home = frame.home()
    _escapes(machine, value)
    home.returns.append(value)
    home.exits.append(frame.env)
    return False


def _escapes(machine: Machine, value: Value, depth: int = 2) -> None:
    for one in walk_values(value, known, depth):
        record = getattr(one, "record", None)
        machine.hand_out(one)
        if record is not None:
            machine.borrow(record)
            record.escaped = True


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
    bind_import(machine, frame, node)
    return True


def imported_from(machine: Machine, frame: Frame, node: ir.ImportFrom) -> bool:
    bind_import_from(machine, frame, node)
    return True


def with_block(machine: Machine, frame: Frame, node: ir.With) -> bool:
    block = _WithBlock(machine, frame)
    try:
        with machine.within(patched=machine.dynamic.patched):
            for expr, target in node.items:
                block.enter(node, expr, target)
            began = machine.counters.tick
            falls = block.run(node)
        for expr, done in block.timed:
            clocks.stopped(machine, frame, expr, done)
    finally:
        for one in reversed(block.entered):
            one.leave()
    for expr, dotted in block.names:
        for heard in machine.checks.exit[dotted]:
            heard(machine, frame, expr, dotted, began)
    return True if block.muted else falls


class _WithBlock:
    """What the context expressions of a `with` statement say about its body: they are counted by
    the part of the dynamic context that each of them changes."""

    __slots__ = (
        "compile_time",
        "eager",
        "entered",
        "frame",
        "machine",
        "muted",
        "names",
        "suppressed",
        "timed",
        "unstaged",
    )

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self.machine, self.frame = machine, frame
        self.muted = self.eager = self.unstaged = self.compile_time = 0
        self.suppressed: list[ir.Expr] = []
        self.names: list[tuple[ir.Expr, str]] = []
        self.entered: list[Entered] = []
        self.timed: list[tuple[ir.Expr, Cost]] = []

    def enter(self, node: ir.With, expr: ir.Expr, target: ir.Expr | None) -> None:
        """Enters one context."""
        machine, frame = self.machine, self.frame
        one = Entered(machine, frame)
        self.entered.append(one)
        value = one.evaluate(expr)
        for heard in machine.checks.enter:
            heard(machine, frame, expr, value)
        func = expr.func if isinstance(expr, ir.Call) else expr
        dotted = _context_name(machine, frame, func)
        self.muted += dotted.rpartition(".")[2] in _EXPECT_ERRORS
        if dotted == "contextlib.suppress" and isinstance(expr, ir.Call):
            self.suppressed.extend(argument.value for argument in expr.args)
        inside = entered_by(machine, frame, expr)
        machine.go_on_with(patched=machine.dynamic.patched | inside.patched)
        self.eager += not EAGER_CONTEXTS.isdisjoint((dotted, *inside.contexts))
        self.unstaged += not UNSTAGED_CONTEXTS.isdisjoint((dotted, *inside.contexts))
        self.compile_time += dotted in COMPILE_TIME_CONTEXTS
        self.names.append((expr, dotted))
        held = one.enter(expr, value) if isinstance(value, Instance) else None
        if target is not None:
            assign(machine, frame, target, held or _entered(machine, value), node)
        done = clocks.started(machine, frame, expr, value)
        if done is not None:
            self.timed.append((expr, done))

    def run(self, node: ir.With) -> bool:
        """Runs the body; whether it falls through."""
        now = self.machine.dynamic
        with self.machine.within(
            muted=now.muted + self.muted,
            eager=now.eager + self.eager,
            unstaged=now.unstaged + self.unstaged,
            compile_time=now.compile_time + self.compile_time,
        ):
            if self.suppressed:
                return suppressing(self.machine, self.frame, node, self.suppressed)
            return self.machine.block(self.frame, node.body)


def _entered(machine: Machine, value: Value) -> Value:
    """What `with value as target` binds where it is not entered."""
    if isinstance(value, Iterator) and value.source == "context":
        return value.element
    if isinstance(value, Instance) or (isinstance(value, EffectfulObject) and value.kind != "path"):
        return value
    return machine.unknown("context")


def _context_name(machine: Machine, frame: Frame, func: ir.Expr) -> str:
    if isinstance(func, ir.Attribute):
        inner = machine.eval(frame, func.value)
        if isinstance(inner, LibraryName):
            return lookup.canonical(f"{inner.dotted}.{func.attr}")
        return func.attr
    if isinstance(func, ir.Name):
        value = machine.eval(frame, func)
        return value.dotted if isinstance(value, LibraryName) else func.id
    return ""


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

"""Questions about the type or identity of a traced value, which tracing answers in its own way."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.idioms import types_asked
from jaxlint.dataflow.names import assigned, dotted_text, walk
from jaxlint.engine.checks.concretization.host_conversions import callee_of, refuse
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import TracerType
from jaxlint.engine.domain.values import (
    Class,
    Concrete,
    Function,
    LibraryName,
    NumPy,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.type_tests import names_arrays, names_scalars
from jaxlint.syntax import ir

# Functions that make an array of a number: what is converted is asked about in passing.
_CONVERSIONS = frozenset({"array", "asarray", "float32", "float64", "full", "int32"})


def passed(machine: Machine, func: Function, args: Args) -> None:
    """Notes the parameters that a call gives something else than an array."""
    asked = types_asked(func.node)
    for at, param in enumerate(func.node.params) if asked else ():
        if param.name in asked:
            value = args.get(at, param.name) or func.defaults.get(param.name)
            if not isinstance(value, (Traced, Concrete, NumPy)):
                machine.program.others.add(id(param))


def after(machine: Machine) -> None:
    """Drops questions about parameters that other calls answer in another way: they are there
    for those calls."""
    if machine.program.others:
        machine.collected.drop(lambda fact: _is_answered(machine, fact))


def _is_answered(machine: Machine, fact: facts.Fact) -> bool:
    if not isinstance(fact, facts.ArrayMismatch) or fact.kind != "question" or fact.trail is None:
        return False
    return fact.subject != "same" and id(fact.trail.root().node) in machine.program.others


def isinstance_called(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> None:
    """`isinstance(x, float)`: a tracer is none, whatever the caller passes."""
    if frame.trace.is_host or len(args.positional) != 2:
        return
    subject, types = args.positional
    if not (isinstance(subject, Traced) and names_scalars(types) and len(args.nodes) == 2):
        return
    if not _distinguishes(machine, frame, node, args.nodes[0]):
        text = machine.module.text_of(args.nodes[1])
        _ask(machine, frame, node, subject, "isinstance", text)


def isscalar_called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """`np.isscalar(x)` is False for every array, and so for every tracer."""
    subject = args.get(0, "element")
    if isinstance(subject, Traced) and not frame.trace.is_host:
        _ask(machine, frame, node, subject, "isscalar", callee_of(node, dotted))


def compared(
    machine: Machine,
    frame: Frame,
    node: ir.Compare,
    op: str,
    left: Value,
    right: Value,
    same: bool | None,
) -> Value:
    """`left is right`, of which `same` is known."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, TracerType) and isinstance(other, (LibraryName, Class)):
            if one.traced.leaf and not getattr(other, "dotted", "").startswith("jax."):
                same = False
            if isinstance(other, LibraryName) and names_scalars(other):
                _ask(machine, frame, node, one.traced, "type", other.dotted.rpartition(".")[2])
        elif isinstance(one, Traced) and isinstance(other, Static) and _is_flag(other):
            _ask(machine, frame, node, one, "is", str(other.const))
            same = False if one.leaf else same
    if isinstance(left, Traced) and isinstance(right, Traced) and _are_parameters(left, right):
        _ask(machine, frame, node, left, "same", dotted_text(node.comparators[0]))
    return Static(kind="bool") if same is None else Static(same is (op in ("is", "==")))


def _is_flag(value: Static) -> bool:
    return value.known and isinstance(value.const, (bool, int, float)) and value.kind != "shape"


def _are_parameters(left: Traced, right: Traced) -> bool:
    names = {value.trail.name for value in (left, right) if value.trail.parent is None}
    return len(names) == 2 and "" not in names


def _ask(
    machine: Machine, frame: Frame, node: ir.Node, value: Traced, subject: str, detail: str
) -> None:
    """Reports a question about a parameter of the traced function, in that function or one inside
    it: helpers may be called with something else from elsewhere."""
    if value.kind != "abstract" or value.trail.parent is not None:
        return
    scope: Frame | None = frame
    while scope is not None:
        params = () if scope.func is None else scope.func.params
        if any(param is value.trail.node for param in params):
            refuse(machine, frame, node, value, "question", subject, detail, ())
            return
        scope = scope.parent


def _distinguishes(machine: Machine, frame: Frame, node: ir.Expr, subject: ir.Expr) -> bool:
    """Whether the function tells arrays from numbers on purpose: it asks for arrays as well, or
    makes an array of what it finds to be a number."""
    func = frame.home().func
    name = dotted_text(subject)
    for one in walk(func.body) if func is not None else ():
        if isinstance(one, ir.Call) and dotted_text(one.func) == "isinstance" and one is not node:
            asked = [argument.value for argument in one.args]
            if len(asked) == 2 and dotted_text(asked[0]) == name:
                with machine.quiet():
                    types = machine.eval(frame, asked[1])
                if names_arrays(types):
                    return True
        elif isinstance(one, (ir.If, ir.IfExp)) and _is_conversion(one, node, name):
            return True
    return False


def _is_conversion(test: ir.If | ir.IfExp, node: ir.Expr, name: str) -> bool:
    """Whether what a test that asks `node` decides is only whether to make an array of its
    subject, or what else to make of a number."""
    if not any(part is node for part in walk(test.test)):
        return False
    if isinstance(test, ir.IfExp):
        return _makes_array(test.body) or _makes_array(test.orelse)
    return any(
        branch and all(_converts(statement, name) for statement in branch)
        for branch in (test.body, test.orelse)
    )


def _converts(statement: ir.Stmt, name: str) -> bool:
    if isinstance(statement, ir.Raise):
        return True
    targets, value = assigned(statement)
    if len(targets) != 1 or value is None:
        return False
    return dotted_text(targets[0]) == name and _makes_array(value)


def _makes_array(node: ir.Expr) -> bool:
    if not isinstance(node, ir.Call):
        return False
    return dotted_text(node.func).rpartition(".")[2] in _CONVERSIONS

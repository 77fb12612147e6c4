"""What the outcome of a test says of the values that it asks about."""

from __future__ import annotations

from jaxlint.dataflow.names import aliases, is_none_literal
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Candidates, Possible, among
from jaxlint.engine.domain.values import (
    UNSET,
    Bound,
    Class,
    Function,
    Instance,
    Mapping,
    NonNone,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.inference.parameters import object_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.identity import same_object
from jaxlint.engine.relations.tracer_tests import Question, either, every, negated
from jaxlint.engine.relations.type_tests import (
    includes_arrays,
    names_arrays,
    type_answer,
    type_names,
)
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir


def quiet_truth(value: Value) -> bool | None:
    """The truth of a value where known, and nothing is asked of it."""
    if isinstance(value, Static):
        return None if value.const is UNSET else bool(value.const)
    if isinstance(value, Sequence):
        return None if value.items is None else bool(value.items)
    if isinstance(value, Mapping):
        if value.items:
            return True
        return None if value.open or value.element is not None else False
    if isinstance(value, (Function, Class, Transformed, Bound)):
        return True
    return None


def narrow(machine: Machine, frame: Frame, test: ir.Expr, outcome: bool) -> dict[str, Value]:
    """What a test's outcome says of the names in it."""
    if isinstance(test, ir.UnaryOp) and test.op == "not":
        return narrow(machine, frame, test.operand, not outcome)
    if isinstance(test, ir.BoolOp):
        if outcome is (test.op == "and"):
            found: dict[str, Value] = {}
            for operand in test.values:
                found.update(narrow(machine, frame, operand, outcome))
            return found
        either_way = asked(machine, test)
        return {} if either_way is None else _told(machine, frame, either_way, outcome)
    question = asked(machine, test)
    told = {} if question is None else _told(machine, frame, question, outcome)
    return {**told, **_narrow(machine, frame, test, outcome)}


def _narrow(machine: Machine, frame: Frame, test: ir.Expr, outcome: bool) -> dict[str, Value]:
    if isinstance(test, ir.NamedExpr):
        return narrow(machine, frame, test.target, outcome)
    if isinstance(test, ir.Name):
        return _narrowed(frame, test, lambda v: quiet_truth(v) in (outcome, None))
    if isinstance(test, ir.Compare) and len(test.ops) == 1:
        return _narrow_none(machine, frame, test, outcome)
    if isinstance(test, ir.Call) and isinstance(test.func, ir.Name) and len(test.args) == 2:
        return _narrow_type(machine, frame, test, outcome)
    return {}


def _narrowed(frame: Frame, name: ir.Name, keep: object) -> dict[str, Value]:
    value = frame.env.get(name.id)
    if not isinstance(value, Union) or not callable(keep):
        return {}
    kept = tuple(o for o in value.options if keep(o))
    if not kept or len(kept) == len(value.options):
        return {}
    return {name.id: kept[0] if len(kept) == 1 else Union(kept)}


def _narrow_none(
    machine: Machine, frame: Frame, test: ir.Compare, outcome: bool
) -> dict[str, Value]:
    op, right, left = test.ops[0], test.comparators[0], test.left
    if isinstance(left, ir.NamedExpr):
        left = left.target
    if not isinstance(left, ir.Name):
        return {}
    if not is_none_literal(right):
        return _narrow_same(machine, frame, op, left, right, outcome)
    if op not in ("is", "is not", "==", "!="):
        return {}
    wants_none = outcome is (op in ("is", "=="))
    value = frame.env.get(left.id)
    if wants_none:
        return {left.id: Static(None)} if value is not None and not is_none(value) else {}
    if isinstance(value, Possible):
        return {}
    if isinstance(value, Unknown):
        present = NonNone(value.reason)
        other = aliases(frame.func).get(left.id)
        if other is not None and frame.env.get(other) is value:
            return {left.id: present, other: present}
        return {left.id: present}
    return _narrowed(frame, left, lambda v: not is_none(v))


def _narrow_same(
    machine: Machine, frame: Frame, op: str, left: ir.Name, right: ir.Expr, outcome: bool
) -> dict[str, Value]:
    """`x is MISSING`: the alternatives of `x` that the outcome leaves."""
    value = frame.env.get(left.id)
    plain = isinstance(right, (ir.Name, ir.Attribute, ir.Const))
    if op not in ("is", "is not") or not isinstance(value, Union) or not plain:
        return {}
    with machine.quiet():
        other = machine.eval(frame, right)
    wanted = outcome is (op == "is")
    return _narrowed(
        frame, left, lambda v: same_object(v, other, machine.is_single) in (wanted, None)
    )


def _narrow_type(machine: Machine, frame: Frame, test: ir.Call, outcome: bool) -> dict[str, Value]:
    func, subject = test.func, test.args[0].value
    if not isinstance(func, ir.Name) or not isinstance(subject, ir.Name):
        return {}
    if func.id not in ("isinstance", "hasattr"):
        return {}
    value = frame.env.get(subject.id)
    if value is None:
        return {}
    second = machine.eval(frame, test.args[1].value)
    if isinstance(value, Candidates) and func.id == "isinstance":
        left = [one for one in value.options if type_answer(one, second) in (outcome, None)]
        return {subject.id: among(Unknown(value.reason), left)}
    answers = [
        type_answer(o, second) if func.id == "isinstance" else None
        for o in (value.options if isinstance(value, Union) else (value,))
    ]
    if isinstance(value, Union):
        kept = tuple(
            o for o, a in zip(value.options, answers, strict=True) if a is None or a is outcome
        )
        if kept and len(kept) < len(value.options):
            return {subject.id: kept[0] if len(kept) == 1 else Union(kept)}
        return {}
    if isinstance(value, Traced) and not value.leaf and answers[0] is None:
        told = _narrow_tree(machine, frame, func.id, value, second, outcome)
        return {} if told is None else {subject.id: told}
    if isinstance(value, Instance) and outcome and func.id == "isinstance" and answers[0] is None:
        return _narrow_class(machine, subject.id, value, second)
    return {}


def _narrow_tree(
    machine: Machine, frame: Frame, asked: str, value: Traced, second: Value, outcome: bool
) -> Value | None:
    """What a test of its type says of a tracer, or a pytree of tracers; None where it is still
    any of them."""
    if asked == "isinstance" and (names_arrays if outcome else includes_arrays)(second):
        return leaf_of(value) if outcome else machine.unknown("parameter of some other type")
    if asked == "isinstance" and outcome:
        found = _tree_of(machine, frame, value, second)
        return machine.unknown("parameter of some other type") if found is None else found
    name = second.const if isinstance(second, Static) and second.known else None
    is_of_arrays = name in lookup.ARRAY_ATTRIBUTES or name in lookup.STATIC_ATTRIBUTES
    if asked == "hasattr" and is_of_arrays is not outcome:
        return machine.unknown("parameter of some other type")
    return None


def _tree_of(machine: Machine, frame: Frame, value: Traced, second: Value) -> Value | None:
    """A pytree of a class, or a container, whose leaves are tracers."""
    if isinstance(second, Class):
        return object_of(machine, second, value, frame.trace)
    part = Traced(value.trail, value.kind, leaf=False)
    kinds = {name.removeprefix("builtins.") for name in type_names(second)}
    if kinds == {"dict"}:
        return Mapping({}, frame.trace, element=part, open=True)
    if kinds and kinds <= {"list", "tuple"}:
        return Sequence("tuple" if kinds == {"tuple"} else "list", None, frame.trace, part)
    return None


def _narrow_class(machine: Machine, name: str, value: Instance, second: Value) -> dict[str, Value]:
    """An object that stands for all of its class is, behind `isinstance`, one of a subclass."""
    if not (value.generic and isinstance(second, Class)):
        return {}
    if second.derives(value.cls):
        return {name: generic_instance(machine, second)}
    return {name: machine.unknown("object of some other class")}


def leaf_of(value: Traced) -> Traced:
    """The same tracer, now known to be an array."""
    return Traced(value.trail, value.kind, value.dtype, value.rank, True, value.weak)


# -- questions about tracers ------------------------------------------------------------------


def noted(machine: Machine, node: ir.Node, value: Value) -> None:
    """Keeps the question that a test asks, or its answer, until its outcomes are told."""
    if isinstance(value, Question) or (isinstance(value, Static) and value.known):
        machine.program.questions[id(node)] = value
    else:
        machine.program.questions.pop(id(node), None)


def asked(machine: Machine, node: ir.Expr) -> Question | None:
    """The question that a test has just asked."""
    if isinstance(node, ir.UnaryOp) and node.op == "not":
        inner = asked(machine, node.operand)
        return None if inner is None else negated(inner)
    if isinstance(node, ir.BoolOp):
        stop = node.op == "or"
        parts = [asked(machine, one) for one in node.values if not _is_idle(machine, one, stop)]
        return (either if stop else every)(parts)
    found = machine.program.questions.get(id(node))
    return found if isinstance(found, Question) else None


def _is_idle(machine: Machine, node: ir.Expr, stop: bool) -> bool:
    """Whether an operand of `or` (`stop`) or `and` is known not to decide."""
    if isinstance(node, ir.UnaryOp) and node.op == "not":
        return _is_idle(machine, node.operand, not stop)
    found = machine.program.questions.get(id(node))
    return found is not None and found.known and bool(found.const) is not stop


def _told(machine: Machine, frame: Frame, question: Question, outcome: bool) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for subject, leaf in question.if_true if outcome else question.if_false:
        value: Value = machine.unknown("value of some other type")
        if leaf and isinstance(subject, Traced):
            value = leaf_of(subject)
        scope: Frame | None = frame
        while scope is not None and not scope.trace.is_host:
            for name, held in scope.env.items():
                if _is_same(held, subject) and (scope is frame or name not in frame.bound):
                    found.setdefault(name, value)
            scope = scope.enclosing()
    return found


def _is_same(held: Value, subject: Value) -> bool:
    """Whether a name holds what was asked about, narrowed or not."""
    if held is subject:
        return True
    if not isinstance(held, Traced) or not isinstance(subject, Traced):
        return False
    return held.trail is subject.trail


def restore(frame: Frame, held: dict[str, Value | None]) -> None:
    """Gives names their values back, those that had none lose theirs."""
    for name, value in held.items():
        if value is None:
            frame.env.pop(name, None)
        else:
            frame.env[name] = value

"""Truth and comparisons of abstract values."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint import facts
from jaxlint.engine.checks.concretization import type_tests
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.concretization.static_arguments import compared
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Field
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.traversal import alternatives
from jaxlint.engine.domain.values import (
    UNSET,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Method,
    NonNone,
    NumPy,
    Perhaps,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    as_traced,
    is_none,
)
from jaxlint.engine.evaluation.container_classes import elements
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.conditions.narrowing import narrow, noted, quiet_truth, restore
from jaxlint.engine.operations.conditions.short_circuit import Guards
from jaxlint.engine.operations.evidence import as_numbers
from jaxlint.engine.relations.identity import same_object
from jaxlint.engine.relations.tracer_tests import Question, negated
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir


def truth_of(
    machine: Machine, frame: Frame, node: ir.Node, value: Value, sink: facts.Sink, callee: str = ""
) -> bool | None:
    """The truth of a value where known; a tracer that is asked for it is reported."""
    noted(machine, node, value)
    if isinstance(value, Static):
        return None if value.const is UNSET else bool(value.const)
    if isinstance(value, Traced):
        demand(machine, frame, node, value, sink, callee)
        return None
    if isinstance(value, Union):
        asked = demand(machine, frame, node, value, sink, callee)
        machine.counters.doubts += not asked and any(isinstance(o, Traced) for o in value.options)
        answers = {quiet_truth(o) for o in value.options}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(value, Instance) and isinstance(node, ir.Expr):
        for name in ("__bool__", "__len__"):
            made = dunder.method(machine, frame, node, value, name)
            if made is not None:
                return truth_of(machine, frame, node, made, sink, callee)
        plain = value.cls.opaque or value.generic or value.cls.externals()
        return None if plain else True
    return machine.tally.asked(frame, node, value, sink) or quiet_truth(value)


def truth(machine: Machine, frame: Frame, node: ir.Expr, sink: facts.Sink) -> bool | None:
    """The truth of a test expression: operators inside it ask on behalf of `sink`."""
    if isinstance(node, ir.UnaryOp) and node.op == "not":
        inner = truth(machine, frame, node.operand, sink)
        return None if inner is None else not inner
    if isinstance(node, ir.BoolOp):
        return _truth_of_operands(machine, frame, node, sink)
    if isinstance(node, ir.Compare) and len(node.ops) > 1:
        value = compare(machine, frame, node, sink)
    else:
        value = machine.eval(frame, node)
    return truth_of(machine, frame, node, value, sink)


def _truth_of_operands(
    machine: Machine, frame: Frame, node: ir.BoolOp, sink: facts.Sink
) -> bool | None:
    stop = node.op == "or"
    result: bool | None = not stop
    held: dict[str, Value | None] = {}
    guards = Guards(machine, frame)
    for operand in node.values:
        with guards.around(operand):
            answer = truth(machine, frame, operand, sink)
        if answer is stop:
            # An operand that is certain to decide does so whatever came before.
            result = stop
            break
        if answer is None:
            result = None
            guards.add(operand)
        for name, value in narrow(machine, frame, operand, not stop).items():
            held.setdefault(name, frame.env.get(name))
            frame.env[name] = value
    restore(frame, held)
    return result


def compare(machine: Machine, frame: Frame, node: ir.Compare, sink: facts.Sink) -> Value:
    """A comparison; every pair of a chain but the last is asked for its truth."""
    left = machine.eval(frame, node.left)
    result: Value = Static(True)
    last = len(node.ops) - 1
    left_node = node.left
    for at, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = machine.eval(frame, right_node)
        result = compare_pair(machine, frame, node, op, left, right, left_node, right_node)
        if at < last:
            asked = sink if last > 0 else "chain"
            if truth_of(machine, frame, node, result, asked) is False:
                return Static(False)
        left, left_node = right, right_node
    return result


def compare_pair(
    machine: Machine,
    frame: Frame,
    node: ir.Compare,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value:
    """One comparison of two values."""
    flag = right.const if isinstance(right, Static) else None
    if isinstance(left, Question) and isinstance(flag, bool) and op in _SAME:
        return left if flag is (op in ("is", "==")) else negated(left)
    if op in ("is", "is not"):
        same = same_object(left, right, machine.is_single)
        return type_tests.compared(machine, frame, node, op, left, right, same)
    if op in ("in", "not in"):
        return _membership(machine, frame, node, op, left, right)
    if isinstance(left, Static) and isinstance(right, Static):
        return _compare_constants(op, left, right)
    for heard in machine.checks.operation:
        heard(machine, frame, node, op, (left, right), (left_node, right_node))
    if op not in ("==", "!="):
        left, right = as_numbers(frame, left, right, left_node, right_node)
    arrays = [v for v in (left, right) if isinstance(v, (Traced, Concrete))]
    if as_traced(left) is None and as_traced(right) is None and not arrays:
        return _compare_objects(machine, frame, node, op, left, right)
    return _compare_arrays(machine, frame, node, op, left, right)


def _compare_objects(
    machine: Machine, frame: Frame, node: ir.Compare, op: str, left: Value, right: Value
) -> Value:
    """A comparison of what are no arrays of JAX."""
    equality = op in ("==", "!=")
    types = equality and isinstance(left, LibraryName) and isinstance(right, LibraryName)
    if types and (same := same_object(left, right)) is not None:
        return type_tests.compared(machine, frame, node, op, left, right, same)
    if (made := dunder.compare(machine, frame, node, op, left, right)) is not None:
        return made
    same = _equal(machine, frame, node, left, right) if equality else None
    if same is not None:
        return Static(same is (op == "=="))
    return _compare_others(machine, frame, node, op, left, right)


def _compare_arrays(
    machine: Machine, frame: Frame, node: ir.Compare, op: str, left: Value, right: Value
) -> Value:
    """A comparison with an array of JAX."""
    if op in ("==", "!="):
        for one, other in ((left, right), (right, left)):
            if isinstance(other, Static) and other.kind == "structure":
                return Static(kind="bool")  # No array is compared with one.
            if isinstance(other, Static) and (is_none(other) or other.kind == "str"):
                leaf = not isinstance(one, Traced) or one.leaf
                return Static(op == "!=") if leaf else Static(kind="bool")
        if not (_comparable(left) and _comparable(right)):
            return _equal_to_unknown(machine, frame, node, left, right)
    elif not (_orderable(left) and _orderable(right)):
        return machine.unknown("comparison with an unknown object")
    return compared(machine, frame, node, [left, right])


def _equal_to_unknown(
    machine: Machine, frame: Frame, node: ir.Compare, left: Value, right: Value
) -> Value:
    """Whether an array equals what is not known: an array of answers, unless that is None or an
    object that no array is compared with."""
    unknown = machine.unknown("equality with an unknown value")
    arrays = [one for one in (left, right) if isinstance(one, Traced) and one.leaf]
    if len(arrays) != 1 or not any(type(one) in (Unknown, NonNone) for one in (left, right)):
        return unknown
    made = compared(machine, frame, node, [left, right])
    if isinstance(made, Traced):
        made.trail = made.trail.part(node, optional=True)
        return made
    return unknown


def _comparable(value: Value) -> bool:
    return all(isinstance(o, (Traced, Concrete, Static, NumPy)) for o in alternatives(value))


def _orderable(value: Value) -> bool:
    unknown = type(value) in (Unknown, Perhaps, OpaqueArray) or isinstance(value, Field)
    return unknown or _comparable(value)


def _equal(
    machine: Machine, frame: Frame, node: ir.Compare, left: Value, right: Value, depth: int = 6
) -> bool | None:
    """Whether containers and records are equal: element by element, until two differ."""
    if left is right and isinstance(left, (Sequence, Mapping, Instance)):
        return True
    if depth == 0:
        return None
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.generic or right.generic or left.cls.opaque:
            return None
        if left.cls != right.cls or not left.cls.compares:
            return False if not left.cls.compares else None
        pairs = [(left.fields.get(n), right.fields.get(n)) for n in left.cls.fields]
        return _equal_pairs(machine, frame, node, pairs, depth - 1)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        ordered = left.kind == right.kind and left.kind in ("list", "tuple")
        if not ordered or left.items is None or right.items is None:
            return None
        if len(left.items) != len(right.items):
            return False
        both = zip(left.items, right.items, strict=True)
        return _equal_pairs(machine, frame, node, both, depth - 1)
    return None


def _equal_pairs(
    machine: Machine,
    frame: Frame,
    node: ir.Compare,
    pairs: Iterable[tuple[Value | None, Value | None]],
    depth: int,
) -> bool | None:
    for left, right in pairs:
        answer: bool | None = None
        if isinstance(left, Static) and isinstance(right, Static):
            constant = _compare_constants("==", left, right)
            answer = constant.const if isinstance(constant, Static) and constant.known else None
        elif left is not right and left is not None and right is not None:
            for one, other in ((left, right), (right, left)):
                number = isinstance(other, (Traced, Concrete)) or dtype_of(other) != ""
                if number and demand(machine, frame, node, one, "in", "=="):
                    return None
            answer = _equal(machine, frame, node, left, right, depth)
        if answer is not True:
            return answer
    return True


def _compare_others(
    machine: Machine, frame: Frame, node: ir.Compare, op: str, left: Value, right: Value
) -> Value:
    has_numpy = isinstance(left, NumPy) or isinstance(right, NumPy)
    if has_numpy and _comparable(left) and _comparable(right):
        return NumPy("bool")
    if all(isinstance(v, (Static, Sequence, Class)) or _is_dtype(v) for v in (left, right)):
        return Static(kind="bool")
    if op in ("==", "!=") and any(isinstance(v, _COMPARED_BY_IDENTITY) for v in (left, right)):
        return Static(kind="bool")
    return machine.unknown("comparison")


def _is_dtype(value: Value) -> bool:
    return isinstance(value, LibraryName) and lookup.dtype_kind(value.dotted) != ""


# Values that are equal to themselves alone.
_COMPARED_BY_IDENTITY = (Function, Class, Transformed, Bound, Method)


def _compare_constants(op: str, left: Static, right: Static) -> Value:
    if not (left.known and right.known):
        return Static(kind="bool")
    a, b = left.const, right.const
    try:
        answers = {
            "==": lambda: a == b,
            "!=": lambda: a != b,
            "<": lambda: a < b,
            "<=": lambda: a <= b,
            ">": lambda: a > b,
            ">=": lambda: a >= b,
        }
        return Static(bool(answers[op]()))
    except (TypeError, ValueError, KeyError):
        return Static(kind="bool")


_SAME = frozenset({"is", "is not", "==", "!="})


def _membership(
    machine: Machine, frame: Frame, node: ir.Compare, op: str, left: Value, right: Value
) -> Value:
    asked = dunder.method(machine, frame, node, right, "__contains__", left)
    if asked is not None:
        answer = truth_of(machine, frame, node, asked, "in")
        return Static(kind="bool") if answer is None else Static(answer is (op == "in"))
    container = as_traced(right)
    if container is not None:
        if container.leaf and (as_traced(left) or isinstance(left, Static)):
            demand(machine, frame, node, right, "in", container="array")
        return Static(kind="bool")
    for heard in machine.checks.containment:
        heard(machine, frame, node, left, right)
    if as_traced(left) is not None and _compares_elements(right):
        demand(machine, frame, node, left, "in")
    found = _contains(left, elements(right) or right)
    return Static(kind="bool") if found is None else Static(found is (op == "in"))


def _contains(left: Value, right: Value) -> bool | None:
    """Whether a container holds a value, None where that is not known."""
    if isinstance(left, LibraryName) and isinstance(right, Sequence) and right.items:
        answers = {same_object(left, i) for i in right.items}
        return (True in answers) if None not in answers else None
    if not (isinstance(left, Static) and left.known) or isinstance(left.const, (list, dict)):
        return None
    if isinstance(right, Mapping) and not right.open and right.element is None:
        return left.const in right.items
    if isinstance(right, Sequence) and right.items is not None:
        known = [i for i in right.items if isinstance(i, Static) and i.known]
        if len(known) == len(right.items):
            return any(i.const == left.const for i in known)
    return None


def _compares_elements(container: Value) -> bool:
    """Whether membership compares a tracer with numbers or arrays in the container."""
    if isinstance(container, Static):
        return container.kind in ("shape", "range")
    if isinstance(container, Sequence) and container.kind in ("list", "tuple"):
        first = container.items[0] if container.items else container.element
        return first is not None and (dtype_of(first) != "" or as_traced(first) is not None)
    return isinstance(container, (NumPy, Concrete))

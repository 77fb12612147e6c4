"""Arithmetic on abstract values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from jaxlint.engine.checks.concretization.static_arguments import from_python
from jaxlint.engine.checks.immutability import in_place, references
from jaxlint.engine.checks.library import transform_options
from jaxlint.engine.checks.numerics import lost_gradient
from jaxlint.engine.domain.dtypes import combined
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.kinds.array_values import Dims
from jaxlint.engine.domain.pytrees import (
    INEXACT,
    dtype_of,
    finds_traced,
    is_array,
    is_inexact,
    is_number,
    rank_of,
    strongest,
    why_unknown,
)
from jaxlint.engine.domain.ranks import matrix_rank
from jaxlint.engine.domain.shapes import broadcast, dims_of, multiplied, with_dims
from jaxlint.engine.domain.special_values import EffectfulObject, OpaqueArray, TracedString
from jaxlint.engine.domain.values import (
    STR,
    Concrete,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    as_traced,
    is_none,
    join,
    join_all,
)
from jaxlint.engine.evaluation import alternatives
from jaxlint.engine.inference.dependence import untraced
from jaxlint.engine.inference.extents import combined_extent
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.containers.dicts import union
from jaxlint.engine.operations.containers.sequence_operators import of_sequence
from jaxlint.engine.operations.evidence import as_numbers
from jaxlint.engine.operations.scalars import is_large, is_wide
from jaxlint.engine.relations.type_tests import united
from jaxlint.syntax import ir

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "/": operator.truediv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "**": operator.pow,
    "<<": operator.lshift,
}
# Results of these may be long: what is larger is not computed.
_MOST_EXPONENT = 64
_MOST_BASE = 1 << 16
_FOLD_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
}
_ORDER = ("bool", "int", "float", "complex")


def binary(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value:
    """The result of `left op right`."""
    if frame.trace.loses and op not in lost_gradient.FLAT_OPERATORS:
        bare = [lost_gradient.bare(left), lost_gradient.bare(right)]
        if bare[0] is not left or bare[1] is not right:
            numbers = binary(machine, frame, node, op, bare[0], bare[1], left_node, right_node)
            return lost_gradient.carried(numbers, [left, right])
    if isinstance(left, Static) and isinstance(right, Static):
        return _static(op, left, right)
    left, right = as_numbers(frame, left, right, left_node, right_node)
    if op == "|" and (types := united([left, right])) is not None:
        return types
    answer = _by_library(machine, frame, node, op, left, right)
    if answer is not None:
        return answer
    if isinstance(left, Union) or isinstance(right, Union):
        return _each(machine, frame, node, op, left, right, left_node, right_node)
    if isinstance(left, Static) and left.kind == "str" and op == "%":
        traced = finds_traced(right)
        return STR if traced is None else TracedString(traced, *_traced_items(right, right_node))
    answer = _of_containers(machine, frame, op, left, right, left_node, right_node)
    if answer is not None:
        return answer
    if isinstance(left, FrameworkObject) or isinstance(right, FrameworkObject):
        left, right = (as_operand(machine, frame, left_node, v) for v in (left, right))
        if isinstance(left, FrameworkObject) or isinstance(right, FrameworkObject):
            return machine.unknown("operator of a library object")
        return binary(machine, frame, node, op, left, right, left_node, right_node)
    answer = _of_objects(machine, frame, node, op, left, right, left_node, right_node)
    if answer is not None:
        return answer
    return _of_arrays(machine, frame, node, op, left, right, left_node, right_node)


def _of_containers(
    machine: Machine,
    frame: Frame,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value | None:
    """The result for sequences and mappings, None where there are none."""
    for one, other, other_node in ((left, right, right_node), (right, left, left_node)):
        if isinstance(one, Sequence) and not isinstance(other, Instance):
            return of_sequence(machine, frame, op, one, other, other_node, one is left)
    if isinstance(left, Mapping) and isinstance(right, Mapping) and op == "|":
        return union(frame, left, right)
    return None


def _of_objects(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value | None:
    """The result for objects with operators of their own, None where there are none."""
    if isinstance(left, (Instance, Mapping)) or isinstance(right, (Instance, Mapping)):
        made = dunder.binary(machine, frame, left_node, op, left, right)
        return machine.unknown("operator of an object") if made is None else made
    for one in (left, right):
        if isinstance(one, EffectfulObject) and one.kind == "path" and op == "/":
            return one
    if isinstance(left, Ref) or isinstance(right, Ref):
        return references.operated(machine, frame, [(left, left_node), (right, right_node)])
    if type(left) is Transformed or type(right) is Transformed:
        return transform_options.operated(machine, frame, node, left, right)
    return None


def _of_arrays(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value:
    """The result for arrays and numbers."""
    for heard in machine.checks.operation:
        heard(machine, frame, node, op, (left, right), (left_node, right_node))
    traced = strongest([left, right])
    if traced is not None or isinstance(left, Concrete) or isinstance(right, Concrete):
        for heard in machine.checks.array_operation:
            heard(machine, frame, node, op, (left, right), (left_node, right_node))
    if traced is not None:
        return _of_tracer(machine, frame, node, op, left, right, traced)
    if isinstance(left, Concrete) or isinstance(right, Concrete):
        dtype = result_dtype(op, left, right)
        result = machine.operation(frame, node, [left, right], dtype, _rank(op, left, right))
        if type(result) is Unknown and dtype == "complex":
            return machine.unknown(why_unknown(dtype))
        combined_extent(machine, op, left, right, result)
        return with_dims(combined(op, left, right, result), _dims(op, left, right))
    plain = isinstance(left, (NumPy, Static)) and isinstance(right, (NumPy, Static))
    if plain and (isinstance(left, NumPy) or isinstance(right, NumPy)):
        return NumPy(result_dtype(op, left, right))
    made = in_place.combined(left, right)
    if made is None:
        return machine.unknown(why_unknown(result_dtype(op, left, right)))
    made.dtype, made.rank = result_dtype(op, left, right), _rank(op, left, right)
    return with_dims(combined(op, left, right, made), _dims(op, left, right))


def _of_tracer(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    left: Value,
    right: Value,
    traced: Traced,
) -> Value:
    """The result where one operand is a tracer."""
    other = right if as_traced(left) is not None else left
    no_number = isinstance(other, Static) and other.kind not in ("int", "float", "bool")
    if not traced.leaf and (no_number or (op == "+" and isinstance(other, Unknown))):
        return machine.unknown("operator on a parameter")
    both = [untraced(left), untraced(right)] if op == "//" else [left, right]
    dtype, rank = result_dtype(op, left, right), _rank(op, left, right)
    result = machine.operation(frame, node, both, dtype, rank)
    combined_extent(machine, op, left, right, result)
    result = with_dims(combined(op, left, right, result), _dims(op, left, right))
    return from_python(result, both)


def as_operand(machine: Machine, frame: Frame, node: ir.Node, value: Value) -> Value:
    """What a library's object is to an operator; other values are what they are."""
    if not isinstance(value, FrameworkObject):
        return value
    return machine.frameworks.ask("operand", value, machine, frame, node, value) or value


def _each(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    left: Value,
    right: Value,
    left_node: ir.Expr,
    right_node: ir.Expr,
) -> Value:
    lefts = left.options if isinstance(left, Union) else (left,)
    rights = right.options if isinstance(right, Union) else (right,)
    pairs = [(a, b) for a in lefts for b in rights if not (is_none(a) or is_none(b))]
    results = alternatives.each(
        machine,
        pairs,
        lambda pair: binary(machine, frame, node, op, *pair, left_node, right_node),
    )
    return join_all(results) if results else machine.unknown("operator on None")


def _traced_items(value: Value, node: ir.Expr) -> list[ir.Expr]:
    """Which values of a template are traced."""
    items = value.items if isinstance(value, Sequence) else None
    if not isinstance(node, ir.Sequence) or items is None or len(items) != len(node.items):
        return [node]
    both = zip(items, node.items, strict=True)
    return [one for item, one in both if finds_traced(item) is not None] or [node]


def _static(op: str, left: Static, right: Static) -> Value:
    if isinstance(left, TracedString) and left.kind == "str":
        more = right.places if isinstance(right, TracedString) and op == "+" else ()
        return TracedString(left.traced, *left.places, *more) if more else left
    if isinstance(right, TracedString) and op == "+":
        return right
    if left.known and right.known and op in _FOLD and _foldable(op, left.const, right.const):
        try:
            return Static(_FOLD[op](left.const, right.const))
        except (ArithmeticError, TypeError, ValueError):
            return Static()
    if left.kind == "str" or (right.kind == "str" and op == "+"):
        return STR
    if left.kind == "shape" or right.kind == "shape":
        return Static(kind="shape" if op in "+*" else "")
    if is_number(left) and is_number(right):
        return Static(kind=_number(op, left.kind, right.kind))
    return Static()


def _foldable(op: str, left: Any, right: Any) -> bool:
    if op in ("**", "<<"):
        whole = type(left) is int and type(right) is int
        return whole and abs(left) <= _MOST_BASE and 0 <= right <= _MOST_EXPONENT
    if isinstance(left, str) or isinstance(right, str):
        if op == "*" and (is_large(left) or is_large(right)):
            return False
        if op == "%" and is_wide(left):
            return False
    return _small(left) and _small(right)


def _small(const: Any) -> bool:
    if isinstance(const, (bool, int)):
        return -(1 << 64) < const < 1 << 64
    return isinstance(const, float) or (isinstance(const, str) and len(const) < 1000)


def _number(op: str, a: str, b: str) -> str:
    if op == "/":
        return "float" if "complex" not in (a, b) else "complex"
    kind = max(a, b, key=_ORDER.index)
    return "int" if kind == "bool" and op not in "&|^" else kind


def result_dtype(op: str, left: Value, right: Value) -> str:
    """The dtype kind of an arithmetic result, "" where an operand's is unknown."""
    a, b = dtype_of(left), dtype_of(right)
    if op == "/" and a and b:
        return "complex" if "complex" in (a, b) else "float"
    if not a or not b:
        if "complex" in (a, b):
            return "complex"
        return INEXACT if _is_inexact(op, left, right) else ""
    if a == b == "bool" and op in "+*":
        return "bool"  # Arrays of truth values are not counted, as Python's are.
    return _number(op, a, b)


def _is_inexact(op: str, left: Value, right: Value) -> bool:
    """Whether arithmetic with something of unknown dtype gives no integers. What may be an object
    with operators of its own makes no array of whole numbers of a float either."""
    if op in "&|^<<>>" or not (is_array(left) or is_array(right)):
        return False
    return op == "/" or is_inexact(left) or is_inexact(right)


def _rank(op: str, left: Value, right: Value) -> int | None:
    a, b = rank_of(left), rank_of(right)
    if op == "@":
        return matrix_rank(a, b)
    return None if a is None or b is None else max(a, b)


def _dims(op: str, left: Value, right: Value) -> Dims | None:
    a, b = dims_of(left), dims_of(right)
    return multiplied(a, b) if op == "@" else broadcast([a, b])


def _by_library(
    machine: Machine, frame: Frame, node: ir.Node, op: str, left: Value, right: Value | None
) -> Value | None:
    """What a library says of an operator of its own objects or names."""
    for one in (left, right):
        if isinstance(one, (LibraryName, FrameworkObject)):
            given = (machine, frame, node, op, left, right)
            answer = machine.frameworks.ask("arithmetic", one, *given)
            if answer is not None:
                return answer
    return None


def unary(machine: Machine, frame: Frame, node: ir.Node, op: str, value: Value) -> Value:
    """The result of `-x`, `+x` or `~x`."""
    if frame.trace.loses and (plain := lost_gradient.bare(value)) is not value:
        return lost_gradient.carried(unary(machine, frame, node, op, plain), [value])
    if isinstance(value, Union):
        results = [unary(machine, frame, node, op, o) for o in value.options]
        result = results[0]
        for other in results[1:]:
            result = join(result, other)
        return result
    if isinstance(value, FrameworkObject):
        answer = _by_library(machine, frame, node, op, value, None)
        if answer is not None:
            return answer
        operand = as_operand(machine, frame, node, value)
        if not isinstance(operand, FrameworkObject):
            return unary(machine, frame, node, op, operand)
    if isinstance(value, Static):
        if value.known and _small(value.const):
            try:
                return Static(_FOLD_UNARY[op](value.const))
            except TypeError:
                return Static()
        return Static(kind=value.kind)
    if isinstance(value, (Traced, Concrete)):
        result = machine.operation(frame, node, [value], dtype_of(value), rank_of(value))
        result = with_dims(combined("", value, value, result), dims_of(value))
        return from_python(result, [value])
    if isinstance(value, NumPy):
        return NumPy(value.dtype)
    if isinstance(value, OpaqueArray):
        return with_dims(value.along(value.rank), dims_of(value))
    if isinstance(value, Ref) and isinstance(node, ir.UnaryOp):
        return references.operated(machine, frame, [(value, node.operand)])
    if isinstance(value, Instance) and isinstance(node, ir.Expr):
        made = dunder.method(machine, frame, node, value, dunder.UNARY[op])
        if made is not None:
            return made
    return machine.unknown(why_unknown(dtype_of(value)))

"""What is known of the arrays that a function makes: how many dimensions they have, and that they
have a dtype of their own (`jnp.int32(0)`), not one that gives way (`0`)."""

from __future__ import annotations

from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.knowledge.arrays.ranks import (
    BROADCAST,
    ELEMENTWISE,
    FLAT,
    RANKS,
    REDUCTIONS,
    SHAPED,
    TYPED,
)
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]

_NUMBERS = frozenset({"bool", "complex", "float", "int"})


# Lists that nest deeper have no rank that is known: they may hold the same list again and again.
MOST_NESTED = 6


def rank_of(value: Value, depth: int = MOST_NESTED) -> int | None:
    """The number of dimensions of what `jnp.asarray` makes of a value, None where not known."""
    if isinstance(value, (Traced, Concrete)):
        return value.rank
    if isinstance(value, Static):
        return 0 if value.kind in _NUMBERS else 1 if value.kind in ("shape", "range") else None
    if depth and isinstance(value, Sequence) and value.kind in ("list", "tuple") and value.items:
        inner = {rank_of(item, depth - 1) for item in value.items}
        found = inner.pop()
        return None if inner or found is None else found + 1
    return None


def made_rank(name: str, spec: FunctionSpec, bound: Bound) -> int | None:
    """How many dimensions the result of a function has, None where that is not known."""
    if spec.scalar:
        return 0
    if any("*" in argument for argument in bound):
        return 1 if name == "reshape" and len(bound) == 2 and _is_number(bound, "args*0") else None
    if name in SHAPED:
        return _shape_rank(bound)
    if name in REDUCTIONS:
        return _reduced(spec, bound)
    first = next(iter(bound.values()), (NONE, None))[0]
    operand = bound.get("self", (first, None))[0]
    if name in ELEMENTWISE:
        return rank_of(operand)
    if name in BROADCAST:
        ranks = [rank_of(value) for value, _ in bound.values()]
        return None if None in ranks or len(ranks) < 2 else max(r for r in ranks if r is not None)
    if name in ("array", "asarray"):
        return None if "ndmin" in bound else rank_of(operand)
    if name in FLAT:
        return 1
    if name in ("linspace", "dot"):
        ends = [rank_of(value) for value, _ in list(bound.values())[:2]]
        return RANKS[name] if ends == [1 - RANKS[name]] * 2 and "axis" not in bound else None
    return RANKS.get(name)


def _is_number(bound: Bound, name: str) -> bool:
    value = bound[name][0] if name in bound else NONE
    return isinstance(value, Static) and value.kind == "int"


def _shape_rank(bound: Bound) -> int | None:
    if "shape" not in bound:
        return 0 if "key" in bound else None
    shape = bound["shape"][0]
    if isinstance(shape, Sequence):
        return None if shape.items is None else len(shape.items)
    return 1 if _is_number(bound, "shape") else None


def _reduced(spec: FunctionSpec, bound: Bound) -> int | None:
    axis = bound.get("axis", (NONE, None))[0]
    if "keepdims" in bound or not isinstance(axis, Static) or "axis" not in spec.params:
        return None
    if is_none(axis):
        return 0
    operand = next(iter(bound.values()), (NONE, None))[0]
    rank = rank_of(bound.get("self", (operand, None))[0])
    return rank - 1 if axis.kind == "int" and rank else None


def matrix_rank(left: int | None, right: int | None) -> int | None:
    """The number of dimensions of `left @ right`."""
    if left is None or right is None or left == 0 or right == 0:
        return None
    return max(left, right) if left > 1 and right > 1 else max(left, right) - 1


def typed(name: str, bound: Bound, result: Value) -> Value:
    """The result of a function, marked where its dtype was asked for or is the function's."""
    if isinstance(result, (Traced, Concrete)):
        if name == "arange" and "dtype" not in bound:
            kinds = {dtype_of(value) for value, _ in bound.values()}
            result.dtype = kinds.pop() if len(kinds) == 1 else ""
        if not result.dtype:
            return result
        asked = bound.get("dtype")
        if name in TYPED or (asked is not None and not is_none(asked[0])):
            result.strong = True
    return result


def combined(left: Value, right: Value, result: Value) -> Value:
    """The result of an operator: strong where an operand of its kind is."""
    if isinstance(result, (Traced, Concrete)) and result.dtype:
        for value in (left, right):
            if is_strong(value) and dtype_of(value) == result.dtype:
                result.strong = True
    return result


def is_strong(value: Value) -> bool:
    """Whether an array certainly has a dtype of its own, which does not give way to another."""
    if isinstance(value, (Traced, Concrete)):
        return value.strong
    return isinstance(value, NumPy)

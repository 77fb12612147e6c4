"""How many dimensions arrays have, and those that a function makes of them."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    NONE,
    NUMBERS,
    Concrete,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.knowledge.arrays.ranks import (
    ALONG_AN_AXIS,
    AT_LEAST,
    BROADCAST,
    CHANGED,
    CUMULATIVE,
    DRAWN,
    ELEMENTWISE,
    FLAT,
    JOINED,
    LIKE,
    LOSSES_OF_ELEMENTS,
    LOSSES_OF_ROWS,
    RANKS,
    REDUCTIONS,
    SHAPED,
)
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]


# Lists that nest deeper have no rank that is known: they may hold the same list again and again.
MOST_NESTED = 6


def rank_of(value: Value, depth: int = MOST_NESTED) -> int | None:
    """The number of dimensions of what `jnp.asarray` makes of a value, None where not known."""
    if isinstance(value, (Traced, Concrete, OpaqueArray)):
        return value.rank
    if isinstance(value, Static):
        return 0 if value.kind in NUMBERS else 1 if value.kind in ("shape", "range") else None
    if depth and isinstance(value, Sequence) and value.kind in ("list", "tuple") and value.items:
        inner = {rank_of(item, depth - 1) for item in value.items}
        found = inner.pop()
        return None if inner or found is None else found + 1
    return None


def made_rank(name: str, spec: FunctionSpec, bound: Bound) -> int | None:
    """How many dimensions the result of a function has, None where that is not known."""
    if spec.scalar:
        return 0
    first = next(iter(bound.values()), (NONE, None))[0]
    operand = bound.get("self", (first, None))[0]
    if name in _RULES:
        return _RULES[name](name, spec, bound, operand)
    if any("*" in argument for argument in bound):
        return _given_ranks(name, bound, operand)
    if name in SHAPED:
        return _shape_rank(bound)
    if name in ELEMENTWISE:
        return rank_of(operand) if is_none(_option(bound, "shape")) else _shape_rank(bound)
    if name in BROADCAST:
        ranks = [rank_of(value) for value, _ in bound.values()]
        return None if len(ranks) < 2 else _most(ranks)
    if name in CHANGED:
        rank = rank_of(operand)
        return None if rank is None or rank + CHANGED[name] < 0 else rank + CHANGED[name]
    if name in LIKE:
        return rank_of(bound[LIKE[name]][0]) if LIKE[name] in bound else None
    if name in FLAT:
        return 1
    if name in ("linspace", "dot"):
        ends = [rank_of(value) for value, _ in list(bound.values())[:2]]
        return RANKS[name] if ends == [1 - RANKS[name]] * 2 and "axis" not in bound else None
    return RANKS.get(name)


def _most(ranks: list[int | None], least: int = 0) -> int | None:
    """The rank of arrays that are broadcast against each other."""
    known = [rank for rank in ranks if rank is not None]
    return max([least, *known]) if len(known) == len(ranks) else None


def _given_ranks(name: str, bound: Bound, operand: Value) -> int | None:
    """The rank of the result where arguments of `*rest` are given."""
    rest = [value for key, (value, _) in bound.items() if "*" in key]
    if name == "reshape":
        return _number_of_axes(rest[0]) if len(rest) == 1 else len(rest)
    if name == "transpose":
        return rank_of(operand)
    if name in AT_LEAST and len(rest) == 1:
        return _most([rank_of(rest[0])], AT_LEAST[name])
    return None


def _number_of_axes(shape: Value) -> int | None:
    """How many axes a shape has, which may be a number."""
    if isinstance(shape, Sequence):
        return None if shape.items is None else len(shape.items)
    return 1 if isinstance(shape, Static) and shape.kind == "int" else None


def _shape_rank(bound: Bound) -> int | None:
    if "shape" not in bound:
        return 0 if "key" in bound else None
    return _number_of_axes(bound["shape"][0])


def _option(bound: Bound, name: str) -> Value:
    """What a parameter is given, None where that is nothing."""
    return bound[name][0] if name in bound else NONE


def matrix_rank(left: int | None, right: int | None) -> int | None:
    """The number of dimensions of `left @ right`."""
    if left is None or right is None or left == 0 or right == 0:
        return None
    return max(left, right) if left > 1 and right > 1 else max(left, right) - 1


def indexed_rank(array: Value, index: Value) -> int | None:
    """The number of dimensions of `array[index]`, None where it is not known."""
    parts = index.items if isinstance(index, Sequence) and index.kind == "tuple" else [index]
    rank, arrays = rank_of(array), list[int]()
    if rank is None or parts is None:
        return None
    for part in parts:
        if is_none(part):
            rank += 1
        elif isinstance(part, Static) and part.kind == "int":
            rank -= 1
        elif isinstance(part, (Traced, Concrete)) and part.dtype == "int" and part.rank is not None:
            # Several arrays are broadcast against each other, and give one set of dimensions.
            arrays.append(part.rank)
            rank -= 1
        elif not _is_slice(part):
            return None
    rank += max(arrays, default=0)
    return rank if rank >= 0 else None


def _is_slice(part: Value) -> bool:
    """Whether a part of an index is a slice or `...`, which leave the number of axes alone."""
    if isinstance(part, Sequence):
        return part.kind == "slice"
    return isinstance(part, Static) and part.const is ...


# -- functions with a rule of their own ------------------------------------------------------------


def _reduced(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    rank, axis, keeps = rank_of(operand), _option(bound, "axis"), _option(bound, "keepdims")
    if not is_none(keeps) and not (isinstance(keeps, Static) and keeps.const is False):
        return rank if isinstance(keeps, Static) and keeps.const is True else None
    if "axis" not in spec.params:
        return None
    if is_none(axis):
        return 0
    count = _number_of_axes(axis)
    return rank - count if rank and count is not None and rank >= count else None


def _along_axis(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    """Functions with a result for each element along an axis, or of a flat array."""
    flat = name in CUMULATIVE and "axis" not in bound and spec.params[:1] != ("operand",)
    if flat or ("axis" in bound and is_none(bound["axis"][0])):
        return 1
    is_told = "axis" not in bound or _number_of_axes(bound["axis"][0]) == 1
    # `repeat` takes a number for an array of one element, the others refuse it.
    return _most([rank_of(operand)], int(name in CUMULATIVE)) if is_told else None


def _joined(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    """What is made of a list of arrays: those that are joined as they are have the same rank."""
    if "axis" in bound and is_none(bound["axis"][0]):
        return 1
    if not isinstance(operand, Sequence) or not operand.items:
        return None
    ranks = [rank_of(item) for item in operand.items]
    if JOINED[name] == 0:
        return next((rank for rank in ranks if rank is not None), None)
    return _most(ranks, JOINED[name])


def _stacked(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    if not isinstance(operand, Sequence):
        return rank_of(operand)
    found = [rank_of(item) for item in operand.items or ()]
    known = next((rank for rank in found if rank is not None), None)
    return None if known is None else known + 1


def _converted(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    return None if "ndmin" in bound else rank_of(operand)


def _expanded(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    rank, count = rank_of(operand), _number_of_axes(_option(bound, "axis"))
    return None if rank is None or count is None else rank + count


def _squeezed(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    rank, count = rank_of(operand), _number_of_axes(_option(bound, "axis"))
    return None if rank is None or count is None or rank < count else rank - count


def _indexed(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    """Functions that keep an axis of one element unless they are told not to."""
    rank, keeps = rank_of(operand), _option(bound, "keepdims")
    if is_none(keeps) or not rank:
        return rank or None
    if not isinstance(keeps, Static) or not isinstance(keeps.const, bool):
        return None
    return rank if keeps.const else rank - 1


def _taken(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    indices, rank = rank_of(_option(bound, "indices")), rank_of(operand)
    if is_none(_option(bound, "axis")):
        return indices
    return None if not rank or indices is None else rank - 1 + indices


def _multiplied(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    return matrix_rank(rank_of(_option(bound, "a")), rank_of(_option(bound, "b")))


def _summed(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    """`einsum`, whose text names the axes of its result."""
    text = operand.const if isinstance(operand, Static) else None
    if not isinstance(text, str) or "->" not in text or "." in text:
        return None
    return len(text.rpartition("->")[2].replace(" ", ""))


def _solved(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    return rank_of(_option(bound, "b")) if rank_of(operand) == 2 else None


def _diagonal(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    return {1: 2, 2: 1}.get(rank_of(operand) or 0)


def _categories(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    rank, shape = rank_of(_option(bound, "logits")), _option(bound, "shape")
    if not is_none(shape):
        return _number_of_axes(shape)
    return rank - 1 if rank else None


def _chosen(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    is_flat = "key" in bound and rank_of(_option(bound, "a")) in (0, 1)
    return _shape_rank(bound) if is_flat else None


def _permuted(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    return _most([rank_of(_option(bound, "x"))], 1)


def _drawn(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    shape = _option(bound, "shape")
    if not is_none(shape):
        return _number_of_axes(shape)
    given = (one for parameter, (one, _) in bound.items() if parameter not in _NO_PARAMETERS)
    return _most([rank_of(one) for one in given])


def _of_elements(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    given = (_option(bound, name) for name in spec.params[:2])
    return _most([rank_of(one) for one in given if not is_none(one)])


def _of_rows(name: str, spec: FunctionSpec, bound: Bound, operand: Value) -> int | None:
    rank = rank_of(_option(bound, "logits"))
    count = _number_of_axes(bound["axis"][0]) if "axis" in bound else 1
    return rank - count if rank and count is not None and rank >= count else None


# Arguments of functions that draw which are no parameters of the distribution.
_NO_PARAMETERS = frozenset({"dtype", "key", "method", "mode", "out_sharding", "shape"})
_Rule = Callable[[str, FunctionSpec, Bound, Value], int | None]
_RULES: dict[str, _Rule] = {
    "array": _converted,
    "asarray": _converted,
    "categorical": _categories,
    "choice": _chosen,
    "diag": _diagonal,
    "dynamic_index_in_dim": _indexed,
    "einsum": _summed,
    "expand_dims": _expanded,
    "index_in_dim": _indexed,
    "matmul": _multiplied,
    "permutation": _permuted,
    "solve": _solved,
    "squeeze": _squeezed,
    "stack": _stacked,
    "take": _taken,
    **dict.fromkeys(LOSSES_OF_ELEMENTS, _of_elements),
    **dict.fromkeys(LOSSES_OF_ROWS, _of_rows),
    **dict.fromkeys(DRAWN, _drawn),
    **dict.fromkeys(JOINED, _joined),
    **dict.fromkeys(REDUCTIONS, _reduced),
    **dict.fromkeys(ALONG_AN_AXIS | CUMULATIVE, _along_axis),
}

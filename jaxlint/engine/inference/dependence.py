"""Functions of arrays that do nothing, or whose result has nothing to do with an operand."""

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
    join,
)
from jaxlint.engine.inference.lengths import with_length
from jaxlint.syntax import ir

# Their results have the shape of an operand, and nothing else of it.
SHAPED = frozenset({"empty_like", "full_like", "ones_like", "zeros_like"})
# Without a derivative, so that a tracer of `grad` outside staged code goes in and an array out.
FLAT = frozenset(
    [
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "ceil",
        "digitize",
        "fix",
        "floor",
        "floor_divide",
        "heaviside",
        "one_hot",
        "rint",
        "round",
        "searchsorted",
        "sign",
        "stop_gradient",
        "trunc",
    ]
)
# They give values, and where these are: integers, which have no derivative.
WITH_INDICES = frozenset({"approx_max_k", "approx_min_k", "top_k"})


def depends_on(name: str, operands: list[Value]) -> list[Value]:
    """The operands that the result of a function is traced by, outside staged code."""
    if name in SHAPED:
        return operands[1:]
    return [untraced(v) for v in operands] if name in FLAT else operands


def untraced(value: Value) -> Value:
    """What a result without a derivative is computed from: a tracer of `grad` has a value."""
    if isinstance(value, Traced) and value.kind == "ad":
        return Concrete(value.dtype, value.rank)
    return value


# Functions that give a concrete array back, as it is, when nothing is to be done.
_IDENTITIES = frozenset(
    ["array", "asarray", "astype", "broadcast_to", "permute_dims", "reshape", "transpose"]
)


def handed_back(
    name: str, bound: dict[str, tuple[Value, ir.Expr]], operands: list[Value], result: Value
) -> Value:
    """The result of a function that does nothing to an array which is already as asked for."""
    result = with_length(name, bound, result)
    first = operands[0] if operands else NONE
    if name not in _IDENTITIES or not isinstance(first, (Concrete, NumPy)):
        return result
    if isinstance(first, NumPy):
        # Left to the method of the array, which knows nothing of shardings.
        return first if name == "reshape" and "out_sharding" not in bound else result
    copies = bound.get("copy", (NONE, None))[0]
    if name in ("array", "asarray"):
        is_kept = isinstance(copies, Static) and (
            copies.const is False or (name == "asarray" and copies.const is None)
        )
        if not is_kept:
            return result
        if "dtype" not in bound:
            return first
    if _changes_rank(first, bound.get("shape", (NONE, None))[0]):
        return result
    if _have_other_ranks(first, result):
        return result
    if result is first or (first.dtype and dtype_of(result) not in ("", first.dtype)):
        return result
    return join(first, result)


def _have_other_ranks(array: Concrete, result: Value) -> bool:
    """Whether an array and a result certainly have different numbers of dimensions."""
    rank = result.rank if isinstance(result, (Traced, Concrete)) else None
    return array.rank is not None and rank is not None and array.rank != rank


def _changes_rank(array: Concrete, shape: Value) -> bool:
    """Whether a shape that is asked for certainly has another number of dimensions."""
    asked = shape.items if isinstance(shape, Sequence) else None
    return array.rank is not None and asked is not None and len(asked) != array.rank

"""What is known of the dtypes of the arrays that a function makes, and that they have one of their
own (`jnp.int32(0)`), not one that gives way (`0`)."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.engine.domain.kinds.array_values import Strength
from jaxlint.engine.domain.pytrees import INEXACT, WHOLE, dtype_of, is_inexact
from jaxlint.engine.domain.special_values import DType, OpaqueArray
from jaxlint.engine.domain.traversal import alternatives
from jaxlint.engine.domain.values import (
    Concrete,
    LibraryName,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    is_none,
)
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.ranks import TYPED
from jaxlint.knowledge.arrays.results import (
    COUNTED,
    INEXACT_RESULTS,
    NOT_PROMOTED,
    PROMOTED,
    PROMOTED_COUNTS,
    PROMOTED_INEXACT,
    REAL_PARTS,
    SAME_DTYPE,
    SPREADS,
)
from jaxlint.knowledge.arrays.widths import DEFAULTS, promoted_width, width_of
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]
# Lists that nest deeper have no dtype that is known.
MOST_NESTED = 4
_KINDS = ("bool", "int", "float", "complex")
_PROMOTES = PROMOTED | PROMOTED_COUNTS | PROMOTED_INEXACT
# Those that make floating-point arrays unless a dtype is given.
_FLOATS = frozenset({"empty", "eye", "linspace", "one_hot", "ones", "tri", "zeros"})
_DRAWS_FLOATS = frozenset({"normal", "orthogonal", "truncated_normal", "uniform"})
# Parameters that tell the dtype of a result.
_DTYPES = ("dtype", "preferred_element_type", "new_dtype")
# Those of `jax.random` that give elements of an array, or of a range of numbers.
_DRAWN = {"choice": "a", "permutation": "x"}


def kind_of_dtype(value: Value, depth: int = MOST_NESTED) -> str:
    """The kind of dtype of what `jnp.asarray` makes of a value, `INEXACT` for one of two kinds,
    "" where it is not known."""
    if isinstance(value, Sequence):
        items = value.items if depth and value.element is None else None
        return promoted(kind_of_dtype(item, depth - 1) for item in items or ())
    if isinstance(value, Union):
        found = {kind_of_dtype(option, 0) for option in alternatives(value)}
        return found.pop() if len(found) == 1 else ""
    return dtype_of(value) or (INEXACT if is_inexact(value) else "")


def promoted(kinds: Iterable[str]) -> str:
    """The kind of dtype that several promote to, as `kind_of_dtype` gives them."""
    found = {*kinds}
    if "complex" in found:
        return "complex"
    if INEXACT in found or ("" in found and "float" in found):
        return INEXACT
    return "" if "" in found else max(found, key=_KINDS.index, default="")


def made_dtype(name: str, spec: FunctionSpec, bound: Bound) -> str:
    """The kind of dtype of the result of a function, which goes by the last word of its name."""
    asked = _asked(bound)
    if asked is not None:
        return named_dtype(asked)
    if spec.dtype or name in _FLOATS or (name in _DRAWS_FLOATS and "key" in bound):
        return spec.dtype or "float"
    if spec.result == "key":
        return ""
    kind = promoted(kind_of_dtype(one) for one in _sources(name, bound))
    if name in COUNTED or name in PROMOTED_COUNTS:
        return "int" if kind == "bool" else kind
    if name in REAL_PARTS:
        return "float" if kind in ("complex", INEXACT) else kind
    if name in SPREADS:
        return "float"
    if name in INEXACT_RESULTS or name in PROMOTED_INEXACT:
        return "float" if kind in WHOLE else kind or INEXACT
    return kind


def _asked(bound: Bound) -> Value | None:
    """The dtype that a function is told to give its result."""
    given = [bound[option][0] for option in _DTYPES if option in bound]
    return next((one for one in given if not is_none(one)), None)


def _sources(name: str, bound: Bound) -> list[Value]:
    """The arguments that decide the dtype of a result, none where that is not known."""
    if name in _PROMOTES:
        given = [value for key, (value, _) in bound.items() if _key(key) not in NOT_PROMOTED]
        return [value for value in given if not is_none(value)]
    if name in ("array", "asarray", "full"):
        words = ("fill_value",) if name == "full" else ("object", "a")
    elif name in _DRAWN and "key" in bound:
        words = (_DRAWN[name],)
    elif name in SAME_DTYPE or name in COUNTED or name in REAL_PARTS or name in INEXACT_RESULTS:
        words = ("self", next(iter(bound), ""))
    else:
        return []
    return next(([bound[word][0]] for word in words if word in bound), [])


def _key(argument: str) -> str:
    """The parameter of an argument: those of `*rest` are numbered."""
    return argument.partition("*")[0]


def named_dtype(value: Value) -> str:
    """The dtype kind that `jnp.int32`, `bool`, "float32" or `x.dtype` stands for."""
    if isinstance(value, DType):
        return value.numbers
    if isinstance(value, Static) and isinstance(value.const, str):
        return lookup.dtype_kind(f"jax.numpy.{value.const}")
    return lookup.dtype_kind(value.dotted) if isinstance(value, LibraryName) else ""


# -- dtypes that stand -----------------------------------------------------------------------------


def typed(dotted: str, spec: FunctionSpec, bound: Bound, result: Value) -> Value:
    """The result of a function, marked where its dtype does not give way to another."""
    if not isinstance(result, (Traced, Concrete, OpaqueArray)):
        return result
    name, kind = dotted.rpartition(".")[2], dtype_of(result)
    asked, sources = _asked(bound), _sources(name, bound)
    if kind and asked is not None:
        result.strong = named_width(asked) or True
    elif kind and (
        name in TYPED
        or (name in ("array", "asarray") and isinstance(sources[0], Sequence))
        or spec.dtype == "int"
        or dotted.startswith("jax.random.")
        or (spec.dtype and dotted.startswith("jax.numpy.fft."))
        or _stands(name, kind, sources)
    ):
        result.strong = _made_width(name, spec, kind, sources) or True
    return resting(result, [value for value, _ in bound.values()])


def combined(op: str, left: Value, right: Value, result: Value) -> Value:
    """The result of an operator, marked where its dtype does not give way to another."""
    arrays = (Traced, Concrete, OpaqueArray)
    if isinstance(result, arrays) and result.dtype and not result.strong:
        name = _FUNCTIONS.get(op, "")
        if (_is_typed(left) or _is_typed(right)) and _stands(name, result.dtype, [left, right]):
            result.strong = _promoted_width(result.dtype, [left, right]) or True
    return resting(result, [left, right])


def resting(result: Value, operands: list[Value]) -> Value:
    """The result of an operation, marked where all that is known of it rests on what is weak: the
    number that an annotation promises may be an array."""
    if isinstance(result, Traced) and not result.strong and result.rank == 0:
        arrays = [one for one in operands if isinstance(one, (Traced, Concrete, OpaqueArray))]
        result.weak = bool(arrays) and all(isinstance(one, Traced) and one.weak for one in arrays)
    return result


# Functions that operators call whose results are not simply of the dtype that they promote to.
_FUNCTIONS = {"/": "divide", "**": "power"}


def _stands(name: str, kind: str, sources: list[Value]) -> bool:
    """Whether a result of this kind has a dtype that stands, as that of an operand decides which
    all of them promote to."""
    parts = [*_parts(sources)]
    top = promoted(map(kind_of_dtype, parts))
    if name in ("pow", "power"):
        parts = parts[:1]  # A weak base makes a weak result, whatever the exponent is.
    same = kind == top or (top == "int" and kind == "float" and name in PROMOTED_INEXACT)
    return same and any(_is_typed(one) and kind_of_dtype(one) == top for one in parts)


def _parts(values: list[Value], depth: int = MOST_NESTED) -> Iterable[Value]:
    for value in values:
        if isinstance(value, Sequence) and value.items and depth:
            yield from _parts(value.items, depth - 1)
        else:
            yield value


def _is_typed(value: Value) -> bool:
    """Whether an array has a dtype that stands: that of truth values always does."""
    arrays = (Traced, Concrete, OpaqueArray)
    return bool(is_strong(value)) or (isinstance(value, arrays) and value.dtype == "bool")


def is_strong(value: Value) -> Strength:
    """Whether an array certainly has a dtype of its own, which does not give way to another."""
    if isinstance(value, (Traced, Concrete, OpaqueArray)):
        return value.strong
    return isinstance(value, NumPy)


# -- widths ----------------------------------------------------------------------------------------


def width(value: Value) -> str:
    """The width of the dtype of an array whose dtype stands, "" where it is not known."""
    strong = value.strong if isinstance(value, (Traced, Concrete, OpaqueArray)) else ""
    return strong if isinstance(strong, str) else ""


def named_width(value: Value) -> str:
    """The width that `jnp.int32`, `bool`, "float32" or `x.dtype` stands for."""
    if isinstance(value, DType):
        return value.width
    if isinstance(value, Static) and isinstance(value.const, str):
        return width_of(value.const)
    if isinstance(value, LibraryName) and lookup.dtype_kind(value.dotted):
        return width_of(value.dotted.rpartition(".")[2])
    return ""


def dtype_named(value: Value) -> Value:
    """`jnp.dtype(value)`."""
    kind = named_dtype(value)
    return DType(kind, named_width(value)) if kind else Static(kind="dtype")


def dtype_value(value: Value) -> Value:
    """`x.dtype`."""
    kind = dtype_of(value)
    return DType(kind, width(value)) if kind else Static(kind="dtype")


def _made_width(name: str, spec: FunctionSpec, kind: str, sources: list[Value]) -> str:
    """The width of what a function makes that is asked for no dtype."""
    if name in COUNTED and kind == "int":
        return ""
    given = promoted(map(kind_of_dtype, _parts(sources)))
    if not sources or (given and given != kind):
        return DEFAULTS.get(kind, "") if _is_default(name, spec) else ""
    # `lax.dot` keeps the dtype of one of two narrow arrays.
    differ = name == "dot" and len({*map(width, sources)}) > 1
    return "" if differ else _promoted_width(kind, sources)


def _is_default(name: str, spec: FunctionSpec) -> bool:
    """Whether a function makes numbers of the width that is the default."""
    makes = name in _FLOATS or name in _DRAWS_FLOATS or name in ("arange", "bernoulli")
    return makes or name in INEXACT_RESULTS or name in PROMOTED_INEXACT


def _promoted_width(kind: str, sources: list[Value]) -> str:
    """The width that operands promote to, of which those of other kinds give way, as numbers of
    Python do."""
    parts = [one for one in _parts(sources) if kind_of_dtype(one) in (kind, "")]
    numbers = [one for one in parts if isinstance(one, Static)]
    arrays = [one for one in parts if not isinstance(one, Static)]
    if numbers and not arrays:
        return DEFAULTS.get(kind, "")
    return promoted_width(map(width, arrays))

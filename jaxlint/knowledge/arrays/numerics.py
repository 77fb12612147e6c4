"""Where functions of JAX have no finite derivative, and which others keep values away from there.

Source: JAX documentation, FAQ, "Gradients contain NaN where using where".
"""

from __future__ import annotations

from typing import Final

# Functions by the last part of their names, and what values give no finite derivative: those at
# zero, those up to zero, or those of an absolute value of one.
PARTIAL: Final[dict[str, str]] = {
    "log": "positive",
    "log2": "positive",
    "log10": "positive",
    "log1p": "above -1",
    "sqrt": "positive",
    "rsqrt": "positive",
    "reciprocal": "nonzero",
    "arccos": "below 1",
    "acos": "below 1",
    "arcsin": "below 1",
    "asin": "below 1",
    "arctanh": "below 1",
    "atanh": "below 1",
    "arccosh": "above 1",
    "acosh": "above 1",
    "norm": "nonzero",
    "logit": "inside",
    "xlogy": "positive",
}
# Functions that overflow: for large operands neither they nor their derivatives are finite.
OVERFLOWS: Final = frozenset({"exp", "exp2", "expm1", "sinh", "cosh"})
# From here on an operand of these is large: the author of a test thinks of overflow.
LARGE_OPERAND: Final = 10.0
# Those of them with a value at zero.
ROOTS: Final = frozenset({"sqrt", "norm"})
# Orders of `jnp.linalg.norm` whose derivative at zero is finite: `tests/knowledge/test_numerics.py`
# asks JAX. That of infinity has no number here.
FINITE_NORMS: Final[frozenset[str | float]] = frozenset({0, 1, "nuc"})
# Functions that may give zero although nothing that they are given is.
MAY_VANISH: Final = frozenset(
    {
        *("segment_sum", "bincount", "histogram", "dot", "vdot", "matmul", "einsum", "tensordot"),
        *("subtract", "mod", "remainder", "diff", "convolve"),
    }
)
# Those whose second operand must not be zero.
QUOTIENTS: Final = frozenset({"divide", "true_divide", "div"})
POWERS: Final = frozenset({"power", "pow", "float_power"})
# What keeps a value away from where a derivative is not finite.
KEEPS_AWAY: Final = frozenset(
    {
        "where",
        "select",
        "select_n",
        "maximum",
        "minimum",
        "max",
        "min",
        "fmax",
        "fmin",
        "clip",
        "clamp",
        "exp",
        "exp2",
        "softplus",
        "sigmoid",
        "softmax",
        "cosh",
        "nan_to_num",
        "stop_gradient",
        "ones_like",
        "ones",
        "full",
        "arange",
    }
)
NEVER_NEGATIVE: Final = frozenset({"abs", "absolute", "exp", "exp2", "fabs", "square", "sqrt"})
"""Functions that give real numbers of zero or more, where they give one."""

KEEPS_ZERO: Final = frozenset(
    {
        *("abs", "absolute", "fabs", "square", "sqrt", "negative", "real", "conj"),
        *("round", "rint", "floor", "trunc", "sign", "sin", "sinh", "tan", "tanh", "expm1"),
        *("arcsin", "arctan", "log1p", "multiply", "divide", "true_divide", "astype", "asarray"),
    }
)
"""Functions that give zero where their first operand is zero."""

MOVES_ZERO: Final = frozenset(
    {
        *("roll", "flip", "fliplr", "flipud", "rot90", "diff", "cumsum", "tril", "triu", "trace"),
        *("reshape", "ravel", "transpose", "swapaxes", "moveaxis", "squeeze", "expand_dims"),
        *("broadcast_to", "tile", "repeat", "matmul", "dot", "flatten"),
    }
)
"""Functions that give zeros alone where all of their first operand is zero, though in other
places."""

ZERO_SUMS: Final[dict[str, int]] = {"sum": 1, "mean": 1, "norm": 2, "max": 1, "amax": 1}
"""Reductions that give zero where all that they reduce is zero, and which argument is the axis."""

CLAMPS: Final[dict[str, tuple[tuple[str | int, ...], tuple[str | int, ...]]]] = {
    "maximum": ((1,), ()),
    "minimum": ((), (1,)),
    "clip": ((1, "min", "a_min"), (2, "max", "a_max")),
}
"""Functions that keep their first operand between bounds: the arguments that are the lower and the
upper one. They multiply the derivative of what they clamp by zero; `jnp.fmax` and `jnp.fmin`, which
are made of `where`, put a zero in its place."""

LATE_CLAMPS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    **dict.fromkeys(("jax.numpy.maximum", "jax.lax.max"), (("x", "y"), ("x", "y"))),
    "jax.numpy.fmax": (("x1", "x2"), ("x1", "x2")),
    "jax.numpy.clip": (("arr",), ("min",)),
    "clip": (("self",), ("min",)),
    "jax.lax.clamp": (("x",), ("min",)),
    "jax.numpy.nan_to_num": (("x",), ()),
}
"""Functions that keep what they are given from values below a bound, or replace what is no number:
the parameters that may be the operand, and the lower bound. Where they do, their derivative is
zero, which an infinite derivative of the operand is multiplied by."""

LOGARITHMS: Final = frozenset({"log", "log2", "log10"})
SMALL_BOUND: Final = 1e-2
"""Up to here a lower bound of a root is there so that something may be divided by it."""

LOW_BOUND: Final = -10.0
"""Up to here a lower bound of a logarithm is there for the sake of zero."""

BOUNDARY: Final[dict[str, tuple[frozenset[float], frozenset[float]]]] = {
    "positive": (frozenset({0.0}), frozenset()),
    "nonzero": (frozenset({0.0}), frozenset({0.0})),
    "below 1": (frozenset({-1.0}), frozenset({1.0})),
    "above 1": (frozenset({1.0}), frozenset()),
    "above -1": (frozenset({-1.0}), frozenset()),
    "inside": (frozenset({0.0}), frozenset({1.0})),
    "not negative": (frozenset(), frozenset()),
}
"""The lower and upper bounds of a domain at which the derivative is infinite."""

SELECTIONS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "jax.numpy.where": ("condition", ("x", "y")),
    "jax.lax.select": ("pred", ("on_true", "on_false")),
    "jax.numpy.select": ("condlist", ("choicelist", "default")),
}
"""Functions that choose: the parameter that decides, and those that are chosen from, that for a
true condition first."""

POINTS: Final[dict[str, tuple[float, ...]]] = {
    "positive": (0.0, -1.0),
    "nonzero": (0.0,),
    "below 1": (1.0, -1.0, 2.0),
    "above 1": (1.0, 0.0),
    "above -1": (-1.0, -2.0),
    "inside": (0.0, 1.0),
    "not negative": (-1.0,),
}
"""Values that are not in a domain."""


def is_within(domain: str, values: list[float]) -> bool:
    """Whether values are all in a domain, and for lack of a zero on one side of it."""
    low, high = min(values), max(values)
    return {
        "positive": low > 0,
        "nonzero": low > 0 or high < 0,
        "below 1": low > -1 and high < 1,
        "above 1": low > 1,
        "above -1": low > -1,
        "inside": low > 0 and high < 1,
        "not negative": low >= 0,
    }[domain]


WIDE_DTYPES: Final[dict[str, str]] = {
    **{name: name for name in ("float64", "int64", "uint64", "complex128")},
    "double": "float64",
    "cdouble": "complex128",
    "f8": "float64",
    "i8": "int64",
    "u8": "uint64",
    "c16": "complex128",
}
"""Names of dtypes that JAX narrows unless 64-bit numbers are switched on. Source: JAX
documentation, "Double (64bit) precision"."""

RANGES: Final[dict[str, tuple[int, int]]] = {
    "int32": (-(1 << 31), (1 << 31) - 1),
    "int64": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "uint64": (0, (1 << 32) - 1),
}
"""What the integers of a dtype hold where those of 64 bits are narrowed."""

COMPUTES: Final = frozenset(
    f"jax.numpy.{name}"
    for name in (
        *("abs", "absolute", "add", "array", "asarray", "bitwise_and", "bitwise_or"),
        *("bitwise_xor", "clip", "divide", "equal", "exp", "floor_divide", "greater"),
        *("greater_equal", "less", "less_equal", "log", "maximum", "minimum", "mod", "multiply"),
        *("not_equal", "remainder", "sqrt", "stack", "subtract", "true_divide", "where"),
    )
) | {"jax.device_put", "jax.lax.add", "jax.lax.mul", "jax.lax.sub", "jax.random.randint"}
"""Functions whose Python integers become arrays of 32 bits, or raise `OverflowError`."""

LARGE: Final = frozenset({"time_ns"})
"""Functions whose integers never fit in 32 bits."""

NOT_OPERANDS: Final = frozenset({"shape", "dtype", "axis", "device", "ndmin", "key"})

SHAPED_BY: Final[dict[str, str]] = {
    **dict.fromkeys(("zeros", "ones", "full", "empty"), "shape"),
    **dict.fromkeys(("normal", "uniform", "bernoulli", "randint", "exponential"), "shape"),
    **dict.fromkeys(("zeros_like", "ones_like", "full_like", "empty_like"), "like"),
    **dict.fromkeys(("abs", "exp", "log", "sin", "cos", "tanh", "sqrt", "square"), "like"),
    **dict.fromkeys(("astype", "clip", "copy", "round", "negative", "sort"), "like"),
    **dict.fromkeys(("array", "asarray"), "data"),
    **dict.fromkeys(("all", "any", "argmax", "argmin", "max", "mean", "median", "min"), "reduced"),
    **dict.fromkeys(("prod", "std", "sum", "var"), "reduced"),
    "arange": "range",
    "linspace": "points",
    "eye": "matrix",
    "identity": "matrix",
}
"""What decides the shape of what a function makes: the argument `shape`, its first argument, the
data, the bounds of a range, a number of points, or the axes that are left."""

ZEROS: Final = frozenset({"zeros", "zeros_like"})
"""Functions whose results are all zero."""

BLANK: Final = frozenset({"empty", "empty_like"})
"""Functions whose results hold whatever was in memory, from JAX 0.11 on. Source: JAX change log,
0.11.0."""

NOT_READ: Final = frozenset(
    {
        *("zeros_like", "ones_like", "full_like", "empty_like", "shape", "ndim", "size"),
        *("dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim"),
        *("scatter", "reshape", "broadcast_to", "astype", "copy", "device_put", "array"),
        *("asarray", "expand_dims", "squeeze", "ravel", "transpose", "put_along_axis"),
        *("block_until_ready", "view", "concatenate", "stack", "swapaxes", "moveaxis"),
    }
)
"""Functions that ask for the shape of an array, hand it on, or write into a copy of it."""

FORMULAS: Final = frozenset({"jax.numpy.log", "jax.lax.log", "jax.numpy.sqrt", "jax.lax.sqrt"})
"""Functions that undo others, or have a stable form together with them."""

HIGH_PRECISION: Final = frozenset({"float32", "float64"})
LOW_PRECISION: Final = frozenset({"bfloat16", "float16"})
"""Dtypes that an array of NumPy with more bits promotes. Source: JAX documentation, "Type promotion
semantics"."""

STEPS: Final = frozenset(
    {
        *("round", "rint", "floor", "ceil", "trunc", "fix", "sign", "heaviside", "floor_divide"),
        *("argmax", "argmin", "argsort", "searchsorted", "digitize", "isnan", "isfinite"),
        *("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "isclose"),
        *("logical_and", "logical_or", "logical_not", "one_hot", "stop_gradient", "count_nonzero"),
    }
)
"""Functions that are constant almost everywhere, or treated so: their derivative is zero. Source:
JAX documentation, FAQ, "Why are gradients zero for functions based on sort order?"."""

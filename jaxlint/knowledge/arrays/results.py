"""Which dtypes the results of functions have, by the kinds "bool", "int", "float" and "complex".

Functions go by the last words of their names, in `jax.numpy`, `jax.numpy.linalg`, `jax.numpy.fft`,
`jax.nn`, `jax.lax`, `jax.ops`, `jax.scipy.special` and `jax.scipy.linalg`, and of methods of
arrays.

Source: "Type promotion semantics" in the JAX documentation; `tests/knowledge/test_results.py` asks
the installed JAX.
"""

from __future__ import annotations

# They give floating-point or complex numbers, whatever they are given.
INEXACT_RESULTS: frozenset[str] = frozenset({
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "asin",
    "asinh", "atan", "atanh", "average", "celu", "cholesky", "corrcoef", "cos", "cosh", "cov",
    "deg2rad", "degrees", "det", "elu", "exp", "exp2", "expit", "expm1", "gelu", "glu",
    "hard_sigmoid", "hard_silu", "hard_swish", "inv", "log", "log10", "log1p", "log2",
    "log_sigmoid", "log_softmax", "logistic", "logit", "logsumexp", "mean", "mish", "nanmean",
    "nanstd", "nanvar", "pinv", "rad2deg", "radians", "reciprocal", "rsqrt", "selu", "sigmoid",
    "silu", "sin", "sinc", "sinh", "soft_sign", "softmax", "softplus", "sqrt", "squareplus",
    "std", "swish", "tan", "tanh", "trapezoid", "var",
})  # fmt: skip
# Of these, those that give floating-point numbers for complex ones.
SPREADS: frozenset[str] = frozenset({"nanstd", "nanvar", "std", "var"})
# They give an array of the dtype of their first argument.
SAME_DTYPE: frozenset[str] = frozenset({
    "amax", "amin", "around", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast",
    "broadcast_to", "ceil", "conj", "conjugate", "copy", "cummax", "cummin", "diag", "diagflat",
    "diagonal", "diff", "dsplit", "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim", "dynamic_update_slice", "dynamic_update_slice_in_dim",
    "empty_like", "expand_dims", "fftshift", "flatten", "flip", "fliplr", "flipud", "floor",
    "full_like", "hsplit", "ifftshift", "index_in_dim", "matrix_transpose", "max", "min",
    "moveaxis", "nan_to_num", "nanmax", "nanmin", "negative", "ones_like", "pad", "partition",
    "permute_dims", "pmax", "pmin", "positive", "ppermute", "ptp", "ravel", "repeat", "reshape",
    "rev", "roll", "rollaxis", "rot90", "round", "segment_max", "segment_min", "segment_prod",
    "segment_sum", "sign", "slice_in_dim", "sort", "split", "squeeze", "stop_gradient", "swapaxes",
    "take", "take_along_axis", "tile", "top_k", "transpose", "tril", "triu", "trunc", "unstack",
    "vsplit", "zeros_like",
})  # fmt: skip
# The same, but that they count truth values.
COUNTED: frozenset[str] = frozenset({
    "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "hard_tanh", "nancumprod",
    "nancumsum", "nanprod", "nansum", "prod", "relu", "square", "sum", "trace",
})  # fmt: skip
# The same, but that they give floating-point numbers for complex ones.
REAL_PARTS: frozenset[str] = frozenset({"abs", "absolute", "imag", "real"})
# They promote the dtypes of all arrays that they are given, in lists too.
PROMOTED: frozenset[str] = frozenset({
    "add", "append", "arange", "block", "clamp", "clip", "column_stack", "concat", "concatenate",
    "cross", "dot", "dstack", "einsum", "fmax", "fmin", "hstack", "inner", "kron", "matmul",
    "matvec", "maximum", "minimum", "multiply", "outer", "polyadd", "polysub", "polyval",
    "select", "stack", "subtract", "tensordot", "vdot", "vecdot", "vecmat", "vstack", "where",
})  # fmt: skip
# The same, but that they count truth values.
PROMOTED_COUNTS: frozenset[str] = frozenset({
    "floor_divide", "fmod", "mod", "pow", "power", "remainder",
})  # fmt: skip
# The same, but that they give floating-point numbers for whole ones.
PROMOTED_INEXACT: frozenset[str] = frozenset({
    "arctan2", "atan2", "convolve", "correlate", "divide", "float_power", "logaddexp",
    "logaddexp2", "polymul", "solve", "solve_triangular", "true_divide", "xlog1py", "xlogy",
})  # fmt: skip
# Parameters of these functions that are no part of the promotion.
NOT_PROMOTED: frozenset[str] = frozenset({
    "assume_a", "axes", "axis", "axisa", "axisb", "axisc", "condition", "condlist", "dimension",
    "dtype", "lower", "mode", "optimize", "out", "out_sharding", "precision", "pred",
    "preferred_element_type", "size", "subscripts", "trans", "unit_diagonal", "unroll",
})  # fmt: skip

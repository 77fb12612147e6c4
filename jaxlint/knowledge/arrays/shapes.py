"""Which functions give arrays of the shape of their first argument, or of one that they are given.

Functions go by the last words of their names, as in `ranks`; `tests/knowledge/test_shapes.py` asks
the installed JAX.
"""

from __future__ import annotations

KEPT: frozenset[str] = frozenset({
    "abs", "absolute", "arccos", "arcsin", "arctan", "around", "astype", "ceil", "conj",
    "conjugate", "convert_element_type", "copy", "cos", "cosh", "cummax", "cummin",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "empty_like", "erf", "exp", "exp2",
    "expit", "expm1", "fabs", "flip", "fliplr", "flipud", "floor", "full_like", "gelu", "imag",
    "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "log_sigmoid", "log_softmax",
    "logical_not", "nan_to_num", "negative", "ones_like", "positive", "real", "relu", "relu6",
    "roll", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softmax",
    "softplus", "sqrt", "square", "stop_gradient", "swish", "tan", "tanh", "tril", "triu", "trunc",
    "zeros_like",
})  # fmt: skip
# They make an array of the shape that their argument `shape` says.
MADE: frozenset[str] = frozenset({
    "broadcast_to", "empty", "exponential", "full", "gumbel", "laplace", "logistic", "normal",
    "ones", "randint", "uniform", "zeros",
})  # fmt: skip
# They put arrays together, to one that has another shape than each of them.
JOINING: frozenset[str] = frozenset({
    "append", "column_stack", "concat", "concatenate", "dstack", "hstack", "insert", "stack",
    "vstack",
})  # fmt: skip
# They give an array more axes than it has, or fewer.
WITH_AXES: frozenset[str] = frozenset({"diag", "expand_dims"})

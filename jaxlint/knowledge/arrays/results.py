"""Which functions give arrays of floating-point or complex numbers, whatever they are given.

Source: "Type promotion semantics" in the JAX documentation; `tests/knowledge/test_results.py` asks
the installed JAX.
"""

from __future__ import annotations

# By the last words of their names, in `jax.numpy`, `jax.numpy.linalg`, `jax.nn`, `jax.lax` and
# `jax.scipy.special`, and of methods of arrays.
INEXACT_RESULTS: frozenset[str] = frozenset({
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "asin",
    "asinh", "atan", "atanh", "average", "celu", "cholesky", "corrcoef", "cos", "cosh", "cov",
    "deg2rad", "degrees", "det", "elu", "exp", "exp2", "expit", "expm1", "gelu", "glu",
    "hard_sigmoid", "hard_silu", "hard_swish", "inv", "log", "log10", "log1p", "log2",
    "log_sigmoid", "log_softmax", "logistic", "logit", "logsumexp", "mean", "mish", "nanmean",
    "nanstd", "nanvar", "pinv", "rad2deg", "radians", "reciprocal", "rsqrt", "selu",
    "sigmoid", "silu", "sin", "sinc", "sinh", "soft_sign", "softmax", "softplus", "sqrt",
    "squareplus", "std", "swish", "tan", "tanh", "trapezoid", "var",
})  # fmt: skip
# Functions and methods that give such numbers where their first argument has such.
KEEPS_INEXACT: frozenset[str] = frozenset({
    "abs", "absolute", "amax", "amin", "clip", "cumprod", "cumsum", "diff", "dot", "max",
    "min", "prod", "square", "sum",
})  # fmt: skip

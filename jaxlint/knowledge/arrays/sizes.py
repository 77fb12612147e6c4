"""Calls that make arrays whose size their arguments say.

Source: NumPy documentation, "Array creation routines" and "Random Generator"; JAX documentation,
`jax.numpy` and `jax.random`.
"""

from __future__ import annotations

SHAPED: frozenset[str] = frozenset(
    {
        "arange",
        "empty",
        "eye",
        "full",
        "geomspace",
        "identity",
        "linspace",
        "logspace",
        "ones",
        "zeros",
    }
)
# Samplers of NumPy by the position of `size`.
SAMPLERS: dict[str, int] = {
    "choice": 1,
    "exponential": 1,
    "gamma": 2,
    "integers": 2,
    "laplace": 2,
    "lognormal": 2,
    "normal": 2,
    "poisson": 1,
    "randint": 2,
    "random": 0,
    "random_sample": 0,
    "standard_normal": 0,
    "uniform": 2,
}
# Functions whose result is as large as their first argument.
_ELEMENTWISE = (
    "abs cos cumsum exp expm1 log log1p relu sigmoid sign sin softmax sort sqrt square tan tanh "
    "bfloat16 float16 float32 float64 int16 int32 int64 int8 uint8"
)
ELEMENTWISE: frozenset[str] = frozenset(_ELEMENTWISE.split())
# Functions and methods that only change how an array is looked at.
_SIZE_KEPT = (
    "array asarray astype ascontiguousarray clip copy device_put flatten ravel reshape transpose "
    "view"
)
SIZE_KEPT: frozenset[str] = frozenset(_SIZE_KEPT.split())
# Functions that read arrays from files: data, which is large as a rule.
LOADERS: frozenset[str] = frozenset(
    {
        "jax.numpy.load",
        "numpy.fromfile",
        "numpy.genfromtxt",
        "numpy.load",
        "numpy.loadtxt",
        "numpy.memmap",
    }
)

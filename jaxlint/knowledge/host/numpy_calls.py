"""What NumPy and SciPy functions do when one of their arguments is traced."""

from __future__ import annotations

from functools import cache
from importlib import import_module

# Functions that take any object as it is: a dict becomes an array that holds this dict.
CONVERTERS = frozenset({
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "atleast_1d",
    "atleast_2d", "atleast_3d", "copy",
})  # fmt: skip


# Methods of NumPy's elementwise functions, which do with a tracer what these do.
UFUNC_METHODS = frozenset({"accumulate", "at", "outer", "reduce", "reduceat"})
ASSERTIONS = frozenset({
    "numpy.testing.assert_allclose", "numpy.testing.assert_array_almost_equal",
    "numpy.testing.assert_array_equal", "numpy.testing.assert_array_less",
})  # fmt: skip
# Methods of the distributions of SciPy: all make arrays of NumPy of what they are given.
# `tests/knowledge/test_functions.py` asks the installed one.
DENSITIES = frozenset({
    "cdf", "isf", "logcdf", "logpdf", "logpmf", "logsf", "pdf", "pmf", "ppf", "sf",
})  # fmt: skip
DISTRIBUTIONS = (
    "bernoulli", "beta", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "geom",
    "invgamma", "laplace", "logistic", "lognorm", "multivariate_normal", "nbinom", "norm",
    "pareto", "poisson", "t", "truncnorm", "uniform", "weibull_min",
)  # fmt: skip
_DISTRIBUTIONS = tuple(f"scipy.stats.{name}." for name in DISTRIBUTIONS)


@cache
def numpy_function(dotted: str) -> str | None:
    """What a NumPy or SciPy function does with a traced argument; None for unknown functions.

    "raises" (`TracerArrayConversionError`), "delegates" (forwards to the tracer's method, the
    result is traced), "static" (asks only for shape or dtype), "swallows" (catches the error
    and answers wrongly, `np.array_equal`), or "other" (raises something else, returns an
    object array, or differs from case to case). Source: JAX's documentation of
    `TracerArrayConversionError`, and calls under `jax.jit`.
    """
    if not dotted.startswith(("numpy.", "scipy.")):
        return None
    if dotted.startswith(_DISTRIBUTIONS):
        return "raises" if dotted.rpartition(".")[2] in DENSITIES else None
    if dotted in ASSERTIONS:
        return "raises"
    # Imported at the first question, to keep start-up fast.
    table: dict[str, str] = import_module("jaxlint.knowledge.tables.numpy_outcomes").TABLE
    home, _, name = dotted.rpartition(".")
    return table.get(home) if name in UFUNC_METHODS and home in table else table.get(dotted)

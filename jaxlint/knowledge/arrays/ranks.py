"""How many dimensions the results of functions have, by the names that they have in `jax.numpy`,
`jax.lax`, `jax.nn` and `jax.random` or as methods. `tests/knowledge/test_ranks.py` asks JAX."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of one array that have its shape.
ELEMENTWISE = _names(
    """
    abs absolute arccos arcsin arctan astype ceil conj conjugate copy cos cosh erf exp exp2 expm1
    fabs flip floor gelu imag isfinite isinf isnan log log10 log1p log2 log_sigmoid log_softmax
    logical_not nan_to_num negative ones_like real relu relu6 roll round rsqrt selu sigmoid sign
    silu sin sinh softmax softplus sqrt square stop_gradient swapaxes swish tan tanh tril triu
    zeros_like
    """
)
# Functions whose arrays are broadcast against each other.
BROADCAST = _names(
    """
    add arctan2 clip divide equal greater greater_equal less less_equal logaddexp maximum minimum
    mod multiply not_equal power remainder subtract true_divide where
    """
)
# Functions that reduce all axes, or those that they are told.
REDUCTIONS = _names(
    """
    all any argmax argmin logsumexp max mean median min nanmax nanmean nanmin nansum prod std sum
    var
    """
)
# Functions that make an array of the shape that they are given.
SHAPED = _names(
    """
    bits cauchy empty exponential full gumbel laplace logistic normal ones rademacher randint
    uniform zeros
    """
)
# Functions whose results have always as many; of `dot` and `linspace` if operands have one or none.
# `identity` is a function of `jax.nn` too, which gives back what it gets.
RANKS = {"dot": 0, "vdot": 0, "linspace": 1, "arange": 1, "eye": 2}
FLAT = _names("flatten ravel")
# Functions that make arrays of a dtype of their own where they are asked for none.
TYPED = _names("arange empty eye identity linspace ones zeros")

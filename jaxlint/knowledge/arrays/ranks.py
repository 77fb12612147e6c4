"""How many dimensions the results of functions have, by the names that they have in `jax.numpy`,
`jax.lax`, `jax.nn`, `jax.scipy` and `jax.random` or as methods. `tests/knowledge/test_ranks.py`
asks JAX."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of one array that have its shape, or as many dimensions.
ELEMENTWISE = _names(
    """
    abs absolute arccos arcsin arctan around astype ceil cholesky conj conjugate
    convert_element_type copy cos cosh cummax cummin diff digitize dynamic_slice
    dynamic_slice_in_dim dynamic_update_slice dynamic_update_slice_in_dim empty_like erf exp
    exp2 expit expm1 fabs fft fft2 fftn fftshift flip fliplr flipud floor full_like gelu ifft
    ifft2 ifftn ifftshift imag inv irfft isfinite isinf isnan log log10 log1p log2 log_sigmoid
    log_softmax logical_not matrix_transpose moveaxis nan_to_num negative ones_like permute_dims
    positive real relu relu6 rev rfft roll rollaxis rot90 round rsqrt selu sigmoid sign silu sin
    sinc sinh slice_in_dim softmax softplus sqrt square stop_gradient swapaxes swish tan tanh
    top_k transpose tril triu trunc zeros_like
    """
)
# The same, unless they are told to take the array for a flat one.
ALONG_AN_AXIS = _names("argsort sort")
# Functions of one array that take it for a flat one unless they are told an axis.
CUMULATIVE = _names("cumprod cumsum nancumprod nancumsum repeat")
# Functions whose arrays are broadcast against each other.
BROADCAST = _names(
    """
    add arctan2 clip divide equal float_power floor_divide fmax fmin fmod greater greater_equal
    hypot isclose less less_equal logaddexp logical_and logical_or logical_xor maximum minimum mod
    multiply not_equal pow power remainder subtract true_divide where xlogy
    """
)
# Functions that reduce all axes, or those that they are told.
REDUCTIONS = _names(
    """
    all amax amin any argmax argmin average count_nonzero logsumexp max mean median min nanmax
    nanmean nanmin nanprod nanstd nansum nanvar norm prod ptp std sum var
    """
)
# Functions that make an array of the shape that they are given.
SHAPED = _names(
    """
    bits broadcast_to cauchy empty exponential full gumbel laplace logistic normal ones rademacher
    randint reshape uniform zeros
    """
)
# Functions that draw an array of a shape, or else of that of their parameters.
DRAWN = _names(
    "bernoulli beta chisquare gamma lognormal maxwell pareto poisson rayleigh t truncated_normal"
)
# Functions that give an array at least so many dimensions.
AT_LEAST = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}
# Functions that join a list of arrays, by how many dimensions the result has at least.
JOINED = {"concat": 0, "concatenate": 0, "dstack": 3, "hstack": 1, "vstack": 2}
# Functions whose results have the rank of one argument.
LIKE = {
    "clamp": "x",
    "interp": "x",
    "searchsorted": "v",
    "select": "on_true",
    "solve_triangular": "b",
    "take_along_axis": "indices",
}
# Functions whose results have always as many; of `dot` and `linspace` if operands have one or none.
# `identity` is a function of `jax.nn` too, which gives back what it gets.
RANKS = {
    "arange": 1, "dot": 0, "eye": 2, "iota": 1, "linspace": 1, "outer": 2, "tri": 2, "vdot": 0,
}  # fmt: skip
# Functions of `jax.numpy` whose results have an axis, whatever they are given.
AXES = _names(
    """
    arange atleast_1d atleast_2d atleast_3d concatenate cumsum diag expand_dims eye hstack
    linalg.cholesky linalg.eigvalsh linalg.inv linalg.solve linspace outer ravel stack tri tril
    triu vstack
    """
)
# Functions whose first argument is an array with an axis, or a list of such arrays.
TAKE_AXES: frozenset[str] = frozenset(
    {"jax.numpy.concatenate", "jax.numpy.diff", "jax.numpy.matmul"}
)
# Functions that map others, and stack what these give unless they are told by `out_axes`.
MAPS = _names("equinox.filter_vmap flax.nnx.vmap jax.pmap jax.vmap")
# Functions that add to the dimensions of an array, or take away from them.
CHANGED = {"diagonal": -1, "one_hot": 1, "trace": -2}
# Losses of optax that have one result for each element, and for each row of scores.
LOSSES_OF_ELEMENTS = _names(
    "huber_loss l2_loss log_cosh sigmoid_binary_cross_entropy squared_error"
)
LOSSES_OF_ROWS = _names("softmax_cross_entropy softmax_cross_entropy_with_integer_labels")
FLAT = _names("flatten ravel")
# Functions that make arrays of a dtype of their own where they are asked for none.
TYPED = _names("arange empty eye identity linspace ones tri zeros")

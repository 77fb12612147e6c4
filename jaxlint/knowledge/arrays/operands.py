"""Functions of `jax.numpy` and `jax.nn` that take arrays, and refuse lists of numbers or of arrays
in their place."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from jaxlint.knowledge.functions import canonical, function

# By the parameters that refuse lists and tuples: names in `jax.numpy`, or `nn.` and a name. Others
# take either, or were not asked; `tests/knowledge/test_operands.py` asks the installed JAX.
_REFUSES: dict[str, str] = {
    "A": "tile",
    "M": "linalg.matrix_rank",
    "a": """
        all amax amin any argmax argmin argpartition argsort around choose copy count_nonzero
        cumprod cumsum diagonal diff expand_dims fft.fft fft.fft2 fft.fftn fft.hfft fft.ifft
        fft.ifft2 fft.ifftn fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn
        flatnonzero linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals
        linalg.eigvalsh linalg.inv linalg.matrix_power linalg.pinv linalg.qr linalg.slogdet
        linalg.svd max mean median min nanargmax nanargmin nancumprod nancumsum nanmax nanmean
        nanmedian nanmin nanprod nanstd nansum nanvar nn.logsumexp nonzero ones_like packbits
        partition prod ptp ravel resize roll rollaxis round sort sort_complex squeeze std sum
        trace transpose var zeros_like
    """,
    "a b": """
        allclose cross dot inner isclose kron linalg.lstsq linalg.solve matmul outer tensordot
        vdot
    """,
    "a bins": "histogram histogram_bin_edges",
    "a fill_value": "full_like",
    "a indices": "take",
    "a q": "nanpercentile nanquantile percentile quantile",
    "a repeats": "repeat",
    "a v": "convolve correlate searchsorted",
    "a1 a2": "polyadd polymul polysub",
    "ar": "unique",
    "ar1 ar2": "intersect1d setdiff1d setxor1d union1d",
    "arr": "diag_indices_from",
    "arr min": "clip",
    "arr obj": "delete",
    "arr values": "append",
    "array": "pad",
    "ary": "array_split split",
    "ary to_end": "ediff1d",
    "condition a": "compress",
    "condition arr": "extract",
    "condition x": "where",
    "element test_elements": "isin",
    "indices": "take_along_axis unravel_index",
    "m": "flip fliplr flipud rot90 tril triu",
    "m y": "cov",
    "p": "polyder polyint roots unwrap",
    "p x": "polyval",
    "prototype": "empty_like",
    "sample": "histogramdd",
    "seq_of_zeros": "poly",
    "start stop": "linspace",
    "u v": "polydiv",
    "v": "diag diagflat",
    "val": "imag real",
    "x": """
        abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
        atanh bincount bitwise_count bitwise_invert bitwise_not cbrt ceil conj conjugate cos
        cosh cumulative_sum deg2rad degrees exp exp2 expm1 fabs fft.fftshift fft.ifftshift floor
        frexp i0 invert iscomplex isfinite isinf isnan isreal linalg.cond linalg.diagonal
        linalg.matrix_norm linalg.matrix_transpose linalg.norm linalg.svdvals linalg.trace
        linalg.vector_norm log log10 log1p log2 matrix_transpose modf nan_to_num negative
        nn.celu nn.elu nn.gelu nn.glu nn.hard_silu nn.hard_swish nn.hard_tanh nn.leaky_relu
        nn.log_sigmoid nn.log_softmax nn.mish nn.relu nn.relu6 nn.selu nn.silu nn.soft_sign
        nn.softmax nn.softplus nn.sparse_plus nn.standardize nn.swish nn.tanh positive rad2deg
        radians reciprocal rint sign signbit sin sinc sinh sqrt square tan tanh trunc unique_all
        unique_counts unique_inverse unique_values unstack vander
    """,
    "x b": "nn.squareplus",
    "x bins": "digitize",
    "x y": """
        add bitwise_and bitwise_left_shift bitwise_or bitwise_xor corrcoef equal float_power
        greater greater_equal histogram2d left_shift less less_equal maximum minimum multiply
        nextafter not_equal subtract
    """,
    "x1 x2": """
        arctan2 atan2 bitwise_right_shift copysign divide divmod floor_divide fmax fmin fmod gcd
        heaviside hypot lcm ldexp linalg.matmul linalg.outer linalg.tensordot linalg.vecdot
        logaddexp logaddexp2 mod pow power remainder right_shift true_divide vecdot
    """,
    "y x": "trapezoid",
    "z": "angle",
}

REFUSES_LISTS: dict[str, tuple[str, ...]] = {
    f"jax.{name}" if name.startswith("nn.") else f"jax.numpy.{name}": tuple(parameters.split())
    for parameters, names in _REFUSES.items()
    for name in names.split()
}


@cache
def array_operands(dotted: str) -> tuple[int, ...]:
    """The positions at which a function takes an array or a number: no container, no object."""
    name = canonical(dotted)
    refuses, spec = REFUSES_LISTS.get(name, ()), function(name)
    params = spec.params if spec is not None else ()
    return tuple(at for at, param in enumerate(params) if param in refuses)


# Parameters that are another one where that is not passed: `arange(n)` stops at `n`.
_ALONE = {"jax.numpy.arange": {"start": "stop"}}


def shape_parameter(dotted: str, name: str, passed: Container[str]) -> str:
    """The parameter that JAX names for an argument, by the names under which all are passed."""
    other = _ALONE.get(dotted, {}).get(name, name)
    return name if other in passed else other

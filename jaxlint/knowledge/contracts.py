"""What functions of JAX demand of their arguments, whatever they are called with besides: one of
several words, operands of one dtype, an array and no list, a tuple.

`tests/knowledge/test_contracts.py` asks the installed JAX. A word that one of the recorded releases
takes is taken here.
"""

from __future__ import annotations

from typing import Final

from jaxlint.knowledge.functions import canonical

_CONVOLVED = "full same valid"
_FOURIER = "backward ortho forward"
_QUANTILE = "linear lower higher midpoint nearest inverted_cdf"
_RESIZED = "linear bilinear trilinear triangle cubic bicubic tricubic lanczos3 lanczos5 area"
_SEARCHED = "scan scan_unrolled sort compare_all"
_WINDOWS = "valid same same_lower"

# The words that parameters take, by the parameter and the functions that have it: names of modules
# below `jax`. Case counts, except for those in `_ANY_CASE`.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("UPLO", "numpy.linalg.eigh", "L U"),
    ("assume_a", "scipy.linalg.solve", "gen sym her pos"),
    ("average", "scipy.signal.welch", "mean median"),
    ("boundary", "scipy.signal.convolve2d scipy.signal.correlate2d", "fill"),
    ("distribution", "nn.initializers.variance_scaling", "truncated_normal normal uniform"),
    ("indexing", "numpy.meshgrid", "xy ij"),
    ("method", "image.resize", f"nearest {_RESIZED}"),
    ("method", "image.scale_and_translate", _RESIZED),
    ("method", "numpy.digitize numpy.searchsorted", _SEARCHED),
    ("method", "numpy.nanpercentile numpy.nanquantile", _QUANTILE),
    ("method", "numpy.percentile numpy.quantile", _QUANTILE),
    ("method", "random.multivariate_normal", "svd cholesky eigh"),
    ("method", "scipy.interpolate.RegularGridInterpolator", "linear nearest"),
    ("method", "scipy.optimize.minimize", "bfgs l-bfgs-experimental-do-not-rely-on-this"),
    ("method", "scipy.signal.convolve scipy.signal.correlate", "auto direct fft"),
    ("method", "scipy.stats.rankdata", "average min max dense ordinal"),
    ("mode", "nn.initializers.variance_scaling", "fan_in fan_out fan_avg fan_geo_avg"),
    ("mode", "numpy.choose numpy.ravel_multi_index", "raise wrap clip"),
    ("mode", "numpy.convolve numpy.correlate scipy.signal.convolve", _CONVOLVED),
    ("mode", "numpy.linalg.qr", "reduced complete raw r full"),
    ("mode", "scipy.linalg.qr", "full r economic"),
    (
        "mode",
        "numpy.pad",
        "constant edge empty linear_ramp maximum mean median minimum reflect symmetric wrap",
    ),
    ("mode", "numpy.take", "fill wrap clip"),
    ("mode", "scipy.ndimage.map_coordinates", "constant nearest wrap mirror reflect"),
    ("mode", "scipy.signal.convolve2d scipy.signal.correlate", _CONVOLVED),
    ("mode", "scipy.signal.correlate2d scipy.signal.fftconvolve", _CONVOLVED),
    ("norm", "numpy.fft.fft numpy.fft.fft2 numpy.fft.fftn numpy.fft.hfft", _FOURIER),
    ("norm", "numpy.fft.ifft numpy.fft.ifft2 numpy.fft.ifftn numpy.fft.ihfft", _FOURIER),
    ("norm", "numpy.fft.irfft numpy.fft.irfft2 numpy.fft.rfft numpy.fft.rfft2", _FOURIER),
    ("order", "numpy.ravel numpy.reshape", "C F"),
    ("output", "scipy.linalg.schur", "real complex"),
    ("padding", "lax.conv lax.conv_general_dilated lax.conv_transpose", _WINDOWS),
    ("padding", "lax.conv_general_dilated_patches lax.reduce_window", _WINDOWS),
    ("scaling", "scipy.signal.welch", "density spectrum"),
    ("side", "numpy.searchsorted", "left right"),
    ("type", "scipy.signal.detrend", "linear constant"),
)
_ANY_CASE = frozenset({"padding", "scipy.optimize.minimize"})

# Functions of `jax.lax` whose operands have one dtype: nothing is promoted, not even a number.
_SAME_DTYPE: dict[str, str] = {
    "lhs rhs": "conv conv_general_dilated conv_transpose conv_with_general_padding",
    "min x max": "clamp",
    "on_true on_false": "select",
    "operand padding_value": "pad",
    "operand update": """
        dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
    """,
    "x1 x2": "nextafter",
    "x y": """
        add atan2 bitwise_and bitwise_or bitwise_xor div eq ge gt le lt max min mul ne rem
        shift_left shift_right_arithmetic shift_right_logical sub
    """,
}


def _words() -> dict[str, dict[str, frozenset[str]]]:
    found: dict[str, dict[str, frozenset[str]]] = {}
    for parameter, names, words in _WORDS:
        for name in names.split():
            found.setdefault(canonical(f"jax.{name}"), {})[parameter] = frozenset(words.split())
    return found


WORDS: Final = _words()
SAME_DTYPE: Final = {
    canonical(f"jax.lax.{name}"): tuple(parameters.split())
    for parameters, names in _SAME_DTYPE.items()
    for name in names.split()
}
# Parameters that take an array, and no number or list in its place.
ARRAYS: Final = {"jax.scipy.optimize.minimize": ("x0",)}
# Parameters that take a tuple, and no list.
TUPLES: Final = {"jax.scipy.optimize.minimize": ("args",)}
DEMANDING: Final = frozenset({*WORDS, *SAME_DTYPE, *ARRAYS, *TUPLES})


def words_of(dotted: str, parameter: str, word: str) -> frozenset[str] | None:
    """The words that a parameter takes where it does not take this one, None where it does."""
    words = WORDS.get(dotted, {}).get(parameter)
    if words is None or word in words:
        return None
    short = dotted.removeprefix("jax.")
    folded = short in _ANY_CASE or parameter in _ANY_CASE
    return None if folded and word.lower() in words else words

"""Observes what NumPy and SciPy functions do when an argument is a tracer."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

MODULES = ("numpy", "numpy.linalg", "numpy.fft")
SCIPY = {
    "scipy.special": "betaln entr erf erfc erfinv expit gamma gammaln i0 i1 log_ndtr logit "
    "logsumexp ndtr ndtri rel_entr softmax log_softmax xlog1py xlogy digamma psi",
    "scipy.linalg": "cholesky det eigh expm inv lstsq lu norm pinv qr solve sqrtm svd svdvals",
    "scipy.fft": "dct fft fft2 fftn idct ifft irfft rfft",
    "scipy.signal": "convolve correlate fftconvolve",
    "scipy.ndimage": "convolve gaussian_filter laplace map_coordinates rotate shift sobel zoom",
    "scipy.integrate": "cumulative_trapezoid simpson trapezoid",
    "scipy.stats": "entropy kurtosis pearsonr rankdata skew spearmanr zscore",
}
_NOT_FOR_ARRAYS = (
    "load save savez savez_compressed savetxt loadtxt "
    "genfromtxt fromfile fromregex memmap test show_config "
    "show_runtime info set_printoptions get_printoptions "
    "printoptions seterr geterr seterrcall geterrcall "
    "setbufsize getbufsize errstate get_include save "
    "vectorize frompyfunc fromfunction piecewise "
    "apply_along_axis apply_over_axes fromiter from_dlpack "
    "bmat format_float_positional format_float_scientific "
    "nditer ndenumerate ndindex broadcast flatiter "
    "ndarray matrix recarray record chararray poly1d "
    "busdaycalendar dtype finfo iinfo generic number "
    "object_ str_ bytes_ void datetime64 timedelta64 "
    "flexible character inexact nested_iters ufunc "
    "typename mintypecode base_repr binary_repr einsum_path "
    "array_repr array_str array2string may_share_memory "
    "shares_memory mask_indices place put putmask copyto "
    "fill_diagonal put_along_axis integer floating signedinteger "
    "unsignedinteger complexfloating"
)
SKIPPED = frozenset(f"numpy.{name}" for name in _NOT_FOR_ARRAYS.split())

_F = np.array([[4, 1, 2], [1, 5, 3], [2, 3, 6]], np.float32)
OPERANDS = (_F, _F[0], _F.astype(np.int32), np.array([True, False, True]), np.float32(0.5),
            np.int32(2))  # fmt: skip
# Arguments beside the tracer `T`, in the order in which they are tried.
CALLS = (
    "f(T)", "f(T, 1)", "f(T, T)", "f([T, T])", "f(T, T, T)", "f(T, 0, 1)", "f(T, (3, 3))",
    "f(T, 'float32')", "f('i->i', T)", "f('ij->ji', T)", "f(T, 1, 3)", "f(T, T, 0)",
    "f(T, T, T, T)", "f([T], [T])",
)  # fmt: skip
ALIKE = {"numpy.array_equal": "swallows", "numpy.array_equiv": "swallows"}


def observe(function: Any, call: str, operand: Any, tracer: bool) -> Any:
    """What a call does under `jax.jit`: the name of what it raises, or its result."""
    out: list[Any] = []

    def body(value: Any) -> None:
        try:
            result = eval(call, {"f": function, "T": value if tracer else operand})
            out.append(("result", result))
        except Exception as error:
            out.append(("error", type(error).__name__))

    jax.make_jaxpr(body)(operand)
    return out[0]


def outcome(function: Any) -> str | None:
    """What the first calls that work on plain arrays do with a tracer."""
    found: list[str] = []
    for call in CALLS:
        for operand in OPERANDS:
            how, _ = observe(function, call, operand, tracer=False)
            if how == "error":
                continue
            how, what = observe(function, call, operand, tracer=True)
            found.append(judge(how, what))
        if found:
            break
    if not found:
        return None
    return found[0] if len(set(found)) == 1 else mixed(found)


def judge(how: str, what: Any) -> str:
    if how == "error":
        return "raises" if what == "TracerArrayConversionError" else "other"
    leaves = jax.tree.leaves(what)
    if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
        return "delegates"
    if any(isinstance(leaf, np.ndarray) and leaf.dtype == object for leaf in leaves):
        return "other"
    return "static"


def mixed(found: list[str]) -> str:
    """One word for a function that does different things to different operands.

    What a float matrix gives decides between working and a special error.
    """
    if set(found) == {"raises", "other"}:
        return "raises"
    return found[0] if set(found) == {"delegates", "other"} else "other"


def functions() -> Iterator[tuple[str, Any]]:
    """The public functions of NumPy, and well-known ones of SciPy, with their full names."""
    for home in MODULES:
        module = importlib.import_module(home)
        for name in sorted(dir(module)):
            dotted = f"{home}.{name}"
            if name.startswith("_") or name == "test" or dotted in SKIPPED:
                continue
            value = getattr(module, name, None)
            if isinstance(value, type) and not issubclass(value, np.generic):
                continue
            if callable(value):
                yield dotted, value
    for home, names in SCIPY.items():
        module = importlib.import_module(home)
        for name in names.split():
            yield f"{home}.{name}", getattr(module, name)


def outcomes() -> dict[str, str]:
    """What every such function does, by its full name."""
    table: dict[str, str] = {}
    for dotted, value in functions():
        found = ALIKE.get(dotted) or outcome(value)
        if found is not None:
            table[dotted] = found
    return table

"""What functions are said to demand of their arguments the installed JAX demands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxlint.knowledge.contracts import ARRAYS, SAME_DTYPE, TUPLES, WORDS, words_of

_X = jnp.arange(1.0, 4.0)
_M = jnp.eye(3) + 0.1
_LONG = jnp.arange(64.0)
_IMAGES, _KERNEL = jnp.ones((1, 1, 4, 4)), jnp.ones((1, 1, 3, 3))
_KEY = jax.random.key(0)

# How functions are called that go by words.
_CALLS: dict[str, tuple[Any, ...]] = {
    "image.resize": (_M, (6, 6)),
    "image.scale_and_translate": (_M, (6, 6), (0, 1), jnp.ones(2), jnp.ones(2)),
    "lax.conv": (_IMAGES, _KERNEL, (1, 1)),
    "lax.conv_general_dilated": (_IMAGES, _KERNEL, (1, 1)),
    "lax.conv_general_dilated_patches": (_IMAGES, (3, 3), (1, 1)),
    "lax.conv_transpose": (jnp.ones((1, 4, 4, 1)), jnp.ones((3, 3, 1, 1)), (1, 1)),
    "lax.reduce_window": (_M, 0.0, lax.add, (2, 2), (1, 1)),
    "numpy.choose": (jnp.array([0, 1]), [_X[:2], _X[:2]]),
    "numpy.digitize": (_X, _X),
    "numpy.linalg.eigh": (_M,),
    "numpy.linalg.qr": (_M,),
    "numpy.pad": (_X, 1),
    "numpy.ravel": (_M,),
    "numpy.ravel_multi_index": ((0, 1), (3, 3)),
    "numpy.reshape": (_M, (9,)),
    "numpy.take": (_X, jnp.array([0])),
    "random.multivariate_normal": (_KEY, _X, _M @ _M.T),
    "scipy.interpolate.RegularGridInterpolator": ((_X,), _X),
    "scipy.linalg.qr": (_M,),
    "scipy.linalg.schur": (_M,),
    "scipy.linalg.solve": (_M @ _M.T, _X),
    "scipy.ndimage.map_coordinates": (_M, [_X, _X], 1),
    "scipy.optimize.minimize": (lambda x: x @ x, _X),
    "scipy.signal.convolve2d": (_M, _M),
    "scipy.signal.correlate2d": (_M, _M),
    "scipy.signal.detrend": (_X,),
    "scipy.stats.rankdata": (_X,),
}
_FURTHER: dict[str, dict[str, Any]] = {"scipy.signal.welch": {"nperseg": 16}}


def _function(name: str) -> Callable[..., Any]:
    home, _, last = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"jax.{home}"), last)
    return found


def _call(name: str, parameter: str, word: str) -> None:
    function, named = _function(name), {parameter: word, **_FURTHER.get(name, {})}
    if name == "nn.initializers.variance_scaling":
        options = {"mode": "fan_in", "distribution": "normal", parameter: word}
        function(1.0, **options)(_KEY, (3, 3))
        return
    matrices = name.startswith("numpy.fft.") and name.endswith(("2", "n"))
    quantiles = "quantile" in name or "percentile" in name
    operands: tuple[Any, ...] = (_M,) if matrices else (_X, 0.5) if quantiles else (_X,)
    if name in ("numpy.meshgrid", "numpy.searchsorted") or "convolve" in name or "corr" in name:
        operands = (_X, _X)
    operands = (_LONG,) if name == "scipy.signal.welch" else operands
    jax.block_until_ready(function(*_CALLS.get(name, operands), **named))


_ROWS = [(name.removeprefix("jax."), one) for name in WORDS for one in WORDS[name]]


@pytest.mark.parametrize(("name", "parameter"), _ROWS)
def test_a_parameter_takes_its_words_and_no_other(name: str, parameter: str) -> None:
    if parameter not in inspect.signature(_function(name)).parameters:
        pytest.skip(f"this JAX has no {parameter} of {name}")
    words = WORDS[f"jax.{name}"][parameter]
    taken = {word for word in words if _takes(name, parameter, word)}
    # A word that another release takes may be refused by this one.
    assert len(taken) >= len(words) - 1, words - taken
    others = {one for row in WORDS.values() for given in row.values() for one in given} - words
    wrong = [word for word in (*others, "no such word") if _takes(name, parameter, word)]
    assert [] == [word for word in wrong if words_of(f"jax.{name}", parameter, word) is not None]


def _takes(name: str, parameter: str, word: str) -> bool:
    try:
        _call(name, parameter, word)
    except Exception:
        return False
    return True


def _operands(name: str, dtypes: list[Any]) -> list[Any]:
    short = name.rpartition(".")[2]
    if "conv" in short:
        shapes: list[tuple[int, ...]] = [(1, 1, 4, 4), (1, 1, 3, 3)]
        if short == "conv_transpose":
            shapes = [(1, 4, 4, 1), (3, 3, 1, 1)]
    elif short == "pad":
        shapes = [(3,), ()]
    else:
        shapes = [(3,)] * len(dtypes)
    return [jnp.ones(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]


def _apply(name: str, operands: list[Any]) -> Any:
    short, function = name.rpartition(".")[2], _function(name.removeprefix("jax."))
    rest: tuple[Any, ...] = ()
    if short == "conv_with_general_padding":
        rest = ((1, 1), ((1, 1), (1, 1)), None, None)
    elif "conv" in short:
        rest = ((1, 1), "SAME")
    elif short == "pad":
        rest = ([(1, 1, 0)],)
    elif short.startswith("dynamic"):
        rest = ((0,),) if short == "dynamic_update_slice" else (0, 0)
    elif short == "select":
        operands = [jnp.ones(3, bool), *operands]
    return jax.block_until_ready(function(*operands, *rest))


@pytest.mark.parametrize("name", sorted(SAME_DTYPE))
def test_operands_have_one_dtype(name: str) -> None:
    count = len(SAME_DTYPE[name])
    whole = name.rpartition(".")[2].startswith(("bitwise", "shift"))
    first, second = (jnp.int32, jnp.uint8) if whole else (jnp.float32, jnp.int32)
    _apply(name, _operands(name, [first] * count))
    for at in range(count):
        dtypes = [second if at == place else first for place in range(count)]
        with pytest.raises((TypeError, ValueError)):
            _apply(name, _operands(name, dtypes))


@pytest.mark.parametrize("name", sorted(SAME_DTYPE))
def test_its_operands_have_these_names(name: str) -> None:
    function = _function(name.removeprefix("jax."))
    assert set(SAME_DTYPE[name]) <= set(inspect.signature(function).parameters)


def test_an_array_is_no_list_and_a_tuple_neither() -> None:
    name = "jax.scipy.optimize.minimize"
    assert (("x0",), ("args",)) == (ARRAYS[name], TUPLES[name])
    minimize = _function("scipy.optimize.minimize")
    minimize(lambda x, a: a * (x @ x), _X, args=(2.0,), method="BFGS")
    for start, rest in (([1.0, 2.0], (2.0,)), (_X, [2.0]), (_X, 2.0)):
        with pytest.raises((AttributeError, TypeError)):
            minimize(lambda x, a: a * (x @ x), start, args=rest, method="BFGS")

"""What is read of NumPy's functions in code of the host is what NumPy gives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.values import Sequence, Static, Value
from jaxlint.engine.inference.host_calls import of_library, of_method
from jaxlint.engine.inference.host_code import array
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.numpy_results import COUNTS, KINDS, LENGTHS
from jaxlint.knowledge.tables import jax_numpy, methods
from jaxlint.syntax import ir

PLACE = ir.Name(ir.NOWHERE, "a")
KIND = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
ARRAYS = [
    (np.arange(1, 1 + np.prod(shape, dtype=int)) % 7).reshape(shape).astype(dtype)
    for shape in ((), (1,), (3,), (2, 3), (3, 3), (2, 3, 3))
    for dtype in ("float32", "int32", "bool")
]
NAMES = sorted(name.removeprefix("jax.numpy.") for name in jax_numpy.TABLE)
OPTIONS: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}]


def found(name: str) -> Any:
    """A function of NumPy, None where it has none of this name."""
    home: Any = np
    for part in name.split("."):
        home = getattr(home, part, None)
    return home if callable(home) and not isinstance(home, type) else None


def value(given: Any) -> Value:
    """What the reader knows of an argument."""
    if isinstance(given, list):
        return Sequence("list", [value(one) for one in given], None)
    if isinstance(given, np.ndarray):
        return array(KIND[given.dtype.kind], given.ndim, given.shape)
    return Static(given)


def arguments(positional: list[Any], keywords: dict[str, Any]) -> Args:
    """A call of such arguments."""
    named = {name: value(one) for name, one in keywords.items()}
    places = [PLACE] * len(positional)
    given = [value(one) for one in positional]
    return Args(given, named, nodes=[*places], keyword_nodes=dict.fromkeys(named, PLACE))


def wrong(read: Value | None, made: Any) -> str:
    """What is read otherwise than it is."""
    if isinstance(read, Sequence):
        if not isinstance(made, tuple) or len(made) != len(read.items or ()):
            return "number of results"
        pairs = zip(read.items or (), made, strict=True)
        return next((text for one, part in pairs if (text := wrong(one, part))), "")
    if read is None or isinstance(made, (tuple, list)):
        return "" if read is None else "number of results"
    result = np.asarray(made)
    if dtype_of(read) and dtype_of(read) != KIND.get(result.dtype.kind):
        return f"{dtype_of(read)} for {result.dtype}"
    if rank_of(read) is not None and rank_of(read) != result.ndim:
        return f"rank {rank_of(read)} for {result.shape}"
    dims = dims_of(read) or ()
    pairs = zip(dims, result.shape, strict=False)
    return f"{dims} for {result.shape}" if any(n not in (None, m) for n, m in pairs) else ""


def run(func: Any, positional: list[Any], keywords: dict[str, Any]) -> Any:
    """What a call gives, None where NumPy refuses it or gives no numbers."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = func(*positional, **keywords)
        except Exception:
            return None
    parts = made if isinstance(made, (tuple, list)) else (made,)
    return made if all(isinstance(one, (np.ndarray, np.generic)) for one in parts) else None


def given() -> list[list[Any]]:
    """Arguments by position."""
    few = [one for one in ARRAYS if one.dtype == np.float32]
    pairs = [[a, b] for a in few for b in few]
    return [[one] for one in ARRAYS] + pairs + [[[one, one]] for one in ARRAYS]


@pytest.mark.parametrize("name", [one for one in NAMES if found(one) is not None])
def test_functions(name: str) -> None:
    """Of each function that NumPy and JAX share, whatever it is given."""
    for positional in given():
        for keywords in OPTIONS:
            made = run(found(name), positional, keywords)
            if made is None:
                continue
            read = of_library(f"numpy.{name}", arguments(positional, keywords))
            shapes = [getattr(one, "shape", "list") for one in positional]
            assert not wrong(read, made), f"{name}{shapes} {keywords}: {wrong(read, made)}"


@pytest.mark.parametrize("name", sorted(methods.TABLE))
def test_methods(name: str) -> None:
    """Of each method of arrays."""
    for one in ARRAYS:
        for keywords in OPTIONS:
            made = run(getattr(one, name, None), [], keywords)
            if made is not None:
                read = of_method(name, value(one), PLACE, arguments([], keywords))
                text = wrong(read, made)
                assert not text, f"{name} of {one.dtype}{one.shape} {keywords}: {text}"


def test_tables() -> None:
    """Every entry is of a function that gives so much."""
    for name in COUNTS:
        assert found(name) is not None and lookup.function(f"jax.numpy.{name}") is not None
    assert LENGTHS.keys() <= COUNTS.keys() and all(found(name) for name in KINDS)
    counts, _ = np.histogram(np.ones(3), bins=4)
    assert counts.shape == (4,)

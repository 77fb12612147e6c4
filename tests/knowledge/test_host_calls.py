"""Functions of NumPy and SciPy that are said to refuse tracers, beyond the table of those that were
observed: the installed ones do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

from jaxlint.engine.models.stdlib.random_numbers import REAL, WHOLE
from jaxlint.knowledge.host.numpy_calls import (
    ASSERTIONS,
    DENSITIES,
    DISTRIBUTIONS,
    UFUNC_METHODS,
    numpy_function,
)

stats = pytest.importorskip("scipy.stats")
pytestmark = pytest.mark.jax
# What the distributions take behind the value.
SHAPES: dict[str, tuple[Any, ...]] = {
    "bernoulli": (0.5,),
    "beta": (0.5, 0.5),
    "binom": (5, 0.5),
    "chi2": (2,),
    "dirichlet": ([0.4, 0.5, 0.6],),
    "gamma": (2.0,),
    "geom": (0.5,),
    "invgamma": (2.0,),
    "lognorm": (0.5,),
    "nbinom": (5, 0.5),
    "pareto": (2.0,),
    "poisson": (2.0,),
    "t": (3.0,),
    "truncnorm": (-1.0, 1.0),
    "weibull_min": (2.0,),
}
VALUES = {"dirichlet": np.full(3, 1 / 3), "multivariate_normal": np.zeros(1)}


def is_refused(call: Callable[[Any], Any], value: Any) -> bool:
    """Whether a function that takes an array of NumPy refuses a tracer in its place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(value)
        try:
            jax.make_jaxpr(lambda traced: (call(traced), traced)[1])(value)
        except jax.errors.TracerArrayConversionError:
            return True
    return False


def densities() -> Iterator[Any]:
    for name in DISTRIBUTIONS:
        for method in sorted(DENSITIES):
            if hasattr(getattr(stats, name), method):
                yield pytest.param(name, method, id=f"{name}.{method}")


@pytest.mark.parametrize(("name", "method"), [*densities()])
def test_methods_of_distributions(name: str, method: str) -> None:
    function = getattr(getattr(stats, name), method)
    value = VALUES.get(name, np.full(3, 0.5))
    assert is_refused(lambda one: function(one, *SHAPES.get(name, ())), value)
    assert numpy_function(f"scipy.stats.{name}.{method}") == "raises"


@pytest.mark.parametrize("dotted", sorted(ASSERTIONS))
def test_assertions(dotted: str) -> None:
    function = getattr(np.testing, dotted.rpartition(".")[2])
    other = np.ones(3) if dotted.endswith("less") else np.zeros(3)
    assert is_refused(lambda one: function(one, other), np.zeros(3))
    assert numpy_function(dotted) == "raises"


@pytest.mark.parametrize("method", sorted(UFUNC_METHODS))
def test_methods_of_elementwise_functions(method: str) -> None:
    more: dict[str, tuple[Any, ...]] = {"outer": (np.ones(2),), "reduceat": ([0, 1],)}
    called = getattr(np.add, method)
    if method == "at":
        # What is written into is an array of NumPy.
        assert is_refused(lambda one: called(np.ones(3), [0, 1, 2], one), np.ones(3))
    else:
        assert is_refused(lambda one: called(one, *more.get(method, ())), np.ones(3))
    assert numpy_function(f"numpy.add.{method}") == "raises"
    assert numpy_function(f"numpy.any.{method}") != "raises"


def test_a_function_of_such_a_name_is_a_function() -> None:
    assert numpy_function("numpy.outer") == "raises"


@pytest.mark.parametrize("name", sorted(WHOLE | REAL))
def test_random_numbers_of_numpy_are_whole_or_real(name: str) -> None:
    draws: dict[str, tuple[float, ...]] = {
        "beta": (0.5, 2.0),
        "binomial": (9, 0.5),
        "gamma": (2.0,),
        "geometric": (0.5,),
        "integers": (1, 9),
        "poisson": (0.5,),
        "randint": (1, 9),
        "random_integers": (1, 9),
    }
    for home in (np.random, np.random.default_rng(0)):
        function = getattr(home, name, None)
        if function is None:
            continue
        sized = {} if name in ("rand", "randn") else {"size": (2, 3)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawn = function(2, 3) if not sized else function(*draws.get(name, ()), **sized)
        assert ("i" if name in WHOLE else "f") == drawn.dtype.kind

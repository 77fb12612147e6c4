"""The table of SciPy's solvers against the installed SciPy and JAX."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlint.knowledge.host.solvers import SOLVERS

DATA: dict[str, Any] = {
    "a": 0.0,
    "b": 2.0,
    "bounds": [(0.0, 2.0)],
    "bracket": (0.0, 1.0),
    "t": np.arange(3.0),
    "t_span": (0.0, 1.0),
    "x0": np.ones(1),
    "xdata": np.arange(5.0),
    "y0": np.ones(1),
    "ydata": np.arange(5.0),
}
# Solvers of which no argument of the table is enough.
MORE: dict[str, dict[str, Any]] = {
    "scipy.optimize.fmin_l_bfgs_b": {"approx_grad": True},
    "scipy.optimize.root_scalar": {"bracket": (0.0, 2.0)},
}
NUMPY: dict[int, Callable[..., Any]] = {
    1: lambda x: np.sum(np.cos(x)),
    2: lambda x, y: np.cos(np.asarray(x * y)),
}
JAX: dict[int, Callable[..., Any]] = {
    1: lambda x: jnp.sum(jnp.cos(x)),
    2: lambda x, y: jnp.cos(jnp.asarray(x * y)),
}


def _solve(name: str, function: Callable[..., Any], **given: Any) -> None:
    home, _, last = name.rpartition(".")
    data = {at: DATA[at] for at, _ in SOLVERS[name].data}
    getattr(importlib.import_module(home), last)(
        function, **{**data, **MORE.get(name, {}), **given}
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_parameters_are_where_the_table_has_them(name: str) -> None:
    home, _, last = name.rpartition(".")
    taken = [*inspect.signature(getattr(importlib.import_module(home), last)).parameters]
    solver = SOLVERS[name]
    assert [(taken[at], at) for _, at in (solver.function, *solver.data)] == [
        solver.function,
        *solver.data,
    ]


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_take_these_arguments_on_the_host(name: str) -> None:
    _solve(name, NUMPY[SOLVERS[name].calls_with])


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_convert_what_their_function_returns(name: str) -> None:
    count = SOLVERS[name].calls_with
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        jax.jit(lambda: _solve(name, JAX[count]))()


@pytest.mark.parametrize(
    ("name", "parameter"), [(name, at) for name, one in SOLVERS.items() for at, _ in one.data]
)
def test_solvers_convert_their_data(name: str, parameter: str) -> None:
    function = NUMPY[SOLVERS[name].calls_with]

    def traced(value: Any) -> None:
        _solve(name, function, **{parameter: value})

    with pytest.raises((TypeError, ValueError, RuntimeError)):
        jax.jit(traced)(jax.tree.map(jnp.asarray, DATA[parameter]))

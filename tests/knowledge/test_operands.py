"""The functions that are said to refuse lists do so on the installed JAX."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.operands import REFUSES_LISTS, array_operands, shape_parameter

_ARRAYS: tuple[tuple[list[Any], Any], ...] = (
    ([1.0, 2.0], jnp.array([1.0, 2.0])),
    ([1, 0], jnp.array([1, 0])),
    ([[1.0, 0.0], [0.0, 1.0]], jnp.eye(2)),
)


def _function(dotted: str) -> Any:
    home, _, name = dotted.rpartition(".")
    return getattr(import_module(home), name, None)


def _installed(dotted: str) -> tuple[Any, tuple[str, ...]]:
    """A function of the installed JAX and its parameters."""
    function, spec = _function(dotted), lookup.function(dotted)
    if function is None:
        pytest.skip(f"this JAX has no {dotted}")
    assert spec is not None
    return function, spec.params


def _others(params: tuple[str, ...], parameter: str, array: Any) -> list[dict[str, Any]]:
    """Arguments for the parameters before and behind one, of which some will do."""
    rest = [name for name in params[:3] if name != parameter]
    forms: list[dict[str, Any]] = [{}]
    for name in rest:
        forms += [{**form, name: value} for form in forms for value in (array, 0, 1)]
    return forms


def _accepts(function: Any, params: tuple[str, ...], arguments: dict[str, Any]) -> bool:
    ordered = [arguments[name] for name in params[:3] if name in arguments]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*ordered)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("dotted", sorted(REFUSES_LISTS))
def test_a_list_is_refused_where_an_array_is_taken(dotted: str) -> None:
    function, params = _installed(dotted)
    for parameter in REFUSES_LISTS[dotted]:
        forms = [
            ({**form, parameter: listed}, {**form, parameter: array})
            for listed, array in _ARRAYS
            for form in _others(params, parameter, array)
        ]
        assert not any(_accepts(function, params, listed) for listed, _ in forms)
        assert any(_accepts(function, params, array) for _, array in forms)


class _Object:
    """Anything that is no array."""


@pytest.mark.parametrize("dotted", sorted(REFUSES_LISTS))
def test_so_is_a_dict_and_an_object(dotted: str) -> None:
    function, params = _installed(dotted)
    for at in array_operands(dotted):
        parameter = params[at]
        forms = [form for _, array in _ARRAYS for form in _others(params, parameter, array)]
        for other in ({"a": jnp.ones(2)}, _Object()):
            taken = [{**form, parameter: other} for form in forms]
            assert not any(_accepts(function, params, one) for one in taken)


_RANGES = (("start",), ("start", "stop"), ("start", "stop", "step"))


@pytest.mark.parametrize("passed, traced", [(r, at) for r in _RANGES for at in range(len(r))])
def test_arange_names_the_parameter_that_jax_names(passed: tuple[str, ...], traced: int) -> None:
    arguments = [1, 5, 2][: len(passed)]

    def made(number: Any) -> Any:
        return jnp.arange(*[number if at == traced else one for at, one in enumerate(arguments)])

    shown = shape_parameter("jax.numpy.arange", passed[traced], passed)
    with pytest.raises(Exception, match=f"argument '{shown}'"):
        jax.jit(made)(arguments[traced])

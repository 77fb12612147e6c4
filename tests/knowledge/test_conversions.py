"""What arrays and traced arrays have and have not, asked of the installed JAX."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.knowledge.arrays.immutability import IN_PLACE, MISSING_METHODS, UPDATE_METHODS
from jaxlint.knowledge.arrays.other_arrays import OF_OTHERS
from jaxlint.knowledge.host_only import HOST_ATTRIBUTES, HOST_METHODS, is_of_arrays, lacks

jax = pytest.importorskip("jax")
jnp = importlib.import_module("jax.numpy")

pytestmark = pytest.mark.jax

ARGUMENTS = {"addressable_data": (0,)}
TRANSFORMS: tuple[Callable[..., Any], ...] = (jax.jit, jax.vmap, jax.jacfwd)


def raised(use: Callable[[Any], object], transform: Callable[..., Any]) -> Exception | None:
    """What `use` raises when it is given a tracer of `transform`."""
    found: list[Exception | None] = []

    def body(x: Any) -> Any:
        try:
            use(x)
        except Exception as error:
            found.append(error)
        else:
            found.append(None)
        return x * 1.0

    transform(body)(jnp.ones(2))
    return found[0]


def test_the_attributes_of_arrays_are_known() -> None:
    names = {name for name in dir(jnp.ones(2)) if not name.startswith("_")}
    assert set() == {name for name in names if not is_of_arrays(name)}
    assert not is_of_arrays("missing")
    assert names.isdisjoint(OF_OTHERS)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", sorted(HOST_METHODS))
def test_traced_arrays_refuse_the_method(name: str, transform: Callable[..., Any]) -> None:
    error = raised(lambda x: getattr(x, name)(*ARGUMENTS.get(name, ())), transform)
    assert isinstance(error, getattr(builtins, HOST_METHODS[name]))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", sorted(HOST_ATTRIBUTES))
def test_traced_arrays_refuse_the_attribute(name: str, transform: Callable[..., Any]) -> None:
    error = raised(lambda x: getattr(x, name), transform)
    assert isinstance(error, getattr(builtins, HOST_ATTRIBUTES[name]))
    assert isinstance(error, AttributeError) is lacks(name)


@pytest.mark.parametrize("name", sorted([*HOST_METHODS, *HOST_ATTRIBUTES]))
def test_arrays_on_a_device_have_it(name: str) -> None:
    assert hasattr(jnp.ones(2), name)


@pytest.mark.parametrize("name", sorted(MISSING_METHODS))
def test_arrays_have_no_such_method(name: str) -> None:
    assert not hasattr(jnp.ones(2), name)


def test_updates_have_these_methods() -> None:
    held = {name for name in dir(jnp.ones(2).at[0]) if not name.startswith("_")}
    assert held <= UPDATE_METHODS
    assert "set" in held


@pytest.mark.parametrize("name", sorted(n for n in IN_PLACE if n.startswith("jax.numpy.")))
def test_functions_in_place_are_told_so(name: str) -> None:
    function = getattr(jnp, name.rpartition(".")[2])
    x = jnp.eye(2)
    rest = {"fill_diagonal": (1.0,), "put_along_axis": (jnp.zeros((2, 2), int), 1.0, 0)}
    given = rest.get(name.rpartition(".")[2], (x, jnp.ones(4)))
    with pytest.raises((NotImplementedError, ValueError)):
        function(x, *given)

"""What is known of meshes and shardings is what the installed JAX takes."""

from __future__ import annotations

import inspect
from pydoc import locate
from typing import Any

import jax
import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.shardings import MESHES, PLACEMENTS, SHARDINGS, SIZED_MESHES, SPECS


def resolved(dotted: str) -> Any:
    return locate(dotted) or pytest.skip("not in the installed version")


@pytest.mark.parametrize("dotted", sorted(MESHES))
def test_meshes_take_the_names_of_their_axes_second(dotted: str) -> None:
    first, second, *_ = inspect.signature(resolved(dotted)).parameters
    assert second == "axis_names"
    assert (first == "axis_shapes") == (dotted in SIZED_MESHES)


@pytest.mark.parametrize("dotted", sorted(SHARDINGS))
def test_shardings_take_a_mesh_and_a_specification(dotted: str) -> None:
    mesh, spec = jax.sharding.Mesh(jax.devices()[:1], ("data",)), jax.sharding.PartitionSpec("data")
    made = resolved(dotted)
    assert made(mesh, spec) == made(mesh=mesh, spec=spec)


@pytest.mark.parametrize("dotted", sorted(SPECS))
def test_specifications_are_of_one_class(dotted: str) -> None:
    assert resolved(dotted) is resolved("jax.sharding.PartitionSpec")


@pytest.mark.parametrize("dotted", sorted(PLACEMENTS))
def test_what_lays_an_array_out_takes_it_first(dotted: str) -> None:
    spec, (option, _) = lookup.function(dotted), PLACEMENTS[dotted]
    assert spec is not None
    assert (spec.params[0], option in spec.params) == ("x", True)

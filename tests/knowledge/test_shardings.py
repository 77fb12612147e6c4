"""What is known of meshes and shardings is what the installed JAX takes."""

from __future__ import annotations

import inspect
from pydoc import locate
from typing import Any

import jax
import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.shardings import (
    MESHES,
    MOST_UNCHECKED,
    PLACEMENTS,
    REDUCING,
    SHARD_CHECKS,
    SHARDINGS,
    SIZED_MESHES,
    SPECS,
    SPREADING,
)


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


P = jax.sharding.PartitionSpec
# How the operations are called that take more than an array and an axis.
_MORE: dict[str, dict[str, Any]] = {
    "jax.lax.all_to_all": {"split_axis": 0, "concat_axis": 0, "tiled": True},
    "jax.lax.pcast": {"to": "varying"},
    "jax.lax.ppermute": {"perm": [(0, 0)]},
    "jax.lax.psum_scatter": {"tiled": True},
}


def _is_told_to_vary(dotted: str) -> bool:
    """Whether `shard_map` refuses what an operation gives of an array that varies over an axis, or
    of one that does not, where the specification of the result leaves out that axis."""
    operation, only_axis = resolved(dotted), dotted.endswith("axis_index")
    shard_map = getattr(jax, "shard_map", None) or pytest.skip("another check before JAX 0.6.1")
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("data",))

    def body(x: Any) -> Any:
        return operation("data") if only_axis else operation(x, "data", **_MORE.get(dotted, {}))

    given = P() if dotted in SPREADING and not only_axis else P("data")
    try:
        shard_map(body, mesh=mesh, in_specs=given, out_specs=P())(jax.numpy.ones((1, 1)))
    except ValueError as error:
        assert "replication" in str(error)
        return True
    return False


@pytest.mark.parametrize("dotted", sorted(REDUCING | SPREADING))
def test_collective_operations_spread_or_reduce(dotted: str) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert "axis_name" in spec.params
    assert _is_told_to_vary(dotted) == (dotted in SPREADING)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_checks_of_shard_map_are_options() -> None:
    found = resolved("jax.shard_map") if hasattr(jax, "shard_map") else None
    old = resolved("jax.experimental.shard_map.shard_map")
    names = [*inspect.signature(old).parameters]
    assert names.index(SHARD_CHECKS[0]) == MOST_UNCHECKED
    assert found is None or SHARD_CHECKS[1] in inspect.signature(found).parameters


def test_types_have_the_axes_that_values_vary_over() -> None:
    shard_map = getattr(jax, "shard_map", None) or pytest.skip("no such types before JAX 0.6.1")
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("data",))

    def body(x: Any) -> Any:
        return jax.lax.fori_loop(0, 2, lambda _, total: total + x, jax.numpy.zeros(x.shape))

    with pytest.raises(TypeError, match="carry"):
        shard_map(body, mesh=mesh, in_specs=P("data"), out_specs=P("data"))(jax.numpy.ones(1))

"""Meshes of devices, and how arrays are laid out over them.

Source: JAX documentation, `jax.sharding`, `jax.make_mesh` and "Distributed arrays and automatic
parallelization".
"""

from __future__ import annotations

# Both take the names of their axes second: `Mesh(devices, axis_names)`,
# `make_mesh(axis_shapes, axis_names)`.
MESHES: frozenset[str] = frozenset({"jax.make_mesh", "jax.sharding.Mesh"})
# Those that are given how long the axes are, in place of devices.
SIZED_MESHES: frozenset[str] = frozenset({"jax.make_mesh"})
SPECS: frozenset[str] = frozenset({"jax.P", "jax.sharding.PartitionSpec"})
SHARDINGS: frozenset[str] = frozenset({"jax.NamedSharding", "jax.sharding.NamedSharding"})

# Functions that lay out their first argument, with the parameter that says how, and whether each
# axis has to be split into equal parts.
PLACEMENTS: dict[str, tuple[str, bool]] = {
    "jax.device_put": ("device", True),
    "jax.lax.with_sharding_constraint": ("shardings", False),
}

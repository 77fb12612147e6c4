"""Meshes of devices, and how arrays are laid out over them.

Source: JAX documentation, `jax.sharding`, `jax.make_mesh` and "Distributed arrays and automatic
parallelization".
"""

from __future__ import annotations

# By the position of the names of their axes: `Mesh(devices, axis_names)`,
# `make_mesh(axis_shapes, axis_names)`.
MESHES: frozenset[str] = frozenset({"jax.make_mesh", "jax.sharding.Mesh"})
# Those that are given how long the axes are, in place of devices.
SIZED_MESHES: frozenset[str] = frozenset({"jax.make_mesh"})
SPECS: frozenset[str] = frozenset({"jax.P", "jax.sharding.PartitionSpec"})
SHARDINGS: frozenset[str] = frozenset({"jax.NamedSharding", "jax.sharding.NamedSharding"})

# Functions that lay an array out, with the position of it and of the sharding, the name of the
# latter, and whether each axis has to be split into equal parts.
PLACEMENTS: dict[str, tuple[int, str, bool]] = {
    "jax.device_put": (1, "device", True),
    "jax.lax.with_sharding_constraint": (1, "shardings", False),
}

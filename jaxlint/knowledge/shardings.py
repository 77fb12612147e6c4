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
# Functions that give an array of devices of a shape, with the parameter that says which.
DEVICE_ARRAYS: dict[str, tuple[int, str]] = {
    "jax.experimental.mesh_utils.create_device_mesh": (0, "mesh_shape"),
    "numpy.reshape": (1, "shape"),
}
SPECS: frozenset[str] = frozenset({"jax.P", "jax.sharding.PartitionSpec"})
SHARDINGS: frozenset[str] = frozenset({"jax.NamedSharding", "jax.sharding.NamedSharding"})

# Functions that lay out their first argument, with the parameter that says how, and whether each
# axis has to be split into equal parts.
PLACEMENTS: dict[str, tuple[str, bool]] = {
    "jax.device_put": ("device", True),
    "jax.lax.with_sharding_constraint": ("shardings", False),
}

# Options of `shard_map` that switch off its account of the axes that values vary over: the first
# until JAX 0.6, the second since. Where more arguments are given by position than these, one of
# them may be such an option (`check_rep` was the fifth parameter).
SHARD_CHECKS = ("check_rep", "check_vma")
MOST_UNCHECKED = 4

# Operations after which a value is the same all along the axes that they are given, and those after
# which it varies over them.
REDUCING: frozenset[str] = frozenset(
    {"jax.lax.pmax", "jax.lax.pmean", "jax.lax.pmin", "jax.lax.psum"}
)
SPREADING: frozenset[str] = frozenset(
    {
        "jax.lax.all_gather",
        "jax.lax.all_to_all",
        "jax.lax.axis_index",
        "jax.lax.ppermute",
        "jax.lax.psum_scatter",
        "jax.lax.pcast",
    }
)

# Functions whose results do not vary over all that an operand varies over, in one release or
# another: those that use its shape alone, or how it was made.
LOOSE: frozenset[str] = frozenset(
    {
        "argsort",
        "diag_indices_from",
        "empty_like",
        "full_like",
        "imag",
        "iota",
        "iscomplex",
        "isreal",
        "matrix_power",
        "ones_like",
        "resize",
        "scaled_dot",
        "tril_indices_from",
        "triu_indices_from",
        "zeros_like",
    }
)

"""What needs the buffer of an array, and what gets along with its shape and dtype.

Source: "Buffer donation" in the JAX documentation; `tests/knowledge/test_buffers.py` gives
buffers away and asks the installed JAX.
"""

from __future__ import annotations

# Functions and methods that may well hand an array back as it is, or look at its shape alone.
UNREAD: frozenset[str] = frozenset(
    {
        "asarray",
        "astype",
        "atleast_1d",
        "broadcast_to",
        "convert_element_type",
        "device_put",
        "empty_like",
        "eval_shape",
        "expand_dims",
        "full_like",
        "iscomplexobj",
        "isrealobj",
        "issubdtype",
        "make_jaxpr",
        "moveaxis",
        "ndim",
        "ones_like",
        "permute_dims",
        "ravel",
        "reshape",
        "result_type",
        "shape",
        "size",
        "squeeze",
        "stop_gradient",
        "swapaxes",
        "transpose",
        "typeof",
        "view",
        "with_sharding_constraint",
        "zeros_like",
    }
)
# Methods of an array that need its values.
READING_METHODS: frozenset[str] = frozenset(
    {"block_until_ready", "copy", "item", "tolist", "__array__"}
)
# Builtins that do: those that show everything in a container, and those that go through an array.
SHOWING: frozenset[str] = frozenset(
    {"builtins.format", "builtins.print", "builtins.repr", "builtins.str"}
)
READING: frozenset[str] = frozenset(
    {
        "builtins.bool",
        "builtins.complex",
        "builtins.float",
        "builtins.int",
        "builtins.list",
        "builtins.max",
        "builtins.min",
        "builtins.sorted",
        "builtins.sum",
        "builtins.tuple",
        "jax.block_until_ready",
        "jax.device_get",
    }
)
# Methods of compiled functions that trace them for arguments, and leave these alone.
UNEXECUTED: frozenset[str] = frozenset({"eval_shape", "lower", "trace"})
# Attributes of states that hold functions and settings by convention, and no arrays. Those of
# `flax.training.train_state.TrainState` are declared so (`pytree_node=False`).
WITHOUT_BUFFERS: frozenset[str] = frozenset(
    {"apply_fn", "cfg", "config", "hparams", "model", "module", "optimizer", "static", "tx"}
)
# Attributes that the next state of a computation takes over: those, and what describes the object
# of which `flax.nnx.split` gives the arrays.
PARTS_KEPT: frozenset[str] = WITHOUT_BUFFERS | {"graphdef"}
# Methods of states that give a copy, which holds the same arrays but for those that it names.
COPYING: frozenset[str] = frozenset({"_replace", "apply_gradients", "replace"})
# Functions that call another one on the leaves of a tree.
MAPPING: frozenset[str] = frozenset(
    {"jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map", "jax.tree_util.tree_multimap"}
)
# Functions of NumPy that only look at the shape or the dtype.
UNREAD_NUMPY: frozenset[str] = frozenset(
    {
        "numpy.can_cast",
        "numpy.empty_like",
        "numpy.full_like",
        "numpy.iscomplexobj",
        "numpy.isrealobj",
        "numpy.isscalar",
        "numpy.issubdtype",
        "numpy.iterable",
        "numpy.ndim",
        "numpy.ones_like",
        "numpy.result_type",
        "numpy.shape",
        "numpy.size",
        "numpy.zeros_like",
    }
)
# What the option `donate` of `equinox.filter_jit` gives away: all arguments from this one on.
DONATE_FROM: dict[str, int] = {
    "all": 0,
    "warn": 0,
    "all-except-first": 1,
    "warn-except-first": 1,
}

"""What of JAX changes nothing: calls that do nothing unless their result is used.

Source: JAX documentation, "The Sharp Bits", sections "Pure functions" and "In-place updates",
and `jax.numpy.ndarray.at`.
"""

from __future__ import annotations

from jaxlint.knowledge.ecosystems.optax import TREES
from jaxlint.knowledge.transforms import OPERATORS

# Methods of `x.at[index]`.
UPDATES: frozenset[str] = frozenset(
    {
        "add",
        "apply",
        "div",
        "divide",
        "get",
        "max",
        "min",
        "mul",
        "multiply",
        "power",
        "set",
        "subtract",
    }
)
# What came before `x.at[index]`.
INDEX_UPDATES: frozenset[str] = frozenset(
    f"jax.ops.index_{name}" for name in ("add", "max", "min", "mul", "update")
)
# Functions of the host that JAX calls as often as it likes, or never, and only for the result.
CALLBACK: frozenset[str] = frozenset({"jax.pure_callback", "jax.experimental.pure_callback"})
# Functions that run functions, by the positions of these; they do nothing else.
BODIES: dict[str, tuple[int, ...]] = {
    "jax.tree.map": (0,),
    "jax.tree.map_with_path": (0,),
    **{
        name: tuple(at for _, at in one.functions)
        for name, one in OPERATORS.items()
        if name.startswith("jax.lax.") and "branches" not in dict(one.functions)
    },
}
# Functions and methods that make a changed copy of an object: a named tuple, a dataclass, a module.
REPLACING: frozenset[str] = frozenset(
    {
        "copy.replace",
        "dataclasses.replace",
        "equinox.apply_updates",
        "equinox.tree_at",
        "equinox.tree_inference",
    }
)
# Functions that take an object for its structure alone, and give one with other contents. Sources:
# Equinox documentation, "Serialisation"; Flax documentation, `flax.serialization`.
FILLING: frozenset[str] = frozenset(
    {
        "equinox.tree_deserialise_leaves",
        "flax.serialization.from_bytes",
        "flax.serialization.from_state_dict",
        "flax.training.checkpoints.restore_checkpoint",
    }
)
# Functions of libraries that give a new tree or module and leave what they are given alone. Those
# of `optax` that take a tree are in its table.
GIVING: frozenset[str] = frozenset(
    {
        "equinox.combine",
        "equinox.filter",
        "equinox.partition",
        "flax.core.freeze",
        "flax.core.unfreeze",
        "flax.jax_utils.replicate",
        "flax.jax_utils.unreplicate",
        "flax.nnx.merge",
        "flax.serialization.msgpack_restore",
        "flax.traverse_util.flatten_dict",
        "flax.traverse_util.unflatten_dict",
        *FILLING,
        *(name for name in TREES if name != "optax.apply_updates"),
    }
)
REPLACING_METHODS: frozenset[str] = frozenset({"_replace", "apply_gradients", "replace"})
# Functions that copy any object as it is, and those that make containers of what they are given.
COPYING: frozenset[str] = frozenset({"copy.copy", "copy.deepcopy"})
FILLED: frozenset[str] = frozenset(f"builtins.{name}" for name in ("dict", "list", "set", "sorted"))
# Methods by which arrays of other libraries change in place.
IN_PLACE_METHODS: frozenset[str] = frozenset(
    {"fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"}
)
# Functions whose calls matter although nobody takes their results: they wait for the devices.
WAITS: frozenset[str] = frozenset(
    {"jax.block_until_ready", "jax.device_get", "jax.effects_barrier"}
)
# Namespaces of functions without effects.
PURE: tuple[str, ...] = (
    "jax.image.",
    "jax.lax.",
    "jax.nn.",
    "jax.numpy.",
    "jax.ops.",
    "jax.random.",
    "jax.scipy.",
)
PURE_NAMES: frozenset[str] = frozenset({"jax.device_put"})
# Builtins that change nothing.
_PURE_BUILTINS = (
    "abs all any bool complex dict divmod enumerate float getattr hasattr int isinstance "
    "issubclass len list map max min pow range reversed round set slice sorted str sum tuple "
    "type zip"
)
PURE_BUILTINS: frozenset[str] = frozenset(f"builtins.{name}" for name in _PURE_BUILTINS.split())
# What random keys are derived with: who ignores it draws the same numbers again.
KEY_FUNCTIONS: frozenset[str] = frozenset(
    {"jax.random.split", "jax.random.fold_in", "jax.random.clone"}
)
# Prints when compiled code runs: the format is a Python value.
DEBUG_PRINT = "jax.debug.print"
# Methods that change the container they are called on.
MUTATORS: frozenset[str] = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "update",
    }
)
# All methods that change a container, those that are rarely called included.
CHANGING: frozenset[str] = MUTATORS | {
    "__delitem__",
    "__setitem__",
    "difference_update",
    "intersection_update",
    "move_to_end",
    "rotate",
    "setdefault",
    "sort",
    "subtract",
    "symmetric_difference_update",
}
# Functions that only read what is kept outside the program: as good as constants, as a rule.
READS: frozenset[str] = frozenset(
    {
        "dumps",
        "fromfile",
        "genfromtxt",
        "imread",
        "listdir",
        "load",
        "loadmat",
        "loads",
        "loadtxt",
        "memmap",
        "open",
        "read",
        "readlink",
        "scandir",
        "walk",
    }
)
# Functions whose message is shown once for each place, however often they are called.
WARNS: frozenset[str] = frozenset({"warnings.warn", "warnings.warn_explicit"})
# Methods and functions that give views of NumPy arrays.
VIEWS: frozenset[str] = frozenset(
    {"asarray", "ravel", "reshape", "squeeze", "swapaxes", "transpose", "view"}
)
# Decorators that keep the results of a function, and those that are called with options first.
MEMOS: frozenset[str] = frozenset({"functools.cache", "functools.lru_cache"})
MEMOS_WITH_OPTIONS: frozenset[str] = frozenset(
    {
        "cachetools.cached",
        "cachetools.cachedmethod",
        "cachetools.func.fifo_cache",
        "cachetools.func.lfu_cache",
        "cachetools.func.lru_cache",
        "cachetools.func.ttl_cache",
    }
)

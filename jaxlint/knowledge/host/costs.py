"""What JAX does on the host: what waits for arrays, starts backends, or looks into programs."""

from __future__ import annotations

from typing import Final

# What returns only once arrays are there (JAX documentation, "Asynchronous dispatch").
WAITS: Final = frozenset(
    {
        "jax.block_until_ready",
        "jax.device_get",
        "jax.effects_barrier",
        "jax.experimental.multihost_utils.process_allgather",
        "jax.experimental.multihost_utils.sync_global_devices",
    }
)
WAITING_METHODS: Final = frozenset({"__array__", "block_until_ready", "item", "tolist"})
# Control flow of arrays, which is compiled and run at once.
RUNS: Final = frozenset(
    f"jax.lax.{name}" for name in ("cond", "fori_loop", "map", "scan", "switch", "while_loop")
)
# Transforms that trace a function and run nothing.
TRACES_ONLY: Final = frozenset({"jax.closure_convert", "jax.export.export", "jax.make_jaxpr"})
# Functions that give a function the leaves of a tree.
MAPS: Final = frozenset({"jax.tree.map", "jax.tree_util.tree_map"})
# Functions whose result is longer than their first argument.
GROWING: Final = frozenset(
    f"jax.numpy.{name}"
    for name in ("append", "column_stack", "concat", "concatenate", "dstack", "hstack", "vstack")
)
# Functions of numbers, and what Python calls them.
NAMESAKES: Final = {
    "jax.numpy.abs": "abs",
    "jax.numpy.arctan": "math.atan",
    "jax.numpy.ceil": "math.ceil",
    "jax.numpy.cos": "math.cos",
    "jax.numpy.cosh": "math.cosh",
    "jax.numpy.exp": "math.exp",
    "jax.numpy.expm1": "math.expm1",
    "jax.numpy.floor": "math.floor",
    "jax.numpy.log": "math.log",
    "jax.numpy.log10": "math.log10",
    "jax.numpy.log1p": "math.log1p",
    "jax.numpy.log2": "math.log2",
    "jax.numpy.maximum": "max",
    "jax.numpy.minimum": "min",
    "jax.numpy.power": "math.pow",
    "jax.numpy.sin": "math.sin",
    "jax.numpy.sinh": "math.sinh",
    "jax.numpy.sqrt": "math.sqrt",
    "jax.numpy.tan": "math.tan",
    "jax.numpy.tanh": "math.tanh",
}
# What is called to look into a program, and what it does.
DEBUGGING: Final = {
    "builtins.breakpoint": "stops the program",
    "ipdb.set_trace": "stops the program",
    "jax.checking_leaks": "traces again and again",
    "jax.debug.breakpoint": "stops the program",
    "jax.debug.print": "calls Python from the compiled program",
    "jax.debug_infs": "checks every result",
    "jax.debug_nans": "checks every result",
    "jax.disable_jit": "runs the program without compiling it",
    "jax.log_compiles": "logs what is compiled",
    "pdb.set_trace": "stops the program",
}
# Those of them that are contexts, with a switch for their first argument.
DEBUGGING_CONTEXTS: Final = frozenset(
    {
        "jax.checking_leaks",
        "jax.debug_infs",
        "jax.debug_nans",
        "jax.disable_jit",
        "jax.log_compiles",
    }
)
# Options of `jax.config` for the same, and what they do.
DEBUGGING_OPTIONS: Final = {
    "jax_check_tracer_leaks": "traces again and again",
    "jax_debug_infs": "checks every result",
    "jax_debug_nans": "checks every result",
    "jax_disable_jit": "runs the program without compiling it",
    "jax_explain_cache_misses": "logs what is compiled",
    "jax_log_compiles": "logs what is compiled",
}
# Options that backends read when they start, and variables of the environment.
STARTUP_OPTIONS: Final = frozenset({"jax_num_cpu_devices", "jax_platforms", "jax_platform_name"})
STARTUP_VARIABLES: Final = frozenset({"XLA_FLAGS"})

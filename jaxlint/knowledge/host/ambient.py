"""State of the process that Python code reads or changes: the environment, flags, JAX's options.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function", and "JAX
configuration options".
"""

from __future__ import annotations

ENVIRONMENT: frozenset[str] = frozenset({"os.environ", "os.environb"})
# Objects of which each attribute is state of the process.
FLAGS: frozenset[str] = frozenset({"absl.flags.FLAGS"})
# Attributes of modules that are such state.
VARIABLES: frozenset[str] = frozenset({"sys.argv"})
# What reads of them go through.
OWNERS: frozenset[str] = FLAGS | {name.rpartition(".")[0] for name in VARIABLES}
# Functions that read such state.
READERS: frozenset[str] = frozenset(
    {f"{name}.{method}" for name in ENVIRONMENT for method in ("copy", "get", "items", "values")}
    | {
        "os.getcwd",
        "os.getcwdb",
        "os.getenv",
        "os.getenvb",
        "os.getloadavg",
        "threading.current_thread",
        "threading.get_ident",
    }
)
# Functions that change options of JAX for the whole process.
SETTERS: frozenset[str] = frozenset(
    {
        "jax.clear_backends",
        "jax.clear_caches",
        "jax.config.config.update",
        "jax.config.parse_flags_with_absl",
        "jax.config.update",
        "jax.distributed.initialize",
        "jax.distributed.shutdown",
    }
)
UPDATES: frozenset[str] = frozenset({"jax.config.config.update", "jax.config.update"})
# Those that change the environment: for these keys, JAX's options.
ENVIRONMENT_SETTERS: frozenset[str] = frozenset(
    {f"{name}.{method}" for name in ENVIRONMENT for method in ("setdefault", "pop", "update")}
    | {"os.putenv", "os.unsetenv"}
)
CONFIGURES: tuple[str, ...] = ("JAX_", "XLA_", "TF_CPP_", "LIBTPU_", "CUDA_VISIBLE")
CALLS: frozenset[str] = READERS | SETTERS | ENVIRONMENT_SETTERS
# The object whose attributes are JAX's options.
CONFIG: frozenset[str] = frozenset({"jax.config", "jax.config.config"})

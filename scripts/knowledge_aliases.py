"""Other names of public JAX functions, found by the identity of the objects."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

HOMES = (
    "jax.tree", "jax.tree_util", "jax.debug", "jax.sharding", "jax.errors", "jax.export",
    "jax.stages", "jax.profiler", "jax.flatten_util", "jax.custom_batching",
    "jax.custom_derivatives", "jax.custom_transpose", "jax.experimental",
    "jax.experimental.pallas", "jax.experimental.checkify",
    "jax.experimental.pjit", "jax.experimental.shard_map", "jax.extend.core", "jax.core",
    "jax.scipy.optimize", "jax.scipy.sparse.linalg", "jax.scipy.interpolate",
    "jax.scipy.spatial.transform", "jax.ad_checkpoint", "jax.cloud_tpu_init", "jax.dlpack",
    "jax.distributed", "jax.ref",
)  # fmt: skip


def loaded(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def public_names(modules: tuple[str, ...]) -> dict[int, str]:
    """The first public name of each function and class, by the identity of the object."""
    names: dict[int, str] = {}
    for home in (*modules, *HOMES):
        module = loaded(home)
        for name, value in sorted(vars(module).items()) if module else ():
            if describable(name, value):
                names.setdefault(id(value), f"{home}.{name}")
    return names


def describable(name: str, value: Any) -> bool:
    """Whether this is a function or class of JAX itself."""
    if name.startswith("_") or not callable(value):
        return False
    home = getattr(value, "__module__", "") or ""
    return home.startswith("jax") or type(value).__module__.startswith("jax")


def aliases(modules: tuple[str, ...]) -> dict[str, str]:
    """Every other dotted name of a public function, private ones included, with the public one."""
    names = public_names(modules)
    known = set(names.values())
    table: dict[str, str] = {}
    for home, module in sorted(sys.modules.items()):
        if not home.startswith("jax.") or not isinstance(module, ModuleType):
            continue
        if home in modules or (home in HOMES and home.count(".") < 2):
            continue
        for name, value in sorted(vars(module).items()):
            public = names.get(id(value))
            dotted = f"{home}.{name}"
            if public and dotted != public and dotted not in known:
                table[dotted] = public
    return table

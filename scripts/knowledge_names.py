"""Observes which names the public modules of JAX have."""

from __future__ import annotations

import pkgutil
from types import ModuleType
from typing import Any

import knowledge_public as public


def rows() -> dict[str, str]:
    """The names of each module all of whose names are public, its submodules included."""
    found = {}
    for home in public.MODULES:
        module = public.loaded(home)
        if module is not None:
            found[home] = " ".join(sorted(_names(module)))
    return found


def _names(module: ModuleType) -> set[str]:
    paths: Any = getattr(module, "__path__", ())
    parts = {one.name for one in pkgutil.iter_modules(paths)}
    return {name for name in {*dir(module), *parts} if not name.startswith("_")}

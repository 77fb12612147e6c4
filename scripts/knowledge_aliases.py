"""Other names of public JAX functions, found by the identity of the objects."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from knowledge_public import HOMES, loaded, names_of


def public_names(modules: tuple[str, ...]) -> dict[int, str]:
    """The first public name of each function and class, by the identity of the object."""
    names: dict[int, str] = {}
    for home in (*modules, *HOMES):
        module = loaded(home)
        for name in names_of(home, module) if module else ():
            value = getattr(module, name, None)
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

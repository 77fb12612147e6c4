"""Observes what arguments functions of optax and Flax can be called with.

`python scripts/knowledge_libraries.py > jaxlint/knowledge/tables/library_signatures.py` writes the
table for the libraries that are installed.
"""

from __future__ import annotations

import types
import warnings
from importlib import import_module
from importlib.metadata import version
from typing import Any

import knowledge_signatures

MODULES = (
    "optax", "optax.assignment", "optax.losses", "optax.projections", "optax.schedules",
    "optax.transforms", "optax.tree_utils",
)  # fmt: skip
# Functions of other libraries, each as its module, its class and its name.
OTHERS = (("flax.training.train_state", "TrainState", "create"),)


def rows() -> dict[str, str]:
    """The parameters of all functions that refuse what their signature does not have."""
    found: dict[str, str | None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for home in MODULES:
            module = import_module(home)
            for name in dir(module):
                value = getattr(module, name)
                if not name.startswith("_") and _is_function(value):
                    found[f"{home}.{name}"] = knowledge_signatures.signature_of(value)
    for home, owner, name in OTHERS:
        method = getattr(getattr(import_module(home), owner), name)
        found[f"{home}.{owner}.{name}"] = knowledge_signatures.signature_of(method)
    return {name: words for name, words in found.items() if words is not None}


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and value.__module__.startswith("optax")


def versions() -> dict[str, str]:
    """The versions of the libraries that are installed."""
    return {name: version(name) for name in ("flax", "optax")}


def main() -> None:
    """Prints the table."""
    print('"""Written by scripts/knowledge_libraries.py; do not edit."""\n')
    print(f"VERSIONS = {versions()!r}\n")
    print("TABLE = {")
    for name, words in sorted(rows().items()):
        print(f"    {name!r}: {words!r},")
    print("}")


if __name__ == "__main__":
    main()

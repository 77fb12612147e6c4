"""The former package `mends`: its modules under the names that they had there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from jaxlint.base.runtime.deprecation import warn_renamed

_CURRENT = {
    "applications": "transform_sites",
    "argument_lists": "argument_lists",
    "blocking": "block_until_ready",
    "blocks": "blocks",
    "calling": "calls",
    "calltext": "call_text",
    "code": "source",
    "foriloops": "fori_loop",
    "handing": "callback_operands",
    "hoisting": "hoist",
    "hostmath": "host_math",
    "imported": "imports",
    "indenting": "indent",
    "keptmethods": "cached_methods",
    "kinds": "types",
    "literals": "literals",
    "looks": "forms",
    "masks": "boolean_arrays",
    "namedbodies": "named_bodies",
    "namesakes": "equivalents",
    "rebinding": "at_updates",
    "recompiled": "compile_once",
    "renames": "rename_api",
    "scopes": "scopes",
    "selecting": "where",
    "templates": "format_strings",
    "uses": "uses",
}


def __getattr__(name: str) -> Any:
    current = _CURRENT.get(name)
    if current is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed(f"jaxlint.api.mends.{name}", f"jaxlint.api.fixes.{current}")
    return getattr(import_module("jaxlint.fixes"), current)

"""How fixes are written: text, and small changes of text, around the nodes of a file.

Here belongs what several rules write the same way; a fix of one rule is in the rule. To carry a
fix out is the task of `jaxlint.apply`. The modules are imported when they are asked for: most files
need no fix.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.fixes import equivalents as equivalents
    from jaxlint.fixes import imports as imports
    from jaxlint.fixes import source as source
    from jaxlint.fixes.queries import forms as forms
    from jaxlint.fixes.queries import scopes as scopes
    from jaxlint.fixes.queries import transform_sites as transform_sites
    from jaxlint.fixes.queries import types as types
    from jaxlint.fixes.queries import uses as uses
    from jaxlint.fixes.rewrites import at_updates as at_updates
    from jaxlint.fixes.rewrites import block_until_ready as block_until_ready
    from jaxlint.fixes.rewrites import boolean_arrays as boolean_arrays
    from jaxlint.fixes.rewrites import cached_methods as cached_methods
    from jaxlint.fixes.rewrites import callback_operands as callback_operands
    from jaxlint.fixes.rewrites import calls as calls
    from jaxlint.fixes.rewrites import compile_once as compile_once
    from jaxlint.fixes.rewrites import fori_loop as fori_loop
    from jaxlint.fixes.rewrites import hoist as hoist
    from jaxlint.fixes.rewrites import host_math as host_math
    from jaxlint.fixes.rewrites import named_bodies as named_bodies
    from jaxlint.fixes.rewrites import rename_api as rename_api
    from jaxlint.fixes.rewrites import where as where
    from jaxlint.fixes.text import argument_lists as argument_lists
    from jaxlint.fixes.text import blocks as blocks
    from jaxlint.fixes.text import call_text as call_text
    from jaxlint.fixes.text import format_strings as format_strings
    from jaxlint.fixes.text import indent as indent
    from jaxlint.fixes.text import literals as literals

# The package of each module that rules may ask for.
_PACKAGES = {
    "argument_lists": "jaxlint.fixes.text",
    "at_updates": "jaxlint.fixes.rewrites",
    "block_until_ready": "jaxlint.fixes.rewrites",
    "blocks": "jaxlint.fixes.text",
    "boolean_arrays": "jaxlint.fixes.rewrites",
    "cached_methods": "jaxlint.fixes.rewrites",
    "call_text": "jaxlint.fixes.text",
    "callback_operands": "jaxlint.fixes.rewrites",
    "calls": "jaxlint.fixes.rewrites",
    "compile_once": "jaxlint.fixes.rewrites",
    "equivalents": "jaxlint.fixes",
    "fori_loop": "jaxlint.fixes.rewrites",
    "format_strings": "jaxlint.fixes.text",
    "forms": "jaxlint.fixes.queries",
    "hoist": "jaxlint.fixes.rewrites",
    "host_math": "jaxlint.fixes.rewrites",
    "imports": "jaxlint.fixes",
    "indent": "jaxlint.fixes.text",
    "literals": "jaxlint.fixes.text",
    "named_bodies": "jaxlint.fixes.rewrites",
    "rename_api": "jaxlint.fixes.rewrites",
    "scopes": "jaxlint.fixes.queries",
    "source": "jaxlint.fixes",
    "transform_sites": "jaxlint.fixes.queries",
    "types": "jaxlint.fixes.queries",
    "uses": "jaxlint.fixes.queries",
    "where": "jaxlint.fixes.rewrites",
}


def __getattr__(name: str) -> Any:
    package = _PACKAGES.get(name)
    if package is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{package}.{name}")

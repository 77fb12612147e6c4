"""How repairs are written: text and small changes of text around the nodes of a file.

The modules are imported when they are asked for: most files need no repair.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.mends import applications as applications
    from jaxlint.mends import argument_lists as argument_lists
    from jaxlint.mends import blocking as blocking
    from jaxlint.mends import blocks as blocks
    from jaxlint.mends import calling as calling
    from jaxlint.mends import calltext as calltext
    from jaxlint.mends import code as code
    from jaxlint.mends import foriloops as foriloops
    from jaxlint.mends import handing as handing
    from jaxlint.mends import hoisting as hoisting
    from jaxlint.mends import hostmath as hostmath
    from jaxlint.mends import imported as imported
    from jaxlint.mends import indenting as indenting
    from jaxlint.mends import keptmethods as keptmethods
    from jaxlint.mends import kinds as kinds
    from jaxlint.mends import literals as literals
    from jaxlint.mends import looks as looks
    from jaxlint.mends import masks as masks
    from jaxlint.mends import namedbodies as namedbodies
    from jaxlint.mends import namesakes as namesakes
    from jaxlint.mends import rebinding as rebinding
    from jaxlint.mends import recompiled as recompiled
    from jaxlint.mends import renames as renames
    from jaxlint.mends import scopes as scopes
    from jaxlint.mends import selecting as selecting
    from jaxlint.mends import templates as templates
    from jaxlint.mends import uses as uses


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return import_module(f"jaxlint.mends.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

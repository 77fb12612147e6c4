"""The pages of rules, which are the docstrings of their modules."""

from __future__ import annotations

import ast
import importlib.util
import inspect

from jaxlint.base.own_codes import Meta
from jaxlint.rule import Rule


def page(entry: Rule | Meta) -> str:
    """The page of a rule, in Markdown.

    It is read from the source of the rule's module: docstrings are absent under `python -OO`.
    """
    if isinstance(entry, Meta):
        return entry.page
    source = _source(entry.module)
    docstring = ast.get_docstring(ast.parse(source)) if source else None
    return inspect.cleandoc(docstring) + "\n" if docstring else ""


def _source(module: str) -> str | None:
    """The source of a module. Loaders that rewrite modules, as pytest's does, cannot tell it."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        # What it is in.
        return None
    if spec is None:
        return None
    read = getattr(spec.loader, "get_source", None)
    if read is not None:
        source: str | None = read(module)
        return source
    if not spec.has_location or spec.origin is None:
        return None
    with open(spec.origin, "rb") as stream:
        return importlib.util.decode_source(stream.read())


def summary(entry: Rule | Meta) -> str:
    """The first line of the page, without its full stop."""
    return page(entry).strip().partition("\n")[0].rstrip(".")

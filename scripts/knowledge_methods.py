"""Observes the methods of arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import knowledge_recipes as recipes
from knowledge_probe import row


def method_rows(unknown: list[str]) -> dict[str, Any]:
    """The rows of the methods of arrays, whose parameters leave out the array."""
    table: dict[str, Any] = {}
    for name in sorted(name for name in recipes.METHODS if hasattr(jax.Array, name)):
        probe_row = method_row(name)
        if probe_row is None:
            unknown.append(f"jax.Array.{name}")
        else:
            table[name] = probe_row
    return table


def unbound(name: str) -> Callable[..., Any]:
    """A method of arrays as a function that takes the array first."""

    def call(self: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(jnp.asarray(self), name)(*args, **keywords)

    call.__signature__ = inspect.signature(getattr(jax.Array, name))  # type: ignore[attr-defined]
    return call


def method_row(name: str) -> tuple[Any, ...] | None:
    dotted = f"jax.Array.{name}"
    found = row(dotted, unbound(name))
    if found is None:
        return None
    result, dtype, names, positional, *more = found
    names = names.split(" ", 1)[1] if " " in names else ""
    extra = dict(more[0]) if more else {}
    for field in ("shape", "layout", "static"):
        extra[field] = " ".join(p for p in extra.get(field, "").split() if p != "self")
    extra = {field: value for field, value in extra.items() if value}
    head = (result, dtype, names, positional - 1 if positional > 0 else positional)
    return (*head, extra) if extra else head

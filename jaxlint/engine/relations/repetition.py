"""Bindings that repeat: a lazy import gives a name the same module whenever it runs."""

from __future__ import annotations

from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import LibraryName, Static, Value, is_none, options
from jaxlint.syntax import ir


def repeats(old: Value | None, value: Value, node: ir.Node | None = None) -> bool:
    """Whether a binding, `node`, gives a place what it holds already, or what it gets each time.

    An import finds the same object each time, and so does whoever reads it from a module. `old`
    is what the place holds, None for nothing.
    """
    imports = isinstance(node, (ir.Import, ir.ImportFrom))
    if not imports and not isinstance(value, (LibraryName, Module)):
        return False
    return old is None or all(is_none(one) or _is_same(one, value) for one in options(old))


def _is_same(one: Value, other: Value) -> bool:
    if isinstance(one, LibraryName) and isinstance(other, LibraryName):
        return one.dotted == other.dotted
    if isinstance(one, Module) and isinstance(other, Module):
        return one.place == other.place
    if isinstance(one, Static) and isinstance(other, Static) and one.known and other.known:
        return type(one.const) is type(other.const) and bool(one.const == other.const)
    return one is other

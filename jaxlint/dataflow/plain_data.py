"""Host code that only puts data together: rows of tests, registries, tables of options."""

from __future__ import annotations

from typing import Final

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import walk
from jaxlint.syntax import ir

# Iterations of such code that are followed one by one.
MOST_TURNS: Final = 64
_BUILTINS: Final = frozenset(
    [
        *("bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "range"),
        *("set", "sorted", "str", "tuple", "zip"),
    ]
)
_METHODS: Final = frozenset(
    [
        *("add", "append", "copy", "extend", "format", "get", "insert", "items", "join", "keys"),
        *("lower", "replace", "setdefault", "split", "update", "upper", "values"),
    ]
)
_OTHER: Final = (ir.FunctionDef, ir.ClassDef, ir.Lambda, ir.Await, ir.Yield, ir.While)


@answered_once
def only_data(node: ir.Node) -> bool:
    """Whether a loop or comprehension calls nothing but methods of containers and builtins."""
    return not any(
        isinstance(one, _OTHER) or (isinstance(one, ir.Call) and not _is_plain(one.func))
        for one in walk(node)
    )


def _is_plain(func: ir.Expr) -> bool:
    if isinstance(func, ir.Attribute):
        return func.attr in _METHODS
    return isinstance(func, ir.Name) and func.id in _BUILTINS

"""The tracers that a function takes from the code around it, and reads."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.names import free_names, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Instance,
    Mapping,
    Partial,
    Sequence,
    Traced,
    Value,
    as_traced,
)
from jaxlint.engine.summaries.transformed import innermost
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# How deep functions that a function calls are followed.
_DEPTH = 2
Found = tuple[str, Traced]


def tracers(value: Value, depth: int = _DEPTH) -> Iterator[Found]:
    """The tracers that a function reads besides its arguments, with their names."""
    func = innermost(value)
    if isinstance(func, Partial):
        for given in (*func.args, *func.keywords.values()):
            held = None if isinstance(given, Instance) else finds_traced(given, in_text=False)
            if held is not None:
                yield "an argument of the partial", held
        yield from tracers(func.func, depth)
    elif isinstance(func, Bound):
        inner = func.func
        if isinstance(inner, Function) and inner.node.params:
            yield from _read(inner, inner.node.params[0].name, func.owner, depth)
            yield from tracers(inner, depth)
    elif isinstance(func, Function) and depth:
        for name, default in func.defaults.items():
            yield from _read(func, name, default, depth)
        for name in sorted(free_names(func.node)):
            held_by_name = _named(func, name)
            if held_by_name is not None:
                yield from _read(func, name, held_by_name, depth)


def _named(func: Function, name: str) -> Value | None:
    """What a name of the traced code around a function holds."""
    scope: Frame | None = func.frame
    while scope is not None and not scope.trace.is_host:
        if name in scope.env:
            return scope.env[name]
        scope = scope.enclosing()
    return None


def _read(func: Function, name: str, value: Value, depth: int) -> Iterator[Found]:
    """The tracers that the function reads of a value that it knows by this name."""
    if isinstance(value, (Function, Partial)):
        yield from tracers(value, depth - 1)
        return
    if not isinstance(value, (Instance, Mapping, Sequence)) and as_traced(value) is None:
        return
    parts: dict[int, ir.Expr] = {}
    names: list[ir.Name] = []
    for node in walk(func.node.body):
        if isinstance(node, (ir.Attribute, ir.Subscript)):
            parts[id(node.value)] = node
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Name):
            if node.func.id in _STATIC_QUESTIONS:
                parts.update({id(argument.value): node for argument in node.args})
        elif isinstance(node, ir.Name) and node.id == name:
            names.append(node)
    for one in names:
        found = _part_read(value, parts.get(id(one)))
        if found is not None:
            yield name, found


# Builtins that ask a tracer nothing that it does not know.
_STATIC_QUESTIONS = frozenset({"len", "isinstance", "type", "id", "hasattr", "callable"})


def _part_read(value: Value, use: ir.Expr | None) -> Traced | None:
    """The tracer in a value of which `use` reads a part, None for all of it."""
    if isinstance(use, ir.Call):
        return None
    traced = as_traced(value)
    if traced is not None:
        static = isinstance(use, ir.Attribute) and use.attr in lookup.STATIC_ATTRIBUTES
        return None if static else traced
    if isinstance(value, Instance):
        field = value.fields.get(use.attr) if isinstance(use, ir.Attribute) else None
        return None if field is None else as_traced(field)
    if isinstance(value, Mapping) and isinstance(use, ir.Subscript):
        key = use.index.value if isinstance(use.index, ir.Const) else None
        item = value.items.get(key) if isinstance(key, (str, int)) else None
        return None if item is None else as_traced(item)
    if isinstance(use, ir.Attribute) and use.attr == "keys":
        return None
    return finds_traced(value, 1, in_text=False)

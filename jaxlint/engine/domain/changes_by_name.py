"""What a function may change, as its source tells without a run: by names and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import assigned, walk
from jaxlint.engine.domain.methods import is_super
from jaxlint.knowledge.host.purity import CHANGING
from jaxlint.syntax import ir

# A name, and the attributes that are read of it one after the other: `self.stack` is two.
Path = tuple[str, ...]


class NamedCall(NamedTuple):
    """A call of what is found at a path, with the paths of its arguments in their order, None for
    other expressions, and of those that are given by name."""

    callee: Path
    given: tuple[Path | None, ...]
    named: tuple[tuple[str, Path], ...]


class NamedChanges(NamedTuple):
    """Of what is found at these paths, the elements are changed (`filled`), or an attribute is set
    (the last part of a path in `stored`); or it is called."""

    filled: frozenset[Path]
    stored: frozenset[Path]
    calls: tuple[NamedCall, ...]


@answered_once
def changes_of(func: ir.FunctionDef) -> NamedChanges:
    """What a function does to what is found at paths that begin outside it. A local name stands for
    the path that was assigned to it."""
    aliases: dict[str, Path] = {}
    for node in walk(func.body):
        targets, value = assigned(node)
        path = path_of(value, func)
        if path is not None:
            aliases.update((one.id, path) for one in targets if isinstance(one, ir.Name))
    local = func.bound - {param.name for param in func.params}

    def outside(expr: ir.Node | None) -> Path | None:
        path = path_of(expr, func)
        if path is not None and path[0] in local:
            path = aliases[path[0]] + path[1:] if path[0] in aliases else None
        return None if path is None or path[0] in local else path

    filled, stored, calls = set[Path](), set[Path](), list[NamedCall]()
    for node in walk(func.body):
        for target in _targets(node):
            place = target.value if isinstance(target, ir.Subscript) else target
            path = outside(place)
            if path is not None and isinstance(target, ir.Subscript):
                filled.add(path)
            elif path is not None and isinstance(target, ir.Attribute):
                stored.add(path)
        if isinstance(node, ir.Call):
            path = outside(node.func)
            if path is None:
                continue
            if len(path) > 1 and path[-1] in CHANGING:
                filled.add(path[:-1])
            given = tuple(outside(one.value) for one in node.args if not (one.keyword or one.star))
            named = ((one.keyword, outside(one.value)) for one in node.args if one.keyword)
            by_name = tuple((name, held) for name, held in named if held is not None)
            calls.append(NamedCall(path, given, by_name))
    return NamedChanges(frozenset(filled), frozenset(stored), tuple(calls))


def path_of(expr: ir.Node | None, func: ir.FunctionDef) -> Path | None:
    """The path of an expression in a function, None for one that is none. `super()` is the object
    of the method."""
    parts: list[str] = []
    while isinstance(expr, ir.Attribute):
        parts.append(expr.attr)
        expr = expr.value
    if is_super(expr):
        return (func.params[0].name, *reversed(parts)) if func.params else None
    return (expr.id, *reversed(parts)) if isinstance(expr, ir.Name) else None


def _targets(node: ir.Node) -> Iterator[ir.Node]:
    """The places that a statement binds or deletes."""
    targets: tuple[ir.Expr, ...] = ()
    if isinstance(node, (ir.Assign, ir.Delete)):
        targets = node.targets
    elif isinstance(node, (ir.AugAssign, ir.AnnAssign)):
        targets = (node.target,)
    for target in targets:
        yield from walk(target) if isinstance(target, (ir.Sequence, ir.Starred)) else (target,)

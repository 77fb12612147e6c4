"""Names of the source: what binds them where, and which are free to be bound."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import bound_names, free_names, walk
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir


def binders(name: str, body: Any) -> list[ir.Node]:
    """The statements and expressions of a body that bind a name, those of inner functions and
    classes left out."""
    return list(_binders(body).get(name, ()))


@answered_once_of
def _binders(body: Any) -> dict[str, list[ir.Node]]:
    found: dict[str, list[ir.Node]] = {}
    for one in walk(body, (ir.FunctionDef, ir.ClassDef)):
        for name in taken(one) if isinstance(one, ir.Node) else ():
            found.setdefault(name, []).append(one)
    return found


def taken(node: Any) -> set[str]:
    """The names that one statement or expression binds: imports, clauses and handlers too."""
    if isinstance(node, ir.Comprehension):
        return {name for clause in node.clauses for name in _names(clause.target)}
    if isinstance(node, ir.Try):
        return {handler.name for handler in node.handlers if handler.name}
    if isinstance(node, ir.Import):
        return {alias or dotted.partition(".")[0] for dotted, alias in node.names}
    if isinstance(node, ir.ImportFrom):
        return {alias or name for name, alias in node.names or ()}
    if isinstance(node, (ir.Global, ir.Nonlocal)):
        return set(node.names)
    return bound_names(node)


def _names(target: ir.Node) -> set[str]:
    return {one.id for one in walk(target) if isinstance(one, ir.Name)}


def is_captured(code: Code, name: str, node: ir.Node) -> bool:
    """Whether a function that is defined in the scope of a node reads a name of that scope."""
    function = code.function(node)
    body = code.module.body if function is None else function.body
    return any(isinstance(one, ir.FunctionDef) and name in free_names(one) for one in walk(body))


def mentions(name: str, node: Any) -> bool:
    """Whether a name is said anywhere in a node, or bound there."""
    return any(
        (isinstance(one, ir.Name) and one.id == name) or name in taken(one)
        for one in walk(node)
        if isinstance(one, ir.Node)
    )


@answered_once_of
def calls(node: Any) -> list[ir.Call]:
    """The calls in a node."""
    return [one for one in walk(node) if isinstance(one, ir.Call)]


def value_before(code: Code, name: ir.Name) -> ir.Expr | None:
    """What a name is bound to before the loops around a place in which it is read; None where that
    is not written, or not in one place."""
    loops = [one for one in code.around(name) if isinstance(one, (ir.For, ir.While))]
    function = code.function(name)
    if not loops:
        return None
    first = code.module.locate(loops[-1]).line
    body = code.module.body if function is None else function.body
    found = [one for one in binders(name.id, body) if code.module.locate(one).line < first]
    one = found[0] if len(found) == 1 else None
    if not isinstance(one, ir.Assign) or len(one.targets) != 1:
        return None
    target, value = one.targets[0], one.value
    if isinstance(target, ir.Sequence) and isinstance(value, ir.Sequence):
        pairs = zip(target.items, value.items, strict=False)
        return next((v for t, v in pairs if isinstance(t, ir.Name) and t.id == name.id), None)
    return value if isinstance(target, ir.Name) else None


def attributes(code: Code, name: str) -> list[ir.Attribute]:
    """The places of a file in which an attribute of this name is read or set."""
    return _attributes(code.module.body).get(name, [])


@answered_once_of
def _attributes(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.Attribute]]:
    found: dict[str, list[ir.Attribute]] = {}
    for one in walk(body):
        if isinstance(one, ir.Attribute):
            found.setdefault(one.attr, []).append(one)
    return found

"""Dead stores: assignments whose values nothing reads."""

from __future__ import annotations

from typing import Any, Literal

from jaxlint.dataflow.names import bound_names, dotted_text, parents, walk
from jaxlint.knowledge.host.purity import FILLING
from jaxlint.syntax import ir

Block = tuple[ir.Stmt, ...]
First = Literal["", "bound", "read"]
# By the last part of their names.
_FILLING = frozenset(name.rpartition(".")[2] for name in FILLING)


def is_dead(body: Block, node: ir.Node, is_function: bool) -> bool:
    """Whether a statement of a body assigns `node` to names whose values nothing reads: they are
    bound again before, or the function ends. False in loops, and where it cannot be told."""
    path = _path(body, node)
    if not path:
        return False
    block, at = path[-1]
    names = bound_names(block[at])
    kept = _names(one for one in walk(body) if isinstance(one, (ir.FunctionDef, ir.ClassDef)))
    return bool(names) and all(
        name not in kept and _is_replaced(path, name, is_function) for name in names
    )


def is_never_read(func: ir.FunctionDef | None, node: ir.Expr) -> bool:
    """Whether a function only binds what an expression gives to names that it never reads."""
    if func is None:
        return False
    kept: Any = parents(func.body).get(id(node))
    targets = _targets(kept)
    if not targets or kept.value is not node:
        return False
    names = {one.id for one in targets if isinstance(one, ir.Name)}
    shared = names & (func.globals | func.nonlocals)
    if shared or not all(isinstance(one, ir.Name) for one in targets):
        return False
    inside = list(walk(func.body))
    stored = {id(target) for one in inside for target in _targets(one)}
    return not any(
        isinstance(one, ir.Name) and one.id in names and id(one) not in stored for one in inside
    )


def _targets(node: ir.Node) -> tuple[ir.Expr, ...]:
    """What an assignment binds."""
    if isinstance(node, ir.AnnAssign):
        return (node.target,)
    return node.targets if isinstance(node, ir.Assign) else ()


def _path(body: Block, node: ir.Node) -> list[tuple[Block, int]]:
    """The blocks around the statement that assigns `node`, outermost first, and where each goes on
    towards it; empty for one in a loop, and if there is none."""
    for at, statement in enumerate(body):
        if isinstance(statement, ir.Assign) and statement.value is node:
            return [(body, at)]
        for block in _blocks(statement) if isinstance(statement, (ir.If, ir.With)) else ():
            inner = _path(block, node)
            if inner:
                return [(body, at), *inner]
    return []


def _blocks(statement: Any) -> tuple[Block, ...]:
    return (statement.body, getattr(statement, "orelse", ()))


def _is_replaced(path: list[tuple[Block, int]], name: str, is_function: bool) -> bool:
    for block, at in reversed(path):
        first = _first_use(block[at + 1 :], name)
        if first:
            return first == "bound"
    return is_function


def _first_use(block: Block, name: str) -> First:
    """What a block does first with a name: "bound" if it is so on every path, "read" if it may be,
    and neither if the name may be left as it is."""
    for statement in block:
        first = _use_in(statement, name)
        if first:
            return first
    return ""


def _use_in(statement: ir.Stmt, name: str) -> First:
    if isinstance(statement, (ir.For, ir.If, ir.While, ir.With)):
        blocks = _blocks(statement)
        inside = [one for block in blocks for one in block]
        if name in _names([statement]) and _count([statement], name) > _count(inside, name):
            return "read"
        uses = [_first_use(block, name) for block in blocks]
        if "read" in uses:
            return "read"
        whole = isinstance(statement, ir.With) or (isinstance(statement, ir.If) and all(uses))
        return "bound" if whole and "bound" in uses else ""
    if isinstance(statement, ir.Assign):
        targets = _count(statement.targets, name)
        read = _count([statement], name) - _as_template(statement.value, name)
        if name not in bound_names(statement):
            return "read" if read else ""
        return "read" if read > targets or targets > 1 else "bound"
    return "read" if name in _names([statement]) else ""


def _as_template(value: ir.Expr, name: str) -> int:
    """How often a statement reads a name for nothing but the structure of what it holds."""
    if not isinstance(value, ir.Call):
        return 0
    if dotted_text(value.func).rpartition(".")[2] not in _FILLING:
        return 0
    return sum(isinstance(one.value, ir.Name) and one.value.id == name for one in value.args)


def _count(nodes: Any, name: str) -> int:
    return sum(isinstance(n, ir.Name) and n.id == name for n in walk(tuple(nodes)))


def _names(nodes: Any) -> frozenset[str]:
    return frozenset(n.id for n in walk(tuple(nodes)) if isinstance(n, ir.Name))

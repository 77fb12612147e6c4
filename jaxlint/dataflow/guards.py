"""Code that runs only where a name is there: behind tests of versions, and where errors about
names that are missing are expected."""

from __future__ import annotations

import re
from typing import Any

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.syntax import ir

# What a test mentions that asks what there is.
_ASKS = re.compile(
    r"version|hasattr|getattr|find_spec|type_checking|importlib|\bdir\b|__dict__|sys\.modules",
    re.IGNORECASE,
)
_CATCHES = frozenset(
    {
        "AttributeError",
        "BaseException",
        "Exception",
        "ImportError",
        "ModuleNotFoundError",
    }
)
_EXPECTS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns"})
_LEAVES = (ir.Return, ir.Raise, ir.Continue, ir.Break)


@answered_once
def conditional(module: ir.Module) -> frozenset[int]:
    """The identities of the nodes of a module that need not find the names that they use."""
    flags = _flags(module)
    found: set[int] = set()
    for node in walk(module.body):
        if isinstance(node, (ir.If, ir.While, ir.IfExp)) and _asks(node.test, flags):
            found.update(map(id, walk((node.body, node.orelse))))
        elif isinstance(node, (ir.BoolOp, ir.Assert)) and _asks(node, flags):
            found.update(map(id, walk(node)))
        elif isinstance(node, ir.Try) and any(map(_catches, node.handlers)):
            found.update(map(id, walk((node.body, node.handlers, node.orelse))))
        elif isinstance(node, ir.With) and any(_expects(expr) for expr, _ in node.items):
            found.update(map(id, walk(node.body)))
        for block in _blocks(node):
            found.update(map(id, walk(_behind(block, flags))))
    found.update(map(id, walk(_behind(module.body, flags))))
    return frozenset(found)


@answered_once
def attempted(module: ir.Module, errors: frozenset[str]) -> frozenset[int]:
    """The identities of the nodes of a module that are tried, with handlers for such errors."""
    return frozenset(
        id(inner)
        for node in walk(module.body)
        if isinstance(node, ir.Try) and any(_catches(h, errors) for h in node.handlers)
        for inner in walk(node.body)
    )


def replaced(module: ir.Module, attr: str) -> bool:
    """Whether a module sets an attribute of this name itself: `jax.tree_map = jax.tree.map`."""
    return attr in _set_by(module)


@answered_once
def _set_by(module: ir.Module) -> frozenset[object]:
    """The attributes that a module sets."""
    found: set[object] = set()
    for node in walk(module.body):
        if isinstance(node, ir.Assign):
            found.update(t.attr for t in node.targets if isinstance(t, ir.Attribute))
        elif isinstance(node, ir.Call) and dotted_text(node.func) == "setattr":
            given = (a.value.value for a in node.args if isinstance(a.value, ir.Const))
            found.update(one for one in given if isinstance(one, str))
    return frozenset(found)


def _flags(module: ir.Module) -> frozenset[str]:
    """Names of flags and functions that are made of such tests."""
    found: set[str] = set()
    for node in walk(module.body):
        if isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None:
            if _asks(node.value, frozenset()):
                found |= bound_names(node)
        elif isinstance(node, ir.FunctionDef) and len(node.body) <= 3:
            if any(isinstance(n, ir.Return) and _asks(n.value, frozenset()) for n in node.body):
                found.add(node.name)
        elif isinstance(node, ir.Try) and any(map(_catches, node.handlers)):
            for statement in walk((node.body, node.handlers, node.orelse)):
                if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Const):
                    found |= bound_names(statement)
    return frozenset(found)


def _asks(test: Any, flags: frozenset[str]) -> bool:
    """Whether a test asks for a version, or whether something is there."""
    for node in walk(test):
        if isinstance(node, ir.Name) and (node.id in flags or _ASKS.search(node.id)):
            return True
        if isinstance(node, ir.Attribute) and (node.attr in flags or _ASKS.search(node.attr)):
            return True
    return False


def _catches(handler: ir.Handler, errors: frozenset[str] = _CATCHES) -> bool:
    kinds = handler.type.items if isinstance(handler.type, ir.Sequence) else (handler.type,)
    return any(k is None or dotted_text(k).rpartition(".")[2] in errors for k in kinds)


def _expects(expr: ir.Expr) -> bool:
    return dotted_text(expr).rpartition(".")[2] in _EXPECTS


def _blocks(node: Any) -> tuple[tuple[ir.Stmt, ...], ...]:
    return (node.body,) if isinstance(node, (ir.FunctionDef, ir.For, ir.With)) else ()


def _behind(block: tuple[ir.Stmt, ...], flags: frozenset[str]) -> tuple[ir.Stmt, ...]:
    """The statements behind a test that leaves the block: they run where it did not."""
    for at, one in enumerate(block):
        leaves = isinstance(one, ir.If) and one.body and isinstance(one.body[-1], _LEAVES)
        if isinstance(one, ir.If) and leaves and _asks(one.test, flags):
            return block[at + 1 :]
    return ()

"""What expressions are by their looks: by the text around them, without running it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import bound_names, names_by_text, walk
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_STATIC = frozenset({"shape", "ndim", "size"})


def names(nodes: object) -> Iterator[ir.Name]:
    """All names that are written under nodes, as variables."""
    yield from (one for one in walk(nodes) if isinstance(one, ir.Name))


def said(nodes: object) -> Collection[str]:
    """The names that are written under nodes, as variables."""
    return names_by_text(nodes).keys()


def asked(function: ir.FunctionDef) -> set[str]:
    """The names that a function reads attributes of."""
    attributes = (one for one in walk(function.body) if isinstance(one, ir.Attribute))
    return {one.value.id for one in attributes if isinstance(one.value, ir.Name)}


def definition(code: Code, node: ir.Name) -> ir.Expr | None:
    """What a name is assigned, by the one statement of the function, or of the module, that binds
    it."""
    function = code.function(node)
    if function is not None and node.id in {p.name for p in function.params}:
        return None
    is_own = function is not None and node.id in function.bound
    body = function.body if function is not None and is_own else code.module.body
    binding = (_bound if is_own else _bound_outside)(body).get(node.id, [])
    if len(binding) != 1 or not isinstance(binding[0], ir.Assign):
        return None
    targets = binding[0].targets
    return binding[0].value if len(targets) == 1 and isinstance(targets[0], ir.Name) else None


@answered_once_of
def _bound(body: tuple[ir.Stmt, ...]) -> dict[str, list[Any]]:
    return _bindings(walk(body))


@answered_once_of
def _bound_outside(body: tuple[ir.Stmt, ...]) -> dict[str, list[Any]]:
    return _bindings(walk(body, (ir.FunctionDef, ir.ClassDef)))


def _bindings(nodes: Iterator[Any]) -> dict[str, list[Any]]:
    """Of some nodes, those that bind each name."""
    found: dict[str, list[Any]] = {}
    for one in nodes:
        for name in bound_names(one) if isinstance(one, ir.Node) else ():
            found.setdefault(name, []).append(one)
    return found


def is_parameter(code: Code, node: ir.Expr) -> bool:
    """Whether a name stands for what a function around is called with."""
    return isinstance(node, ir.Name) and any(
        node.id in {parameter.name for parameter in one.params}
        for one in code.around(node)
        if isinstance(one, ir.FunctionDef)
    )


def is_traced(code: Code, node: ir.Expr) -> bool:
    """Whether an expression of traced code gives a tracer: what JAX computes, and parameters that
    are asked for their shape, with operators and methods."""
    if isinstance(node, ir.Name):
        value = definition(code, node)
        if value is not None and not isinstance(value, ir.Name):
            if id(value) not in code.traced:
                code.traced[id(value)] = False  # What is computed from itself.
                code.traced[id(value)] = is_traced(code, value)
            return code.traced[id(value)]
        function = code.function(node)
        return is_parameter(code, node) and any(
            isinstance(one, ir.Attribute) and one.attr == "shape" and one.value.id == node.id
            for one in walk(() if function is None else function.body)
            if isinstance(one, ir.Attribute) and isinstance(one.value, ir.Name)
        )
    if isinstance(node, ir.BinOp):
        return is_traced(code, node.left) or is_traced(code, node.right)
    if isinstance(node, (ir.UnaryOp, ir.Subscript)):
        return is_traced(code, node.operand if isinstance(node, ir.UnaryOp) else node.value)
    if isinstance(node, ir.Attribute):
        return node.attr not in _STATIC and is_traced(code, node.value)
    if not isinstance(node, ir.Call):
        return False
    is_method = isinstance(node.func, ir.Attribute) and is_traced(code, node.func.value)
    return is_method or code.meaning(node.func).startswith(("jax.numpy.", "jax.lax.", "jax.nn."))


def is_static(node: ir.Expr) -> bool:
    """Whether an expression is a question about the shape of an array, or the length of one."""
    if isinstance(node, ir.Subscript):
        plain = isinstance(node.index, (ir.Const, ir.UnaryOp, ir.Slice))
        return plain and isinstance(node.value, ir.Attribute) and node.value.attr == "shape"
    if isinstance(node, ir.Call):
        return isinstance(node.func, ir.Name) and node.func.id == "len"
    return isinstance(node, ir.Attribute) and node.attr in _STATIC

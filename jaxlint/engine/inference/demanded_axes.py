"""Arrays that have an axis because an operation that always runs needs one: `x.shape[0]`,
`x @ y`, `jnp.concatenate([x, y])`."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import CONDITIONAL, walk
from jaxlint.engine.domain.values import Function, LibraryName
from jaxlint.engine.inference.definitions import Scope, Term, term_value
from jaxlint.knowledge.arrays.ranks import TAKE_AXES
from jaxlint.syntax import ir

# How many functions that hand an array on are followed.
_DEEPEST = 3
_STRAIGHT = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt, ir.FunctionDef, ir.Return)


def is_demanded(scope: Scope, name: str, depth: int = _DEEPEST) -> bool:
    """Whether the array that a name is bound to, once, has an axis."""
    if len(scope.bindings(name)) > 1 or (scope.bindings(name) and scope.takes(name)):
        return False
    if name in _demanded(scope.body):
        return True
    return depth > 0 and any(_takes(scope, one, name, depth) for one in _calls(scope.body))


def _takes(scope: Scope, call: ir.Call, name: str, depth: int) -> bool:
    """Whether a function that a call hands a name on to demands an axis of it."""
    at = [n for n, one in enumerate(call.args) if _holds(one.value, name)]
    if not at or any(one.star for one in call.args):
        return False
    func = term_value(Term(call, scope))
    if isinstance(func, LibraryName):
        return at[0] == 0 and func.dotted in TAKE_AXES
    if not isinstance(func, Function) or func.node.is_generator:
        return False
    names = [one.name for one in func.node.params if one.kind in ("plain", "positional")]
    inner = Scope(func.frame, func.node.body, {}, scope.machine)
    plain = [(n, call.args[n]) for n in at if isinstance(call.args[n].value, ir.Name)]
    taken = [one.keyword or (names[n] if n < len(names) else "") for n, one in plain]
    return any(one in names and is_demanded(inner, one, depth - 1) for one in taken)


def _holds(node: ir.Expr, name: str) -> bool:
    """Whether an argument is a name, or a list with it."""
    parts = node.items if isinstance(node, ir.Sequence) else (node,)
    return any(isinstance(one, ir.Name) and one.id == name for one in parts)


@answered_once_of
def _calls(body: tuple[ir.Stmt, ...]) -> list[ir.Call]:
    return [one for one in _straight(body) if isinstance(one, ir.Call)]


@answered_once_of
def _demanded(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    return frozenset(
        part.id for one in _straight(body) for part in _operands(one) if isinstance(part, ir.Name)
    )


def _straight(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Node]:
    """The expressions that run whenever a body does."""
    for statement in body:
        if not isinstance(statement, _STRAIGHT):
            return
        yield from walk(statement, CONDITIONAL)


def _operands(node: ir.Node) -> tuple[ir.Expr, ...]:
    """What has an axis where this is evaluated."""
    if isinstance(node, ir.BinOp):
        return (node.left, node.right) if node.op == "@" else ()
    if isinstance(node, ir.Subscript) and isinstance(node.index, (ir.Const, ir.UnaryOp)):
        whole = node.value
        return (whole.value,) if isinstance(whole, ir.Attribute) and whole.attr == "shape" else ()
    return ()

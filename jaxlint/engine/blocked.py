"""Differentiated functions whose result depends on the argument only through steps: operations
that are constant almost everywhere, so that the derivative is zero."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.arguments import Args
from jaxlint.engine.bindings import dotted_text, walk
from jaxlint.engine.definitions import Scope, Term, children
from jaxlint.engine.machine import Machine
from jaxlint.engine.misuse import misused
from jaxlint.engine.state import Frame, Trace
from jaxlint.engine.values import Function, Traced, Value
from jaxlint.knowledge import lookup, numerics
from jaxlint.syntax import ir

NOT, STEPS, SMOOTH = 0, 1, 2
_DEPTH = 24
_INNER = (ir.FunctionDef, ir.Lambda, ir.ClassDef)


def leaves(machine: Machine, trace: Trace, func: Value, args: Args) -> None:
    """Reports a differentiated function whose derivative is zero everywhere."""
    if not isinstance(func, Function) or trace.entry is None or machine.idle:
        return
    names = _differentiated(func, args)
    returns = [n for n in walk(func.node.body, _INNER) if isinstance(n, ir.Return)]
    if not names or len(returns) != 1 or returns[0].value is None or func.node.is_generator:
        return
    frame = Frame("function", func.frame, trace, func.node)
    whole = Term(returns[0].value, Scope(frame, func.node.body, {}))
    if isinstance(whole.node, ir.Sequence) or _depends(whole, names, _DEPTH) != STEPS:
        return
    misused(machine, (func.node.name, trace.entry), returns[0].value, "steps", sorted(names)[0])


def _differentiated(func: Function, args: Args) -> frozenset[str]:
    """The parameters that the function is differentiated by."""
    params = [p for p in func.node.params if p.kind in ("plain", "positional")]
    found = set()
    for param, value in zip(params, args.positional, strict=False):
        if isinstance(value, Traced) and value.trail.node is param:
            found.add(param.name)
    return frozenset(found)


def _depends(one: Term, names: frozenset[str], depth: int) -> int:
    """How an expression depends on parameters: not at all, by steps, or smoothly."""
    node = one.node
    if depth == 0:
        return SMOOTH
    if isinstance(node, ir.Name):
        return _of_name(one, names, depth)
    if isinstance(node, (ir.Lambda, ir.Comprehension, ir.Await, ir.Yield)):
        return SMOOTH
    if isinstance(node, ir.Compare):
        return _stepwise(one, list(children(node)), names, depth)
    if isinstance(node, ir.Subscript):
        base = _depends(one.inside(node.value), names, depth - 1)
        return base or _stepwise(one, [node.index], names, depth)
    if isinstance(node, ir.Attribute) and node.attr in lookup.STATIC_ATTRIBUTES:
        return NOT
    if isinstance(node, ir.Call):
        return _of_call(one, names, depth)
    return _most(one, list(children(node)), names, depth)


def _of_name(one: Term, names: frozenset[str], depth: int) -> int:
    name = one.node.id
    if name in one.scope.given:
        return _depends(one.scope.given[name], names, depth - 1)
    bound = one.scope.bindings(name)
    own = one.scope.frame.func
    is_own = own is not None and any(p.name == name for p in own.params)
    if not bound or is_own:
        return SMOOTH if name in names and not one.scope.given else NOT
    if any(expr is None for expr in bound):
        return SMOOTH
    return max(_depends(one.inside(expr), names, depth - 1) for expr in bound)


def _of_call(one: Term, names: frozenset[str], depth: int) -> int:
    node: Any = one.node
    last = dotted_text(node.func).rpartition(".")[2]
    given = [a.value for a in node.args]
    owner = [node.func.value] if isinstance(node.func, ir.Attribute) else []
    parts = [*owner, *given]
    if last in numerics.STEPS or (last == "astype" and _is_whole(given)):
        return _stepwise(one, parts, names, depth)
    if last in ("where", "select") and len(given) == 3:
        chosen = _most(one, given[1:], names, depth)
        return max(chosen, _stepwise(one, given[:1], names, depth))
    helper = one.returned()
    if helper.node is not node:
        return _depends(helper, names, depth - 1)
    return _most(one, parts, names, depth)


def _is_whole(given: list[ir.Expr]) -> bool:
    """Whether a dtype is one of integers or truth values."""
    name = dotted_text(given[0]).rpartition(".")[2] if given else ""
    if given and isinstance(given[0], ir.Const):
        name = str(given[0].value)
    return name.startswith(("int", "uint", "bool"))


def _most(one: Term, parts: list[ir.Expr], names: frozenset[str], depth: int) -> int:
    return max((_depends(one.inside(p), names, depth - 1) for p in parts), default=NOT)


def _stepwise(one: Term, parts: list[ir.Expr], names: frozenset[str], depth: int) -> int:
    return min(_most(one, parts, names, depth), STEPS)

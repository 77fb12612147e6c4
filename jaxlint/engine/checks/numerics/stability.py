"""Formulas whose results depend on how numbers are rounded: unstable ones that have a stable
name, those that the compiler may simplify, comparisons for equality, and mixed precision."""

from __future__ import annotations

import struct
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, dtype_of
from jaxlint.engine.domain.values import Concrete, NumPy, Static, Traced, Value
from jaxlint.engine.inference.definitions import Term, term
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]


def called(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """A logarithm, an exponential or a root of an expression."""
    name = dotted.rpartition(".")[2]
    given = next(iter(bound.values()), None)
    arrays = given is not None and isinstance(given[0], (Traced, Concrete))
    if given is None or not arrays or not isinstance(result, (Traced, Concrete)):
        return
    inner = term(frame, given[1]).resolved()
    if frame.trace.staged and _undoes(name, inner):
        _report(machine, frame, node, "inexact", "", "")
        return
    stable = _stable(name, inner)
    # A sum with a name of its own need not be close to one.
    if stable and (inner.node is given[1] or stable != "jnp.log1p"):
        _report(machine, frame, node, "unstable", stable, "")


def _undoes(name: str, inner: Term) -> bool:
    """Whether a function is the inverse of what its operand is made by."""
    if name == "log":
        return _calls(inner, "exp")
    if name != "sqrt":
        return False
    node = inner.node
    squared = isinstance(node, ir.BinOp) and node.op == "**"
    return _calls(inner, "square") or (squared and number_of(inner.inside(node.right)) == 2)


def _stable(name: str, inner: Term) -> str:
    """The function that computes the same without overflow or cancellation."""
    if name != "log":
        return ""
    node = inner.node
    if isinstance(node, ir.BinOp) and node.op == "+":
        sides = (node.left, node.right)
        return "jnp.log1p" if any(number_of(inner.inside(s)) == 1 for s in sides) else ""
    if _calls(inner, "softmax"):
        return "jax.nn.log_softmax"
    if _calls(inner, "sigmoid", "expit"):
        return "jax.nn.log_sigmoid"
    if _calls(inner, "sum"):
        operand = _operand(inner)
        if operand is not None and _calls(operand.resolved(), "exp"):
            return "jax.nn.logsumexp"
    return ""


def _calls(one: Term, *names: str) -> bool:
    """Whether an expression is a call of an array function, or of a method, of this name."""
    if not isinstance(one.node, ir.Call):
        return False
    head, _, last = dotted_text(one.node.func).rpartition(".")
    return last in names and head not in ("math", "np", "numpy", "cmath")


def _operand(one: Term) -> Term | None:
    """The array that a call is about: `x` of `jnp.sum(x)` and `x.sum()`."""
    func = one.node.func
    if isinstance(func, ir.Attribute) and not isinstance(func.value, ir.Name):
        return one.inside(func.value)
    if one.node.args:
        return one.inside(one.node.args[0].value)
    return one.inside(func.value) if isinstance(func, ir.Attribute) else None


def operated(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """An operator is applied to an array, on one side at least."""
    if not isinstance(node, ir.Expr):
        return
    left, right = nodes
    constant = isinstance(right, (ir.Const, ir.Name))
    if op in "*/" and constant and frame.trace.staged and _cancels(frame, op, left, right):
        _report(machine, frame, node, "inexact", "", "")
    elif op == "-" and isinstance(right, (ir.Const, ir.BinOp)):
        _subtracted(machine, frame, node, left, right)
    for value, place, other in ((values[0], right, values[1]), (values[1], left, values[0])):
        if isinstance(value, NumPy) and value.dtype not in WHOLE and _is_array(other):
            narrow = _low(frame, place)
            own = left if place is right else right
            wide = value.dtype == "float" or _says(frame, own, numerics.HIGH_PRECISION)
            if narrow and wide and not _low(frame, own):
                _report(machine, frame, node, "promoted", narrow, "")


def _is_array(value: Value) -> bool:
    return isinstance(value, (Traced, Concrete)) and value.dtype not in WHOLE


def _cancels(frame: Frame, op: str, left: ir.Expr, right: ir.Expr) -> bool:
    """`x / c * c` or `x * c / c`."""
    if not isinstance(left, (ir.BinOp, ir.Name)):
        return False
    inner = term(frame, left).resolved()
    node: Any = inner.node
    if not (isinstance(node, ir.BinOp) and {op, node.op} == {"*", "/"}):
        return False
    number = number_of(term(frame, right))
    return number is not None and number == number_of(inner.inside(node.right))


def _subtracted(
    machine: Machine, frame: Frame, node: ir.Expr, left: ir.Expr, right: ir.Expr
) -> None:
    second = term(frame, right)
    number = number_of(second)
    if number is not None and number != 1:
        return
    first = term(frame, left).resolved()
    if _calls(first, "exp") and number == 1:
        _report(machine, frame, node, "unstable", "jnp.expm1", "")
        return
    square: Any = second.node
    if not (isinstance(square, ir.BinOp) and square.op == "**" and _calls(first, "mean")):
        return
    inner = _operand(first)
    base = second.inside(square.left).resolved()
    if inner is not None and _calls(base, "mean") and number_of(second.inside(square.right)) == 2:
        inside: Any = inner.resolved().node
        if isinstance(inside, ir.BinOp) and inside.op == "**":
            _report(machine, frame, node, "unstable", "jnp.var", "")


def _low(frame: Frame, node: ir.Expr) -> str:
    """The dtype of 16 bits that an expression says it has."""
    return _says(frame, node, numerics.LOW_PRECISION)


def _says(frame: Frame, node: ir.Expr, dtypes: frozenset[str]) -> str:
    """The one of these dtypes that the call names that makes an array."""
    words = _words(term(frame, node).resolved().node)
    return next((word for word in words if word in dtypes), "")


def _words(node: Any) -> list[str]:
    """The names and strings among the arguments of a call that makes an array."""
    if not isinstance(node, ir.Call):
        return []
    given = [a.value for a in node.args]
    found = [dotted_text(node.func).rpartition(".")[2]]
    found += [dotted_text(g).rpartition(".")[2] for g in given]
    return found + [str(g.value) for g in given if isinstance(g, ir.Const)]


def compared(machine: Machine, frame: Frame, node: ir.Compare, operands: list[Value]) -> None:
    """`==` or `!=` of arrays."""
    if len(node.ops) != 1 or node.ops[0] not in ("==", "!="):
        return
    sides = (node.left, node.comparators[0])
    if isinstance(sides[0], ir.Name) and isinstance(sides[1], ir.Name):
        if sides[0].id == sides[1].id and dtype_of(operands[0]) not in WHOLE:
            _report(machine, frame, node, "float-nan", sides[0].id, "")
        return
    for value, other in ((operands[0], operands[1]), (operands[1], operands[0])):
        const = value.const if isinstance(value, Static) else None
        if isinstance(const, float) and not _is_exact(const) and _is_array(other):
            _report(machine, frame, node, "float-equality", str(const), "")
            return


def _is_exact(number: float) -> bool:
    """Whether a number is one of 32 bits."""
    if number != number or number in (float("inf"), float("-inf")):
        return True
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
    except OverflowError:
        return False


def _report(
    machine: Machine, frame: Frame, node: ir.Expr, kind: str, subject: str, detail: str
) -> None:
    if not machine.dynamic.idle:
        misused(machine, frame, node, kind, subject, detail)


CHECK = Check(
    "stability",
    on_array_result=(Named(called, numerics.FORMULAS),),
    on_array_operation=operated,
)

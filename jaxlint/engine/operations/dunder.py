"""Special methods of the file's classes: what operators do to their objects."""

from __future__ import annotations

from jaxlint.engine.checks.immutability import references
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, Instance, Ref, Transformed, Value, is_none
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
COMPARE = {
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    ">": ("__gt__", "__lt__"),
    "<=": ("__le__", "__ge__"),
    ">=": ("__ge__", "__le__"),
}


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, *args: Value
) -> Value | None:
    """The result of a special method, None where the file defines none."""
    if not isinstance(owner, Instance):
        return None
    found = owner.cls.find(name)
    if not isinstance(found, (Function, Transformed)):
        return None
    values = [owner, *args]
    return machine.call(frame, node, found, Args(values, nodes=[node] * len(values)))


def binary(
    machine: Machine, frame: Frame, node: ir.Expr, op: str, left: Value, right: Value
) -> Value | None:
    """The result of `left op right`, None where neither class says."""
    name = BINARY.get(op, "")
    found = method(machine, frame, node, left, f"__{name}__", right)
    if found is None or _declines(found):
        found = method(machine, frame, node, right, f"__r{name}__", left)
    return found


def compare(
    machine: Machine, frame: Frame, node: ir.Expr, op: str, left: Value, right: Value
) -> Value | None:
    """The result of a comparison, None where neither class says."""
    if op not in COMPARE:
        return None
    if isinstance(left, Ref) or isinstance(right, Ref):
        return references.operated(machine, frame, references.compared(node, left, right))
    name, mirrored = COMPARE[op]
    found = method(machine, frame, node, left, name, right)
    if found is None or _declines(found):
        found = method(machine, frame, node, right, mirrored, left)
    return found


def _declines(value: Value) -> bool:
    return is_none(value) or getattr(value, "dotted", "") == "builtins.NotImplemented"

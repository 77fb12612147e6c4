"""Operands of `and` and `or` that decide whether the next one is evaluated."""

from __future__ import annotations

from contextlib import AbstractContextManager

from jaxlint.dataflow.names import dotted_text, free_in, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Class,
    Function,
    LibraryName,
    Static,
    Transformed,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_ORDERS = frozenset({"<", "<=", ">", ">="})
_NUMBERS = _ORDERS | {"==", "!="}
_COUNTS = frozenset({"", "int", "float"})


class Guards:
    """The operands of `and` and `or` that may end the evaluation before the next one.

    A static test may have one outcome in every run (`x.ndim == 0 or y > 0`), so has a setting
    outside the function (`DEBUG and x > 0`), and a parameter that is traced only where callers
    pass it decides or fails itself. Operands behind these run without reports. Behind a static
    flag of the function (`check and x > 0`) one is reached as the body of an `if` is, and so it may
    be behind a comparison of sizes (`x.shape[0] > 2 and x[0] > 0`), or of a number that each turn
    of a loop has another of (`i > 0 and x > 0`).
    """

    __slots__ = ("before", "everything", "frame", "machine", "names", "sized")

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self.machine = machine
        self.frame = frame
        self.names: set[str] = set()
        self.everything = False
        self.sized = False
        self.before = (0, 0)

    def around(self, operand: ir.Expr) -> AbstractContextManager[object]:
        """The context in which the next operand runs."""
        self.before = (self.machine.counters.demands, self.machine.counters.doubts)
        silent = self.everything or not self.names.isdisjoint(free_in(operand))
        if self.sized and not silent:
            return self.machine.doubting()
        return self.machine.quiet(silent and not self.frame.trace.is_host)

    def add(self, operand: ir.Expr) -> None:
        """Notes that the truth of the operand that just ran is not known."""
        demands, doubts = self.before
        self.everything |= self.machine.counters.doubts > doubts
        is_static = self.machine.counters.demands == demands
        if is_static and (_compares_sizes(operand) or _goes_by_turn(self.frame, operand)):
            self.sized = True
        elif is_static:
            names = free_in(operand)
            self.names |= names
            self.everything |= not _is_flag(operand) or any(
                is_setting(self.frame, name) for name in names
            )


def is_setting(frame: Frame, name: str) -> bool:
    """Whether a name is that of a host value, no function, class or module."""
    scope: Frame | None = frame
    while scope is not None and name not in scope.env:
        scope = scope.enclosing()
    if scope is None or not scope.trace.is_host:
        return False
    return not isinstance(scope.env[name], (LibraryName, Function, Class, Transformed))


def _compares_sizes(node: ir.Expr) -> bool:
    """Whether an operand orders sizes that tracers tell. Ranks and whole shapes are asked for to
    tell one kind of argument from another."""
    if not isinstance(node, ir.Compare) or not _ORDERS.issuperset(node.ops):
        return False
    is_told = False
    for part in walk(node):
        if isinstance(part, ir.Attribute):
            is_told |= part.attr in lookup.STATIC_ATTRIBUTES
        elif isinstance(part, ir.Call):
            if not (isinstance(part.func, ir.Name) and part.func.id == "len"):
                return False
            is_told |= bool(part.args)
    return is_told


def _goes_by_turn(frame: Frame, node: ir.Expr) -> bool:
    """Whether an operand compares a plain number that the loop around rebinds, and nothing of an
    array: its outcome is not the same in all turns."""
    loop = frame.loop
    if loop is None or not isinstance(node, ir.Compare) or not _NUMBERS.issuperset(node.ops):
        return False
    if any(isinstance(part, ir.Call) for part in walk(node)):
        return False
    read = {dotted_text(part) for part in walk(node) if isinstance(part, ir.Attribute)}
    turning = free_in(node) & loop.names
    values = [frame.env.get(name) for name in turning]
    are_numbers = all(isinstance(one, Static) and one.kind in _COUNTS for one in values)
    return (
        bool(values) and are_numbers and all(text.partition(".")[0] not in turning for text in read)
    )


def _is_flag(node: ir.Expr) -> bool:
    """Whether an operand is a variable or an attribute of one, perhaps negated."""
    while isinstance(node, ir.UnaryOp) and node.op == "not":
        node = node.operand
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)

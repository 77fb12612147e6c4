"""Contexts that functions make of others: `stack.enter_context(mock.patch("jax.pmap", fake))`."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_PATCHES = frozenset({"mock.patch", "unittest.mock.patch"})
# Functions that make a context of what others make.
_MOST_CALLS = 3


class Entry:
    """The names of the contexts that an expression enters, and of what it patches meanwhile."""

    __slots__ = ("contexts", "patched")

    def __init__(self) -> None:
        self.contexts: set[str] = set()
        self.patched: set[str] = set()


def entered_by(machine: Machine, frame: Frame, node: ir.Expr) -> Entry:
    """What a context expression enters, as far as the code of the functions says so."""
    found = Entry()
    with machine.quiet():
        _collect(machine, frame, node, found, _MOST_CALLS)
    return found


def _collect(machine: Machine, frame: Frame, node: ir.Expr, found: Entry, depth: int) -> None:
    if not isinstance(node, ir.Call) or not isinstance(node.func, (ir.Name, ir.Attribute)):
        return
    called = machine.eval(frame, node.func)
    if isinstance(called, LibraryName):
        dotted = lookup.canonical(called.dotted)
        found.contexts.add(dotted)
        target = node.args[0].value if dotted in _PATCHES and node.args else None
        if isinstance(target, ir.Const) and isinstance(target.value, str):
            found.patched.add(lookup.canonical(target.value))
        return
    made = plain_function(called) if depth else None
    if made is None:
        return
    for call in walk(made.node.body):
        if isinstance(call, ir.Call) and dotted_text(call.func).endswith(".enter_context"):
            for argument in call.args:
                _collect(machine, made.frame, argument.value, found, depth - 1)

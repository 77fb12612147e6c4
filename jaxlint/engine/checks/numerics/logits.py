"""Probabilities that are passed where logarithms of them are expected."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import Term, term
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays.logits import LOGITS, PROBABILITIES, SAME_NUMBERS
from jaxlint.syntax import ir

# How many steps of a computation are looked at.
_DEEPEST = 8


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A function is called that takes logits."""
    at = LOGITS[dotted]
    if args.get(at, "logits") is None or machine.dynamic.idle:
        return
    place = args.node(at, "logits", node)
    made = _made_by(term(frame, place, machine))
    if made:
        misused(machine, frame, place, "probabilities", dotted, made)


def _made_by(one: Term) -> str:
    """The function that makes probabilities of which an expression is a part, "" where it is made
    in another way."""
    for _ in range(_DEEPEST):
        one = one.resolved()
        node = one.node
        if isinstance(node, ir.Subscript):
            one = one.inside(node.value)
            continue
        if not isinstance(node, ir.Call):
            return ""
        name = dotted_text(node.func).rpartition(".")[2]
        if name in PROBABILITIES and _is_of_library(one):
            return name
        if not isinstance(node.func, ir.Attribute) or node.func.attr not in SAME_NUMBERS:
            return ""
        one = one.inside(node.func.value)
    return ""


def _is_of_library(one: Term) -> bool:
    """Whether a call is one of a function that is imported from a library."""
    machine, frame = one.scope.machine, one.scope.frame
    return machine is not None and isinstance(peek(machine, frame, one.node.func), LibraryName)


CHECK = Check("logits", on_library_call=(Named(called, frozenset(LOGITS)),))

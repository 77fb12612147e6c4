"""Findings of low confidence: what an unknown value would be if it came of arrays.

A second run of a file takes the result of a call that cannot be followed, and is given a tracer,
for an array, and so a parameter that may be a container of arrays. What only that run sees is a
guess. The first run knows nothing of it: neither its facts nor its cost depend on this module.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import Traced, Unknown, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts import Fact
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir


def result(machine: Machine, frame: Frame, node: ir.Expr, args: Args, unknown: Unknown) -> Value:
    """The result of a call that cannot be followed."""
    if machine.guesses and not frame.trace.is_host:
        for value in args.values():
            found = finds_traced(value)
            if found is not None:
                return _guess(node, found)
    return unknown


def part(machine: Machine, node: ir.Expr, owner: Value, unknown: Unknown) -> Value:
    """A part of a parameter that may be an object of any class."""
    if machine.guesses and isinstance(owner, Traced):
        return _guess(node, owner)
    return unknown


def _guess(node: ir.Expr, origin: Traced) -> Traced:
    trail = Provenance(node, origin.trail, origin.trail.entry, guess=True)
    return Traced(trail, origin.kind, leaf=False)


def marked(known: list[Fact], guessed: list[Fact]) -> list[Fact]:
    """The facts of the second run that the first one does not have, as guesses."""
    places = {_place(fact) for fact in known}
    found = [fact for fact in guessed if _place(fact) not in places]
    for fact in found:
        fact.guessed = True
    return found


def _place(fact: Fact) -> tuple[object, ...]:
    fact.settle()
    shown = getattr(fact, "traced", None)
    return (type(fact), fact.module.source.path, fact.span, fact.is_traced, shown is None)

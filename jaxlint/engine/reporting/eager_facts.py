"""Facts about code that runs outside compiled code, if it does.

Functions are looked at as host code before it is known which of them are traced.
"""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts import Fact


def emit(machine: Machine, frame: Frame, fact: Fact) -> None:
    """Emits a fact about host code, until its function is found to be traced."""
    emit_about(machine, [frame], fact)


def emit_about(machine: Machine, frames: list[Frame], fact: Fact, unsure: bool = False) -> bool:
    """Emits a fact about what host code does, until one of the functions that run it is found to be
    traced; whether it did."""
    machine.dynamic.effects.local = True
    before = len(machine.collected.facts)
    machine.emit(fact, unsure)
    if len(machine.collected.facts) == before:
        return False
    around: set[int] = set()
    for frame in frames:
        scope: Frame | None = frame
        while scope is not None:
            around.add(id(scope.func))
            scope = scope.parent
    machine.tally.supposed.append((around, fact))
    return True


def after(machine: Machine) -> None:
    """Drops the facts about functions that are traced."""
    traced = machine.program.traced
    dropped = {id(fact) for around, fact in machine.tally.supposed if around & traced}
    if dropped:
        machine.collected.drop(lambda fact: id(fact) in dropped)

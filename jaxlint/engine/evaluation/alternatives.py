"""What is done with each of several values of which one is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from jaxlint.engine.machine.collected import identity_of
from jaxlint.engine.machine.machine import Machine

T = TypeVar("T")
R = TypeVar("R")


def each(machine: Machine, found: Sequence[T], run: Callable[[T], R]) -> list[R]:
    """What `run` gives for each alternative. Facts about the code that runs hold only if all
    alternatives lead to them, and facts in the functions that one of them calls are unsure."""
    if len(found) < 2:
        return [run(one) for one in found]
    outer, begin = machine.dynamic.heard, len(machine.collected.facts)
    results: list[R] = []
    heard: list[set[Any]] = []
    for one in found:
        heard.append(set[Any]())
        with machine.within(heard=heard[-1]):
            results.append(run(one))
    shared = set.intersection(*heard)
    if outer is not None:
        outer |= shared
    _doubt(machine, begin, shared)
    return results


def _doubt(machine: Machine, begin: int, shared: set[object]) -> None:
    collected = machine.collected
    new = collected.facts[begin:]
    del collected.facts[begin:]
    for fact in new:
        if identity_of(fact) not in shared:
            collected.withdraw(fact)
            if len(fact.calls) <= len(machine.dynamic.calls):
                continue
            fact.unsure = True
            if not collected.takes(fact):
                continue
        collected.facts.append(fact)

"""What constructors make of the objects that they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.kinds.containers import INSIDE
from jaxlint.engine.domain.values import (
    Instance,
    Traced,
    Value,
)
from jaxlint.engine.summaries.known import Known
from jaxlint.engine.summaries.moves import Move
from jaxlint.engine.summaries.viewpoints import Description
from jaxlint.syntax import ir


@slotted(eq=False)
class Built:
    """What a constructor makes of its object: what that holds, and when host code bound its
    attributes or changed it: the place, what is told of it, and whether it is so in each call."""

    made: Instance
    changes: list[tuple[int, ir.Node, bool]]
    writes: list[tuple[str, ir.Node, tuple[ir.FunctionDef, ...], Value, bool]]

    def apply(self, machine: Any, owner: Value | None, move: Move) -> None:
        """The object that a call is given is as the constructor leaves it."""
        made = owner
        assert isinstance(made, Instance)
        move.values[id(self.made)] = made
        built = self.made
        made.fields = {name: move.value(one) for name, one in built.fields.items()}
        tree = None if built.tree is None else move.value(built.tree)
        made.tree = tree if isinstance(tree, Traced) else None
        made.keyed = None
        for tick, node, always in self.changes:
            if tick == INSIDE:
                made.changes.append((tick, node))
            else:
                _happens(machine, made.changes, made.age, node, _at(node), always)
        for name, node, stack, value, always in self.writes:
            told = (*machine.dynamic.stack, *stack), move.value(value)
            log = made.writes.setdefault(name, [])
            _happens(machine, log, made.age, node, _at(node, told), always)
        effects = machine.dynamic.effects
        effects.oldest = min(effects.oldest, made.age)


def logs_of(owner: Instance) -> set[int]:
    """Where it is noted that an object is changed."""
    return {id(owner.changes), *map(id, owner.writes.values())}


def built_by(known: Known, owner: Instance, given: Description, move: Move) -> Built:
    events, (changes, writes) = known.effects.events, given.prior
    return Built(
        move.emptied(owner),
        [
            (tick, node, (id(owner.changes), id(node)) in events)
            for tick, node in owner.changes[changes:]
        ],
        [
            (name, node, stack[known.depth :], move.value(value), (id(log), id(node)) in events)
            for name, log in owner.writes.items()
            for _, node, (stack, value) in log[writes.get(name, 0) :]
        ],
    )


def _at(node: ir.Node, *told: Any) -> Callable[[int], Any]:
    return lambda tick: (tick, node, *told)


def _happens(
    machine: Any,
    log: list[Any],
    age: int,
    node: ir.Node,
    make: Callable[[int], Any],
    always: bool,
) -> None:
    """Notes at a moment of its own what a call did to an object; `always` where it did so on all
    paths."""
    machine.counters.tick += 1
    log.append(make(machine.counters.tick))
    around = machine.dynamic
    if age < around.effects.since:
        around.effects.asks |= CONDITIONS
        if always and around.is_straight:

            def again(other: Any) -> None:
                other.happened(log, age, node, make)

            around.effects.happened((id(log), id(node)), age, True, again, around.stack)

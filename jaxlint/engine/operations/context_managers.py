"""Objects that `with` closes: what entering one changes, and leaving it sets back."""

from __future__ import annotations

from collections.abc import Iterator as Iterates
from contextlib import contextmanager
from typing import Any

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import restored
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Function,
    Heap,
    Instance,
    Iterator,
    Mapping,
    Partial,
    Sequence,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# Changes that take something out of a container.
_TAKING = frozenset(
    {"clear", "delete", "discard", "pop", "popitem", "popleft", "remove", "subscript"}
)


@slotted(eq=False)
class Change:
    """A change of an object in place: `held` is what a container held before, `conditions` on how
    many tests of unknown outcome the change depends."""

    heap: Heap
    target: str
    how: str
    stored: list[Value]
    held: tuple[Any, ...]
    conditions: int = 0
    fact: facts.Stored | None = None

    @property
    def field(self) -> str:
        return self.target.rpartition(".")[2] if isinstance(self.heap, Instance) else ""


def note(machine: Machine, heap: Heap, target: str, how: str, stored: list[Value]) -> Change | None:
    """Writes down a change that is about to be made, if somebody asks for them."""
    if machine.dynamic.journal is None:
        return None
    change = Change(heap, target, how, stored, content(heap), machine.dynamic.conditions)
    machine.dynamic.journal.append(change)
    return change


@contextmanager
def _journal(machine: Machine) -> Iterates[list[Change]]:
    outer, found = machine.dynamic.journal, list[Change]()
    try:
        with machine.within(journal=found):
            yield found
    finally:
        if outer is not None:
            outer.extend(found)


@contextmanager
def balanced(machine: Machine, name: str) -> Iterates[None]:
    """Around a run of `__enter__` or `__exit__` outside any `with` statement: the other of the two
    sets back what it does to containers."""
    if name not in ("__enter__", "__exit__"):
        yield
        return
    with _journal(machine) as made:
        yield
    for change in reversed(made):
        restore(change.heap, change.held)


def pushed(changes: list[Change], conditions: int) -> None:
    """Where all that changed a list that is known was to append to it once, it is known still."""
    by_list: dict[int, list[Change]] = {}
    for one in changes:
        by_list.setdefault(id(one.heap), []).append(one)
    for each in by_list.values():
        heap, held = each[0].heap, each[0].held
        sure = all(one.how == "append" and one.conditions == conditions for one in each)
        if sure and isinstance(heap, Sequence) and held and held[0] is not None:
            heap.items = [*held[0], *(value for one in each for value in one.stored)]
            heap.element, heap.holds = None, None


class Entered:
    """A context expression of a `with` statement that runs, and what it changes on the way in."""

    __slots__ = ("begin", "conditions", "frame", "machine", "made", "names", "undone")

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self.machine, self.frame = machine, frame
        self.begin = len(machine.collected.facts)
        self.conditions = machine.dynamic.conditions
        self.made: list[Change] = []
        self.undone: list[Change] = []
        self.names: list[tuple[Frame, str, Value]] = []

    def evaluate(self, node: ir.Expr) -> Value:
        """The context object. What its `__exit__` takes back again is no effect."""
        with _journal(self.machine) as made:
            value = self.machine.eval(self.frame, node)
        if isinstance(value, Iterator) and value.source == "context":
            self._balance(made)
            self._lend(node)
        leave = value.cls.find("__exit__") if isinstance(value, Instance) else None
        if made and isinstance(leave, Function):
            self.undone = [change for change in made if change.field or change.held]
            taken = self._taken(node, value, leave)
            self.undone = [one for one in self.undone if (id(one.heap), one.field) in taken]
            for change in self.undone:
                self._withdraw(change)
                if isinstance(change.heap, Sequence) and change.how == "append":
                    change.heap.last = change.stored[0] if change.stored else None
        return value

    def _lend(self, node: ir.Expr) -> None:
        """The names of a module that a generator sets before it yields, and sets back after it,
        hold something else as long as the `with` statement runs."""
        called = self.machine.eval(self.frame, node.func) if isinstance(node, ir.Call) else None
        made = called.args[0] if isinstance(called, Partial) and called.args else None
        if isinstance(made, Function):
            env = made.frame.root.env
            for name in made.node.globals & restored(made.node) & env.keys():
                self.names.append((made.frame.root, name, env[name]))
                env[name] = Unknown("name that a context sets")

    def _balance(self, made: list[Change]) -> None:
        """What a generator puts somewhere before it yields, and takes away again after it."""
        put = {(id(one.heap), one.field) for one in made if one.field or one.how not in _TAKING}
        taken = {(id(one.heap), one.field) for one in made if one.how in _TAKING and not one.field}
        for change in made:
            if (id(change.heap), change.field) in put & taken:
                self._withdraw(change)

    def enter(self, node: ir.Expr, value: Instance) -> Value | None:
        """What `__enter__` gives in traced code, None where there is none. The containers that it
        changes and `__exit__` sets back are changed as long as the `with` statement runs."""
        enter, leave = value.cls.find("__enter__"), value.cls.find("__exit__")
        if not isinstance(enter, Function) or self.frame.trace.is_host:
            return None
        machine, oldest = self.machine, self.machine.dynamic.effects.oldest
        with machine.quiet(), _journal(machine) as made:
            result = machine.call(self.frame, node, enter, Args([value], nodes=[node]))
        changes = [change for change in made if change.held]
        if changes and isinstance(leave, Function):
            taken = self._taken(node, value, leave)
            changes = [one for one in changes if (id(one.heap), one.field) in taken]
            pushed(changes, self.conditions)
            self.undone += changes
            if len(changes) == len(made):
                machine.dynamic.effects.oldest = oldest
        return result

    def _taken(self, node: ir.Expr, value: Value, leave: Function) -> set[tuple[int, str]]:
        machine = self.machine
        nothing = [machine.unknown("exception") for _ in range(3)]
        with machine.quiet(), _journal(machine) as taken:
            args = Args([value, *nothing], nodes=[node] * 4)
            machine.call(self.frame, node, leave, args)
        for change in reversed(taken):
            restore(change.heap, change.held)
        return {(id(c.heap), c.field) for c in taken if c.field or c.how in _TAKING}

    def _withdraw(self, change: Change) -> None:
        fact = change.fact
        if fact is None:
            return
        machine = self.machine
        new = machine.collected.facts[self.begin :]
        if any(one is fact for one in new):
            machine.collected.facts[self.begin :] = [one for one in new if one is not fact]
            machine.collected.withdraw(fact)
        change.heap.leaks = [one for one in change.heap.leaks if one is not fact]

    def leave(self) -> None:
        """Containers and names hold again what they held before."""
        for scope, name, value in self.names:
            scope.env[name] = value
        for change in reversed(self.undone):
            restore(change.heap, change.held)


def content(heap: Heap) -> tuple[Any, ...]:
    """What a container holds now."""
    if isinstance(heap, Sequence):
        return (None if heap.items is None else [*heap.items], heap.element, heap.holds, heap.last)
    if isinstance(heap, Mapping):
        return ({**heap.items}, heap.element, heap.open)
    return ()


def restore(heap: Heap, held: tuple[Any, ...]) -> None:
    """Puts back what a container held."""
    if not held:
        return
    if isinstance(heap, Sequence):
        heap.items, heap.element, heap.holds, heap.last = held
    elif isinstance(heap, Mapping):
        heap.items, heap.element, heap.open = held

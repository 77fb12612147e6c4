"""Changes of containers and objects in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.idioms import restored
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import leaks, surely_held
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    MOST_ELEMENTS,
    NONE,
    Concrete,
    Heap,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    as_traced,
    join,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import context_managers
from jaxlint.engine.relations.trace_levels import outlives
from jaxlint.engine.summaries.fingerprints import content_key
from jaxlint.syntax import ir

_ARRAYS = (Concrete, NumPy, Traced)


def outside(frame: Frame, owner: Heap) -> bool:
    """Whether traced code is changing an object that was made outside its trace."""
    return not frame.trace.is_host and owner.born is not frame.trace and _is_around(frame, owner)


def _is_around(frame: Frame, owner: Heap) -> bool:
    """Whether the trace in which an object was made is one that is still open. What an inner
    trace gives is made of its leaves once more."""
    trace: Trace | None = frame.trace
    while trace is not None:
        if trace is owner.born:
            return True
        trace = trace.parent
    return not isinstance(owner.born, Trace) or owner.born.is_host


def changed(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    owner: Heap | NumPy,
    place: Any,
    target: str,
    how: str,
    stored: list[Value],
    owner_text: str = "",
    again: bool | None = False,
) -> None:
    """Notes a change in place: an effect or a leak in traced code, a rebinding on the host.

    What is stored `again` in traced code is there already, None for what may be.
    """
    heap = owner if isinstance(owner, Heap) else None
    change = None
    if heap is not None:
        machine.alters(heap)
        change = context_managers.note(machine, heap, target, how, stored)
        if isinstance(heap, Sequence):
            heap.last = None
    if again and not frame.trace.is_host:
        return
    if outside(frame, heap) if heap is not None else not frame.trace.is_host:
        fact = _stored(machine, frame, node, heap, place, target, how, stored, owner_text)
        if fact is None:
            return
        if change is not None:
            change.fact = fact
        if heap is not None and fact.body and fact.trail is not None:
            heap.leaks.append(fact)
        else:
            leaking = fact.trail is not None and not any(map(leaks, stored))
            machine.emit(fact, unsure=leaking or again is None)
    elif frame.trace.is_host:
        age = 0 if heap is None else heap.age
        machine.dynamic.effects.oldest = min(machine.dynamic.effects.oldest, age)
        machine.happened(owner.changes, age, node, lambda tick: (tick, node))
    elif heap is not None:
        for heard in machine.checks.change:
            heard(machine, frame, node, heap, how)


@contextmanager
def growing(machine: Machine, owner: Sequence | Mapping) -> Iterator[None]:
    """Around code that adds to a container, and does nothing else to what was made before.

    Where the container is known to hold no other things afterwards, such as a cache or a log of
    which the elements are not known one by one, it did not change: the running function goes by
    what it holds, and may stand for other calls.
    """
    effects = machine.dynamic.effects
    if owner.age >= effects.since or machine.dynamic.journal is not None:
        yield
        return
    oldest, leaks = effects.oldest, len(owner.leaks)
    held, before = context_managers.content(owner), content_key(owner)
    yield
    if len(owner.leaks) == leaks and content_key(owner) == before:
        context_managers.restore(owner, held)
        effects.oldest = oldest
        effects.read_content(owner, before)


def _stored(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    heap: Heap | None,
    place: Any,
    target: str,
    how: str,
    stored: list[Value],
    owner_text: str,
) -> facts.Stored | None:
    """The fact that traced code changes an object from outside its trace, None where that does no
    harm."""
    found = [t for t in map(leaks, stored) if t is not None]
    if heap is not None and found:
        held = [outlives(machine.dynamic.frames, frame.trace, heap.born, t) for t in found]
        if all(held):
            return None
    local = heap is not None and (not heap.born.is_host or heap.local)
    if heap is None and found:
        return None  # NumPy refuses a tracer, so that nothing leaks.
    if not any(machine.matters(frame, v, how, target, local) for v in stored or [NONE]):
        found = [] if local or heap is None else _perhaps_leaking(frame, target, stored)
        if not found:
            return None
    return facts.Stored(
        machine.module,
        node,
        frame.name,
        frame.trace.entry,
        found[0].trail if found else None,
        place=place,
        target=target,
        how=how,
        owner=owner_text,
        body=local,
    )


def _perhaps_leaking(frame: Frame, target: str, stored: list[Value]) -> list[Traced]:
    """The tracers that stored arrays may be: those that go through a loop, for instance, which may
    have no turns."""
    if target in restored(frame.home().func):
        return []
    arrays = [
        value.options
        for value in stored
        if isinstance(value, Union) and all(isinstance(it, _ARRAYS) for it in value.options)
    ]
    return [one for options in arrays for one in options if isinstance(one, Traced)]


def put(
    machine: Machine,
    frame: Frame,
    base: Sequence | Mapping,
    index: Value,
    value: Value,
) -> None:
    """Stores an element: replaced on a straight path from where the container was made."""
    const = index.const if isinstance(index, Static) and index.known else None
    strong = frame.is_straight(base)
    if isinstance(base, Mapping):
        if isinstance(const, KEYS):
            old = base.items.get(const)
            base.open |= old is None and not strong
            base.items[const] = value if old is None or strong else join(old, value)
        else:
            base.element = value if base.element is None else join(base.element, value)
        return
    if (
        isinstance(const, int)
        and base.items is not None
        and -len(base.items) <= const < len(base.items)
    ):
        base.items[const] = value if strong else join(base.items[const], value)
        return
    base.holds = None
    if base.items is not None:
        base.items = [join(i, value) for i in base.items]
    elif base.element is None:
        base.element = value
    else:
        base.element = join(base.element, value)


def grow(frame: Frame, base: Sequence, values: list[Value]) -> None:
    """Appends elements; in a loop or branch the length is no longer known."""
    known = 0 if base.items is None else len(base.items) + len(values)
    if base.items is not None and frame.is_straight(base) and known <= MOST_ELEMENTS:
        base.items = [*base.items, *values]
        return
    parts = [*(base.items or []), *([base.element] if base.element else []), *values]
    added = [t for t in map(as_traced, values) if t is not None]
    base.holds = surely_held([base]) or (added[0] if added and frame.is_straight(base) else None)
    base.items = None
    base.element = join_all(parts) if parts else None

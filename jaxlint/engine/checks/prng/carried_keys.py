"""Keys that the body of a loop of JAX consumes and hands on as they are: all iterations draw the
same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from jaxlint.dataflow.names import targets_of, walk
from jaxlint.engine.checks.prng import key_reuse
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import Origin, origin_of
from jaxlint.engine.domain.typestate import Mark, Typestate
from jaxlint.engine.domain.values import MOST_NESTED, Instance, Sequence, Value
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.transforms import LOOPS
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.machine.machine import Machine

_LOOPS = frozenset(name.removeprefix("jax.") for name in LOOPS)


def check(
    machine: Machine,
    frame: Frame,
    func: ir.FunctionDef,
    spent: Typestate,
    given: Mapping[str, tuple[Value, ir.Expr]],
    result: Value,
) -> None:
    """A function was called, and consumed the keys in `spent`: if it is the body of a loop, its
    result is given to it next."""
    loop = _loop(frame)
    values = [value for value, _ in given.values()]
    if not loop or not values:
        return
    before, after = values[-1], result
    if loop.endswith("scan"):
        if len(values) < 2 or not isinstance(result, Sequence) or not result.items:
            return
        before, after = values[-2], result.items[0]
    # What a body stores in the carry that it was given stands in both.
    kinds = (Sequence, Instance) if _stores_items(func) else (Value,)
    kept = list(_leaves(before, after, kinds, MOST_NESTED))
    for (kind, _), mark in spent.marks.items():
        origin = mark.subject
        if kind != "key" or not mark.is_sure or not isinstance(origin, Origin):
            continue
        if any(_is_key(old, origin) and _is_key(new, origin) for old, new in kept):
            _report(machine, func, mark, origin)


def _loop(frame: Frame) -> str:
    """The loop that a call in this frame is made by, which no code of the source writes."""
    how = None if frame.trace.entry is None else frame.trace.entry.application
    if how is None or how.kind is not EntryKind.TRACED or frame.func is not None:
        return ""
    return how.transform if how.transform in _LOOPS else ""


def _is_key(value: Value, origin: Origin) -> bool:
    """Whether a value is a key: known as such, or before it was."""
    is_derived = any(char in "/+:" for char in origin)
    return not is_derived and (value is origin.root.was or origin_of(value) == origin)


def _report(machine: Machine, func: ir.FunctionDef, mark: Mark, origin: Origin) -> None:
    """A key is consumed in each iteration."""
    scope, use, now = origin.root.scope, mark.detail, machine.dynamic
    possible = use.sampler in key_reuse.MATCHING
    with machine.within(stack=(*now.stack, func), frames=(*now.frames, scope)):
        words = use.subject, use.callee
        fact = key_reuse.fact_of(machine, scope, mark.node, "loop", *words, possible=possible)
        key_reuse.emit(machine, scope, fact)


def _stores_items(func: ir.FunctionDef) -> bool:
    """Whether a function assigns to elements of anything."""
    targets = tuple(one for part in walk(func.body) for one in targets_of(part))
    return any(isinstance(one, ir.Subscript) for one in walk(targets))


def _leaves(
    before: Value, after: Value, kinds: tuple[type[Value], ...], depth: int
) -> Iterator[tuple[Value, Value]]:
    """What stands at the same places of two carries, in containers of some kinds."""
    held = before.children() if depth and type(before) is type(after) else []
    if not held:
        yield before, after
    elif isinstance(before, kinds):
        for old, new in zip(held, after.children(), strict=False):
            yield from _leaves(old, new, kinds, depth - 1)

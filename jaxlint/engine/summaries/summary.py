"""Calls of functions: each is run, or one that ran and is the same stands for it."""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any, TypeVar, cast

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.pytrees import adopt
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.typestate import EMPTY
from jaxlint.engine.domain.values import Function, Value
from jaxlint.engine.relations.memoization import is_memoised
from jaxlint.engine.summaries.descriptions import described
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.fingerprints import key
from jaxlint.engine.summaries.interning import Interned
from jaxlint.engine.summaries.known import Known, apart, certainties
from jaxlint.engine.summaries.shared_calls import MOST_ALIKE, shared
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

T = TypeVar("T")
# How many calls with one key are remembered.
MOST_KNOWN = 4


def result_of(
    machine: Any,
    func: Function,
    env: dict[str, Value],
    trace: Trace,
    node: ir.Expr,
    caller: Frame | None,
) -> Value:
    """The result of a call, which does all that it does even where it is remembered."""
    path = None if caller is None else caller.path
    identity = _key(machine, func, env, trace)
    known = _recalled(machine, identity, env, trace)
    if known is not None:
        known.repeat(machine, trace)
        machine.summaries.spent[id(func.node)] = known.spent
        return known.again(env, trace, path, machine.arrays)
    outer = () if caller is None else caller.paths()
    about = None
    if _is_shared(machine, func, trace) and machine.world.yields.is_worth(func.node):
        about = described(machine, func, env, trace, outer)
    if about is not None:
        key, given = about
        shared_calls = () if given.is_local else machine.world.calls.get(key, ())
        for one in (*shared_calls, *machine.summaries.calls.get(key, ())):
            if one.fits(machine, env, trace) and machine.admits(one.charge):
                machine.world.yields.found(func.node)
                return cast("Value", one.apply(machine, given, node, path))
    begun = len(machine.counters.log)
    with machine.within(calls=(*machine.dynamic.calls, (machine.module, node))):
        known = observed(machine, func, env, trace, outer)
    result = known.result
    if about is not None:
        call = shared(machine, known, given, begun)
        if call is not None:
            of = machine.summaries if given.is_local else machine.world
            alike = _kept(of.calls, key, of.interned)
            alike.insert(0, call)
            del alike[MOST_ALIKE:]
    # What Python itself keeps is the same object in each call.
    keeps = machine.remembers or is_memoised(func)
    if keeps and not known.changes and not known.effects.private:
        kept = _kept(machine.summaries.memo, identity, machine.summaries.interned)
        kept.insert(0, apart(known, machine.arrays))
        del kept[MOST_KNOWN:]
    adopt(result, known.age, path)
    return result


def _kept(table: dict[Any, list[T]], key: Any, interned: Interned) -> list[T]:
    """The calls that a table keeps under a key."""
    found = table.get(key)
    if found is None:
        found = table[interned.once(key)] = []
    return found


def _is_shared(machine: Any, func: Function, trace: Trace) -> bool:
    """Whether what a call gives and does may be the same in other analyses."""
    now = machine.dynamic
    if machine.world is None or not machine.shares or machine.guesses:
        return False
    if trace.is_host and not (now.idle and func.frame.root.age < SHARED):
        return False
    return now.watch is None and not now.scopes


def _key(machine: Any, func: Function, env: dict[str, Value], trace: Trace) -> Any:
    """All that a call depends on, but what it reads outside its arguments."""
    keys = tuple((name, key(value)) for name, value in env.items())
    first: dict[int, int] = {}
    same = tuple(first.setdefault(id(value), at) for at, value in enumerate(env.values()))
    return (key(func), keys, same, machine.surroundings(trace))


def _recalled(machine: Any, identity: Any, env: dict[str, Value], trace: Trace) -> Known | None:
    """A call that this one is the same as. Of a kernel, each operation is looked at."""
    if machine.dynamic.watch is not None or identity not in machine.summaries.memo:
        return None
    for one in machine.summaries.memo[identity]:
        if one.holds(machine, env, trace) and machine.admits(one.charge):
            return cast("Known", one)
    return None


def observed(
    machine: Any,
    func: Function,
    env: dict[str, Value],
    trace: Trace,
    outer: tuple[object, ...] = (),
    rerun: bool = False,
) -> Known:
    """Runs a function, and notes what it reads and does. `given` keeps alive what the key of the
    call names."""
    given, asked, circumstances = dict(env), machine.tally.now(), machine.dynamic.circumstances()
    counters, records = machine.counters, machine.program.records
    made = len(records)
    demands, doubts = counters.demands, counters.doubts
    loses, around, effects = trace.loses, machine.dynamic.effects, Effects()
    looks, LOOKS.oldest = LOOKS.oldest, sys.maxsize
    charges = counters.charge.inner
    charged = len(charges)
    try:
        with machine.within(effects=effects, rerun=rerun):
            result = machine.activate(func, env, trace, outer)
    finally:
        around.oldest = min(around.oldest, effects.oldest)
        looked = LOOKS.since(looks, effects.since)
    effects.loses |= loses is not trace.loses
    around.include(effects, machine.dynamic.is_straight)
    known = Known(trace, result, given, effects, machine.tally.since(asked), circumstances)
    known.charge = charges[charged] if len(charges) > charged else None
    known.looks = looked
    known.changes = effects.oldest < effects.since
    known.spent = machine.summaries.spent.get(id(func.node), EMPTY)
    known.demands, known.doubts = counters.demands - demands, counters.doubts - doubts
    known.certain = certainties(given) if effects.emits else None
    known.depth = len(machine.dynamic.stack)
    known.stack = machine.dynamic.stack if effects.outermost < known.depth else None
    # A transform of the run's own is like its other values, once it was called.
    known.is_bound = effects.loses or effects.oldest_called < effects.since
    known.is_bound |= not all(map(_is_settled, islice(records, made, None)))
    return known


def _is_settled(record: TransformUse) -> bool:
    """Whether all that is to be known of a transform was found by its calls in the trace that
    made it."""
    return bool(record.calls) and not record.escaped and not record.trace.is_host

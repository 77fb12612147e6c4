"""Callbacks that a transform meets without a rule for them.

A callback has no derivative, an ordered one cannot be mapped, and a pure one can be mapped only as
`vmap_method` says.

Source: JAX documentation of `jax.pure_callback` and `jax.experimental.io_callback`.
"""

from __future__ import annotations

from jaxlint.engine.checks.numerics.derivatives import is_differentiated
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, finds_traced
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Static, Traced, Value, is_none
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.host.callbacks import MAPPED_CALLBACKS
from jaxlint.syntax import ir

_NONE: frozenset[int] = frozenset()


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A callback gets values that a transform around follows."""
    if frame.trace.is_host or args.rest is not None or args.more is not None:
        return
    first = MAPPED_CALLBACKS[dotted]
    given = args.positional[2:] + [
        value for name, value in args.keywords.items() if name not in first.options
    ]
    found = _differentiated(machine, frame, given)
    kind = "callback-derivative"
    refuses = not first.since or machine.context.newest_jax.reaches(first.since)
    if found is None and refuses and not _has_rule(args, first.option, first.refused):
        found, kind = mapped(machine, frame, given), f"callback-{first.option}"
    if found is not None and found.trail.is_certain() and is_uncaught(machine):
        misused(machine, frame, node, kind, callee_of(node, dotted), trail=found.trail)


def _has_rule(args: Args, option: str, refused: bool | None) -> bool:
    """Whether a callback is said to be one that can be mapped; where that is not known, it is."""
    value = args.keywords.get(option)
    if value is None:
        return refused is not None
    if refused is None:
        return not is_none(value)
    return not (isinstance(value, Static) and value.known and value.const is refused)


def _differentiated(machine: Machine, frame: Frame, given: list[Value]) -> Traced | None:
    if "differentiated" not in frame.trace.ways:
        return None
    for value in given:
        traced = finds_traced(value)
        if traced is None or traced.dtype in WHOLE or machine.guesses:
            continue
        is_whole = traced.leaf or isinstance(traced.trail.node, ir.Param)
        if is_whole and is_differentiated(machine, frame, value):
            return traced
    return None


def mapped(machine: Machine, frame: Frame, given: list[Value]) -> Traced | None:
    """A value that `vmap` around certainly maps."""
    if "mapped" not in frame.trace.ways:
        return None
    for trace in frame.trace.around():
        own, times = _parameters(machine, trace) if trace.kind == "vmap" else (_NONE, 0)
        for value in given if own else ():
            traced = finds_traced(value)
            if traced is not None and _comes_of(traced, own, times):
                return traced
    return None


def _parameters(machine: Machine, trace: Trace) -> tuple[frozenset[int], int]:
    """The parameters of the function that a trace maps, and how many transforms hand the arguments
    on to it: `vmap` alone, or others inside it, as in `jax.vmap(jax.jit(f))`."""
    for one in machine.dynamic.frames:
        inside = [*one.trace.around()]
        if trace in inside:
            params = () if one.func is None else one.func.params
            return frozenset(map(id, params)), inside.index(trace) + 1
    return _NONE, 0


def _comes_of(traced: Traced, params: frozenset[int], times: int) -> bool:
    """Whether a tracer is computed from a mapped argument: one that is not mapped came in as it
    was, without a step of its own."""
    step: Provenance | None = traced.trail
    while step is not None and times:
        times -= id(step.node) in params
        step = step.parent
    return not times


CHECK = Check("callback-rules", on_library_call=(Named(called, MAPPED_CALLBACKS),))

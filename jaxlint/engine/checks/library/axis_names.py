"""Collective operations over an axis that no transform around them binds.

Source: JAX documentation of `jax.pmap` and `jax.vmap` (`axis_name`), and of `jax.lax.psum`.
"""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import NO_AXES, Trace
from jaxlint.engine.inference.options import strings
from jaxlint.engine.machine.events import Check, Named, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting import eager_facts
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import NAMED_AXIS_OPERATIONS
from jaxlint.syntax import ir


class _Doubt:
    """A name that host code may bind around the transforms that are seen: the fact about it, the
    transform that is the outermost of them, and the names that they bind."""

    __slots__ = ("bound", "fact", "name", "record")

    def __init__(
        self, name: str, fact: facts.ContractViolation, trace: Trace, record: TransformUse | None
    ) -> None:
        self.name, self.fact, self.record = name, fact, record
        self.bound = _names_bound(trace)


class _Seen:
    """What is seen of the names of axes: those that are used where a transform binds them, each
    with that transform, and those of which it is not certain that something binds them."""

    __slots__ = ("doubts", "used")

    def __init__(self) -> None:
        self.doubts: list[_Doubt] = []
        self.used: set[tuple[int, str]] = set()


_SEEN: PerRun[_Seen] = PerRun(_Seen)


def check(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The name that a collective operation is given is that of a bound axis."""
    spec = lookup.function(dotted)
    if spec is None or frame.trace.is_host or args.more is not None or args.rest is not None:
        return
    at = spec.params.index("axis_name")
    names = strings(args.get(at, "axis_name"))
    if not names:
        return
    place = args.node(at, "axis_name", node)
    bound = frame.trace.axes
    found = _names_bound(frame.trace)
    _SEEN.of(machine).used |= {one for one in found if one[1] in names}
    if bound is None:
        own = {name for _, name in found}
        missing = sorted(names - own)
        if missing and _may_be_outermost(frame.trace) and is_uncaught(machine):
            _doubt(machine, frame, place, missing[0], own)
        return
    missing = sorted(names - bound)
    if missing and is_uncaught(machine):
        detail = ", ".join(f'"{name}"' for name in sorted(bound))
        misused(machine, frame, place, "unbound-axis", f'"{missing[0]}"', detail)


def _names_bound(trace: Trace) -> set[tuple[int, str]]:
    """The names that the transforms around bind, each with the place of its transform."""
    return {
        (id(one.entry and one.entry.node), name)
        for one in trace.around()
        for name in one.binds or NO_AXES
    }


def _place(frame: Frame, place: ir.Expr) -> ir.Node:
    """Where a name comes from: the transform, if it leaves it to the default of a parameter."""
    entry, func = frame.trace.entry, frame.home().func
    name = place.id if isinstance(place, ir.Name) else ""
    is_own = entry is not None and func is not None and func.name == entry.function
    params = func.params if is_own and func is not None else ()
    is_default = any(one.name == name and one.default is not None for one in params)
    return entry.node if is_default and entry is not None else place


def _may_be_outermost(trace: Trace) -> bool:
    """Whether all that the transforms in sight bind is known, so that nothing but a caller of the
    host code around them is left to bind a name."""
    return all(one.binds is not None for one in trace.around())


def _doubt(machine: Machine, frame: Frame, place: ir.Expr, name: str, own: set[str]) -> None:
    detail = ", ".join(f'"{one}"' for one in sorted(own))
    node = _place(frame, place)
    fact = facts.ContractViolation(
        machine.sources.owner(node, machine.module),
        node,
        frame.name,
        frame.trace.entry,
        None,
        kind="unbound-axis",
        subject=f'"{name}"',
        detail=detail,
    )
    outermost = frame.trace.outermost
    made = (one for one in machine.program.records if one.entered is outermost)
    record = outermost.compiled or next(made, None)
    hosts = [one for one in machine.dynamic.frames if one.trace.is_host]
    maker = machine.dynamic.maker
    if eager_facts.emit_about(
        machine, hosts if maker is None else [maker, *hosts], fact, unsure=True
    ):
        _SEEN.of(machine).doubts.append(_Doubt(name, fact, frame.trace, record))


def _settle(machine: Machine) -> None:
    """Drops doubts that nothing speaks for."""
    seen = _SEEN.of(machine)
    if not seen.doubts:
        return
    known = {name for one in machine.program.records for name in one.binds or ()}
    dropped = {id(one.fact) for one in seen.doubts if not _is_likely(seen, one, known)}
    machine.collected.drop(lambda fact: id(fact) in dropped)


def _is_likely(seen: _Seen, doubt: _Doubt, known: set[str]) -> bool:
    """Whether the transform is meant to bind the name: another one in sight does, or it binds a
    name that nothing uses. What is called in traced code, or handed on, may be mapped there."""
    record = doubt.record
    if record is not None and (record.wrapped or _is_called_inside(record)):
        return False
    is_unused = bool(doubt.bound) and doubt.bound.isdisjoint(seen.used)
    return doubt.name in known or is_unused


def _is_called_inside(record: TransformUse) -> bool:
    """Whether traced code calls it, or may, as what a function gives back is called anywhere."""
    if record.frame.func is not None and record.escaped:
        return True
    return any(not frame.trace.is_host for _, _, frame in record.calls)


CHECK = Check(
    "axis-names",
    on_library_call=(Named(check, NAMED_AXIS_OPERATIONS),),
    on_finish=_settle,
)

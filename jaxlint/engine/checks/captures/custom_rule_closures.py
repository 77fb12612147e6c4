"""Functions with differentiation rules of their own, and what they may not be given.

JAX differentiates them by their rules, with respect to their arguments alone: a value that they
capture while it is being differentiated is a tracer that the rules get out of its trace.

Source: JAX documentation, "Custom derivative rules", on `nondiff_argnums`; jax-ml/jax#2884.
"""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.captures.free_tracers import Found, tracers
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, finds_traced
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Instance, Traced, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, innermost
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

_STAGES = frozenset({"jit", "remat", "staged"})
_CLOSED = frozenset({"jax.custom_jvp", "jax.custom_vjp"})


def check(machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args) -> None:
    """A function with rules is called."""
    if frame.trace.is_host or record.dotted not in _CLOSED:
        return
    in_rule = frame.trace.kind == "custom"  # What a rule is given, the call of its function was.
    if record.dotted == "jax.custom_vjp" and record.numbers and not in_rule:
        _check_positions(machine, frame, node, record, args, "nondiff")
    elif record.numbers and not in_rule and _leaves_stage(frame.trace, record, args):
        _check_positions(machine, frame, node, record, args, "staged")
    func = innermost(record.func)
    if not isinstance(func, Function) or func.frame.trace.is_host or not record.rules:
        return
    differentiated = _differentiated(frame.trace)
    if not differentiated:
        return
    own = list(tracers(func))
    ruled = [one for rule in record.rules for one in tracers(rule)]
    passed = [one for one in (finds_traced(value, 1) for value in args.values()) if one is not None]
    for entry in differentiated:
        found = _captured(entry, own, ruled, passed)
        if found is not None:
            _emit(machine, frame, node, record, "captured", *found)
        if found is not None or passed:
            return


def _captured(
    entry: TraceEntry, own: list[Found], ruled: list[Found], passed: list[Traced]
) -> Found | None:
    """The captured tracer that one derivative cannot get, None where it works.

    The first derivative that the arguments take part in runs the rules; around that, what they
    compute is differentiated as all code is. Further inside the function runs itself.
    """
    depends = any(_is_of(one, entry) for one in passed)
    own_here = [one for one in own if _is_of(one[1], entry)]
    ruled_here = [one for one in ruled if _is_of(one[1], entry)]
    if passed and not depends and not ruled_here:
        return None
    fails = ruled_here if depends else own_here
    return (own_here or ruled_here)[0] if fails else None


def _leaves_stage(trace: Trace, record: TransformUse, args: Args) -> bool:
    """Whether a rule of `jax.custom_jvp` runs after the trace of the code that calls the function:
    staged code inside of what differentiates is differentiated once it is complete."""
    given = [one for at, one in enumerate(args.positional) if at not in (record.numbers or ())]
    staged = False
    for around in trace.around():
        if around.kind == "ad" and around.entry is not None and staged:
            return any(_is_of(one, around.entry) for one in given)
        staged = staged or around.kind in _STAGES
    return False


def _check_positions(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, kind: str
) -> None:
    for at in sorted(record.numbers or ()):
        if args.rest is None and 0 <= at < len(args.positional):
            value = args.positional[at]
            found = None if isinstance(value, Instance) else finds_traced(value, in_text=False)
            if found is not None:
                place = args.nodes[at] if at < len(args.nodes) else node
                name = dotted_text(place) if place is not node else _parameter(record, at)
                _emit(machine, frame, node, record, kind, name or str(at), found)
                return


def _parameter(record: TransformUse, at: int) -> str:
    func = innermost(record.func)
    params = func.node.params if isinstance(func, Function) else ()
    return params[at].name if at < len(params) else ""


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    kind: str,
    name: str,
    traced: Traced,
) -> None:
    machine.emit(
        facts.CustomRuleClosure(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            traced.trail,
            kind=kind,  # type: ignore[arg-type]
            name=name,
            callee=function_name(record.func),
        )
    )


# -- what is being differentiated ----------------------------------------------------------------


def _differentiated(trace: Trace) -> list[TraceEntry]:
    """The entries of the traces around the code that differentiate."""
    found: list[TraceEntry] = []
    current: Trace | None = trace
    while current is not None:
        if current.kind == "ad" and current.entry is not None:
            found.append(current.entry)
        current = current.parent
    return found


_COMPUTED = (ir.BinOp, ir.Call, ir.Compare, ir.UnaryOp)


def _is_of(value: Value, entry: TraceEntry) -> bool:
    """Whether the trace of this entry differentiates with respect to a tracer."""
    if not isinstance(value, Traced) or value.dtype in WHOLE:
        return False
    step: Provenance | None = value.trail
    while step is not None:
        if step.varies is entry:
            return True
        if step.parent is None:
            return bool(step.name) and step.entry is entry
        if isinstance(step.node, _COMPUTED) and not step.call:
            return False
        step = step.parent
    return False


CHECK = Check(
    "custom-rule-closures",
    on_plain_call=check,
)

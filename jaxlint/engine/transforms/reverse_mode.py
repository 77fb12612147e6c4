"""Reverse-mode differentiation of loops whose number of iterations is not known.

A value that is computed from the result of such a loop, so that a derivative flows through it, has
the loop on its trail. What loses the derivative (`stop_gradient`, comparisons, whole numbers)
loses the mark.

Source: JAX documentation of `jax.lax.while_loop` ("not reverse-mode differentiable") and of
`jax.lax.fori_loop`.
"""

from __future__ import annotations

from jaxlint.engine.checks.concretization.static_arguments import inherit
from jaxlint.engine.domain.pytrees import INEXACT
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Traced, Value, as_traced
from jaxlint.engine.reporting.refusals import leaves
from jaxlint.facts.provenance import TraceEntry
from jaxlint.syntax import ir

_REVERSE = ("grad", "jacrev", "jacobian", "hessian")
_SMOOTH = frozenset({"", "float", "complex", INEXACT})


def is_dynamic(bounds: list[Value]) -> bool:
    """Whether a bound of `fori_loop` is certainly a tracer, so that it becomes a `while_loop`."""
    traced = [found for found in map(as_traced, bounds) if found is not None]
    return any(t.leaf and t.kind != "ad" and t.trail.is_certain() for t in traced)


def mark_loop(node: ir.Node, trace: Trace, inside: Value, outside: Value) -> None:
    """Notes that a loop made the parts of its result that have a derivative."""
    entries = _reverse_entries(trace)
    if not entries:
        return
    made, given = leaves(inside), leaves(outside)
    if len(made) != len(given):
        return
    for one, other in zip(made, given, strict=True):
        if isinstance(one, Traced) and isinstance(other, Traced) and one.dtype in _SMOOTH:
            inherit(other.trail, one)
            if any(other.trail.varies is entry for entry in entries):
                other.trail.loop = node


def _reverse_entries(trace: Trace) -> list[TraceEntry]:
    entries = (around.entry for around in trace.around() if around.kind == "ad")
    return [
        one for one in entries if one is not None and one.application.transform.endswith(_REVERSE)
    ]


def loop_in(value: Value) -> ir.Node | None:
    """The loop through which the derivative of a result goes, if there is one."""
    for leaf in leaves(value):
        if isinstance(leaf, Traced) and leaf.trail.loop is not None and leaf.dtype in _SMOOTH:
            return leaf.trail.loop
    return None


def forget_loops(value: Value) -> None:
    """A function with rules of its own is not differentiated through what it calls."""
    for leaf in leaves(value):
        if isinstance(leaf, Traced):
            leaf.trail.loop = None

"""Collective operations over an axis that no transform around them binds.

Source: JAX documentation of `jax.pmap` and `jax.vmap` (`axis_name`), and of `jax.lax.psum`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.inference.options import strings
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import NAMED_AXIS_OPERATIONS
from jaxlint.syntax import ir


def check(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The name that a collective operation is given is that of a bound axis."""
    spec = lookup.function(dotted)
    if spec is None or frame.trace.is_host or args.more is not None or args.rest is not None:
        return
    at = spec.params.index("axis_name")
    names = strings(args.get(at, "axis_name"))
    if not names:
        return
    bound = frame.trace.axes
    missing = () if bound is None else sorted(names - bound)
    if missing and is_uncaught(machine):
        detail = ", ".join(f'"{name}"' for name in sorted(bound or ()))
        place = args.node(at, "axis_name", node)
        misused(machine, frame, place, "unbound-axis", f'"{missing[0]}"', detail)


CHECK = Check("axis-names", on_library_call=(Named(check, NAMED_AXIS_OPERATIONS),))

"""Forward-mode differentiation of functions that have a rule for reverse mode alone.

Source: JAX documentation of `jax.custom_vjp`, "Custom derivative rules": forward mode cannot be
used on such a function.
"""

from __future__ import annotations

from jaxlint.engine.checks.numerics.derivatives import differentiating, is_differentiated
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, dtype_of
from jaxlint.engine.domain.values import Traced, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.knowledge.derivatives import FORWARD_ENDS
from jaxlint.syntax import ir


def called(machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args) -> None:
    """A function with rules of its own is called."""
    if record.wrapper.application.transform != "jax.custom_vjp" or not record.rules:
        return
    trace = differentiating(frame.trace)
    entry = None if trace is None else trace.entry
    if entry is None or not entry.application.transform.endswith(FORWARD_ENDS):
        return
    if args.rest is not None or args.more is not None or machine.dynamic.unsure:
        return
    given = [one for at, one in enumerate(args.positional) if at not in (record.numbers or ())]
    if not any(_has_tangent(machine, frame, one) for one in given):
        return
    # Asked last: what a call goes by is noted of it.
    if is_uncaught(machine):
        name, transform = function_name(record.func), entry.application.transform
        # The function is fine: what differentiates it goes the wrong way.
        misused(machine, frame, entry.node, "vjp-forward", name, transform, place=node)


def _has_tangent(machine: Machine, frame: Frame, value: Value) -> bool:
    """Whether an argument is an array that changes with what is differentiated."""
    certain = isinstance(value, Traced) and value.leaf and value.trail.is_certain()
    return certain and dtype_of(value) not in WHOLE and is_differentiated(machine, frame, value)


CHECK = Check("forward-mode", on_plain_call=called)

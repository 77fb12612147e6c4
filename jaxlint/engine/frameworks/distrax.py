"""distrax: distributions."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.domain.values import Value
from jaxlint.engine.frameworks import distributions
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.ecosystems.distrax import DISTRIBUTIONS
from jaxlint.syntax import ir


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A distribution is made."""
    if dotted not in DISTRIBUTIONS:
        return None
    return distributions.made(dotted, args, node, frame.trace)


HOOKS = Hooks(
    library="distrax",
    call=call,
    attribute=distributions.attribute,
    method=distributions.method,
    enter=distributions.enter,
    leave=distributions.leave,
)

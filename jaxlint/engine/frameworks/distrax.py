"""distrax: distributions."""

from __future__ import annotations

from jaxlint.engine.arguments import Args
from jaxlint.engine.frameworks import distributions
from jaxlint.engine.hooks import Hooks
from jaxlint.engine.machine import Machine
from jaxlint.engine.state import Frame
from jaxlint.engine.values import Value
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

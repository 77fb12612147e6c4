"""TensorFlow Probability on JAX: distributions."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.domain.values import Value
from jaxlint.engine.frameworks import distributions
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.ecosystems.tensorflow_probability import DISTRIBUTIONS, LIBRARY
from jaxlint.syntax import ir


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A distribution is made."""
    if dotted not in DISTRIBUTIONS:
        return None
    return distributions.made(dotted, args, node, frame.trace)


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """What methods give: the first argument of those that draw is a shape, the second the key."""
    if name not in distributions.DRAWING or "seed" in args.keywords:
        return distributions.method(machine, frame, node, owner, name, args)
    inside = Args(args.positional[1:], args.keywords, args.rest, args.more)
    inside.nodes, inside.keyword_nodes = args.nodes[1:], args.keyword_nodes
    return distributions.method(machine, frame, node, owner, name, inside)


HOOKS = Hooks(
    library=LIBRARY,
    call=call,
    attribute=distributions.attribute,
    method=method,
    enter=distributions.enter,
    leave=distributions.leave,
)

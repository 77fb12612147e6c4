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


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """What methods give: the first argument of those that draw is a shape, the second the key."""
    has_shape_first = name in distributions.DRAWING and "seed" not in args.keywords
    given = args.behind(1) if has_shape_first else args
    return distributions.method(machine, frame, node, owner, name, given)


HOOKS = Hooks(
    library=LIBRARY,
    call=distributions.making(DISTRIBUTIONS),
    attribute=distributions.attribute,
    method=method,
    enter=distributions.enter,
    leave=distributions.leave,
)

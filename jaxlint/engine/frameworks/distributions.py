"""Probability distributions of distrax, numpyro and TensorFlow Probability: objects whose methods
give arrays.

They are pytrees of their parameters. Source: documentation of `distrax.Distribution`, of
`numpyro.distributions.Distribution` and of `tfp.distributions.Distribution`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.kinds.array_values import TRACER_KINDS
from jaxlint.engine.domain.pytrees import strongest
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    INT,
    SHAPE,
    Concrete,
    Instance,
    Method,
    NumPy,
    Sequence,
    Static,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.transforms.trace_boundary import enter as enter_value
from jaxlint.engine.transforms.trace_boundary import leave as leave_value
from jaxlint.syntax import ir

_ARRAYS = frozenset(
    {
        "cdf",
        "cross_entropy",
        "entropy",
        "icdf",
        "kl_divergence",
        "log_cdf",
        "log_prob",
        "log_survival_function",
        "prob",
        "rsample",
        "sample",
        "survival_function",
    }
)
# They may give a parameter back as it is.
_MOMENTS = frozenset({"mean", "median", "mode", "stddev", "variance"})
_PAIRS = frozenset({"sample_and_log_prob"})
# They draw with the first argument, or with `seed`.
DRAWING = frozenset({"rsample", "sample", "sample_and_log_prob"})
_SAME = frozenset({"expand", "expand_by", "mask", "to_event"})
_METHODS = _ARRAYS | _MOMENTS | _PAIRS | _SAME
_SHAPES = frozenset({"batch_shape", "event_shape"})


def made(
    dotted: str, args: Args | None, node: ir.Expr | None, born: Trace | None
) -> FrameworkObject:
    """A distribution, and the tracer among its parameters."""
    owner = FrameworkObject(dotted, args, node, born)
    tree = strongest(parameters(owner))
    if tree is not None:
        owner.state["tree"] = tree
    return owner


def making(classes: Collection[str]) -> Callable[..., Value | None]:
    """The hook that makes distributions of these classes."""

    def call(
        machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
    ) -> Value | None:
        return made(dotted, args, node, frame.trace) if dotted in classes else None

    return call


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """Shapes are static, methods are called, parameters are arrays where that is certain."""
    if attr in _SHAPES:
        return SHAPE
    if attr == "event_dim":
        return INT
    if attr in _METHODS:
        return Method(owner, attr, node)
    if not isinstance(owner, FrameworkObject) or owner.args is None:
        return None
    given = owner.args.keywords.get(attr)
    if given is not None and strongest([given]) is not None:
        return machine.operation(frame, node, [given])
    return None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """What methods of distributions give."""
    if name not in _METHODS or not isinstance(owner, (FrameworkObject, Instance)):
        return None
    if name in _SAME:
        return owner
    if name in DRAWING:
        key = args.keywords.get("seed") or args.get(0, "key")
        place = args.keyword_nodes.get("seed") or args.node(0, "key", node)
        if key is not None:
            sampling.drawn(machine, frame, node, key, place)
    operands = [*parameters(owner), *args.values()]
    if name in _MOMENTS:
        found = strongest(operands)
        moment = machine.unknown("moment of a distribution")
        return moment if found is None else machine.operation(frame, node, operands)
    if name not in _PAIRS:
        return machine.operation(frame, node, operands)
    pair = [machine.operation(frame, node, operands) for _ in range(2)]
    return Sequence("tuple", pair, frame.trace, None, frame.path)


def parameters(owner: Value) -> list[Value]:
    """The arrays that a distribution is made of, those of distributions inside included."""
    if not isinstance(owner, FrameworkObject):
        return []
    if owner.args is None:
        return [Unknown("parameters of a distribution")]
    found: list[Value] = []
    for value in owner.args.values():
        found += parameters(value) if isinstance(value, FrameworkObject) else [value]
    return found


def enter(
    machine: Machine, trace: Trace, node: ir.Node, name: str, function: str, owner: Value
) -> Value | None:
    """A distribution that is passed to a transformed function: its parameters are traced."""
    if not isinstance(owner, FrameworkObject):
        return None
    kind = TRACER_KINDS.get(trace.kind, "abstract")

    def inside(value: Value) -> Value:
        if isinstance(value, (Concrete, NumPy, FrameworkObject)) or strongest([value]) is not None:
            return enter_value(machine, trace, node, name, function, value, kind)
        is_number = isinstance(value, Static) and value.kind in ("int", "float")
        return machine.unknown("parameter of a distribution") if is_number else value

    return _rebuilt(owner, inside, trace)


def leave(machine: Machine, frame: Frame, node: ir.Node, owner: Value) -> Value | None:
    """A distribution that a transformed function gives back."""
    if not isinstance(owner, FrameworkObject):
        return None
    return _rebuilt(owner, lambda one: leave_value(machine, frame, node, one, []), frame.trace)


def _rebuilt(
    owner: FrameworkObject, replaced: Callable[[Value], Value], trace: Trace
) -> FrameworkObject:
    given = owner.args
    if given is None:
        return made(owner.dotted, None, owner.made, trace)
    values = list(map(replaced, given.values()))
    count = len(given.positional)
    keywords = dict(zip(given.keywords, values[count:], strict=False))
    args = Args(values[:count], keywords, None, None, given.nodes, given.keyword_nodes)
    return made(owner.dotted, args, owner.made, trace)

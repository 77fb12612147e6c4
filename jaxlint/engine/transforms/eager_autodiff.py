"""Transforms outside staged code, where only what is computed from a tracer is traced."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import beneath, dtype_of, map_leaves, rank_of, strongest
from jaxlint.engine.domain.values import (
    Concrete,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.inference.dependence import untraced
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

_CONTAINERS = (Instance, Mapping, Sequence)
# Transforms and functions with differentiation rules of their own.
_WITH_RULES = frozenset(
    [
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.nn.log1mexp",
        "jax.nn.relu",
        "jax.nn.relu6",
        "jax.numpy.linalg.pinv",
        "jax.scipy.special.log_ndtr",
        "jax.scipy.special.logit",
        "jax.scipy.special.xlog1py",
        "jax.scipy.special.xlogy",
    ]
)


def jacobian(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    numbers: frozenset[int] | None,
    args: Args,
    value: Value,
) -> Value:
    """The derivatives of a result by the arguments of these numbers: containers of arrays where
    one of them is a container."""
    made = machine.operation(frame, node, args.values())
    by = [args.positional[n] for n in numbers or () if 0 <= n < len(args.positional)]
    if len(by) < 2 and not any(isinstance(one, _CONTAINERS) for one in (value, *by)):
        return made
    if not isinstance(made, Traced):
        return machine.unknown("containers of derivatives")
    return Traced(made.trail, made.kind, leaf=False)


def gradient(frame: Frame, node: ir.Expr, argument: Value, args: Args, value: Value) -> Value:
    """The gradient by one argument of a function with this value, which may be computed from
    captured tracers: that of a linear function has nothing to do with the arguments, so it need
    not be traced where they are."""
    outer = strongest(beneath([*args.values(), value]))
    (argument,) = beneath([argument])

    def leaf(one: Value) -> Value:
        if outer is None:
            return Concrete("float") if isinstance(one, Static) else one
        trail = Provenance(node, outer.trail, outer.trail.entry, optional=True)
        trail.spread = one.trail.spread if isinstance(one, Traced) else None
        kind = "complex" if dtype_of(one) == "complex" else "float"
        return Traced(trail, outer.kind, kind, rank_of(one))

    return map_leaves(argument, leaf, frame.trace)


def staged(frame: Frame, node: ir.Expr, made: Value) -> Value:
    """A gradient in staged code: its leaves are tracers, whatever the argument is."""
    entry = frame.trace.entry

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown) or entry is None:
            return one
        return Traced(Provenance(node, None, entry, function=frame.name), leaf=False)

    return map_leaves(made, leaf, frame.trace)


def primals(frame: Frame, args: Args) -> Args:
    """The arguments as a function with rules sees them: what `grad` follows is for the rules."""
    positional = [plain(frame, value) for value in args.positional]
    keywords = {k: plain(frame, value) for k, value in args.keywords.items()}
    return Args(positional, keywords, args.rest, args.more, args.nodes, args.keyword_nodes)


def plain(frame: Frame, value: Value) -> Value:
    """A pytree without what `grad` follows: the values of its tracers."""

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced) and one.kind == "ad" and not one.leaf:
            return Unknown("argument that may be a container")
        return untraced(one)

    return map_leaves(value, leaf, frame.trace)


def derived(frame: Frame, node: ir.Expr, args: Args, result: Value) -> Value:
    """The result of a function with rules: `grad` follows it through the rules."""
    outer = strongest(args.values())
    if outer is None or outer.kind != "ad":
        return result

    def leaf(one: Value) -> Value:
        if not isinstance(one, Concrete):
            return one
        return Traced(Provenance(node, outer.trail, outer.trail.entry), "ad", one.dtype, one.rank)

    return map_leaves(result, leaf, frame.trace)


def through_rules(frame: Frame, node: ir.Expr, dotted: str, result: Value) -> Value:
    """The result of a function with rules: `vmap` makes it traced whatever it is computed from."""
    if dotted not in _WITH_RULES or "mapped" not in frame.trace.ways:
        return result
    mapped = (trace.entry for trace in frame.trace.around() if trace.kind == "vmap")
    entry = next(mapped, None)
    if entry is None:
        return result

    def leaf(one: Value) -> Value:
        if not isinstance(one, (Concrete, Static)):
            return one
        # An operation on such a tracer finds a value beneath it.
        made = Provenance(node, None, entry, function=frame.name, optional=True)
        return Traced(made, "batch", one.dtype if isinstance(one, Concrete) else "")

    return map_leaves(result, leaf, frame.trace)

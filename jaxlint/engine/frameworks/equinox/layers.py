"""Objects of `equinox.nn`: layers, whose arrays enter traces with them, and states.

`state` of a `FrameworkObject` holds "tree", which stands for its arrays inside a trace: a tracer,
or an unknown value where they may be none; and "fields", what `eqx.tree_at` put in place of others.
"""

from __future__ import annotations

from jaxlint.engine.checks.concretization.static_arguments import through_layer
from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.kinds.array_values import TRACER_KINDS
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    STATIC,
    Concrete,
    Function,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.transforms.trace_boundary import enter, leave, root_of
from jaxlint.knowledge.ecosystems.equinox import LIBRARY, Layer, layer
from jaxlint.syntax import ir

STATE = "equinox.nn.State"
INDEX = "equinox.nn.StateIndex"
SEQUENTIAL = "equinox.nn.Sequential"
DROPOUT = "equinox.nn.Dropout"
_ACTIVATIONS = ((4, "activation"), (5, "final_activation"))


def make(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> FrameworkObject | None:
    """An object of a class of `equinox.nn`: arrays that it makes in a trace are traced there."""
    known = layer(dotted)
    if known is None and dotted != INDEX:
        return None
    made = FrameworkObject(dotted, args, node, frame.trace)
    key = args.keywords.get("key")
    if known is not None and known.draws and key is not None and "key" in args.keyword_nodes:
        sampling.drawn(machine, frame, node, key, args.keyword_nodes["key"])
    if known is not None and not frame.trace.is_host and _makes_arrays(known, args):
        tree = machine.operation(frame, node, [] if key is None else [key])
        if isinstance(tree, (Traced, Unknown)):
            made.state["tree"] = tree
    return made


def _makes_arrays(known: Layer, args: Args) -> bool:
    """Whether the constructor certainly makes an array."""
    certain = (name for name in known.arrays if known.switches.get(name) not in args.keywords)
    return "key" in args.keywords or next(certain, None) is not None


def _copy(owner: FrameworkObject, inner: Value | None) -> FrameworkObject:
    args = owner.args if inner is None else Args([inner])
    made = FrameworkObject(owner.dotted, args, owner.made, owner.born)
    made.state = dict(owner.state)
    return made


# -- into traces and out of them -----------------------------------------------------------------


def enter_trace(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    owner: FrameworkObject,
) -> Value | None:
    """The object inside a trace: its arrays are traced."""
    if owner.dotted == INDEX:
        return owner
    known = layer(owner.dotted)
    if known is None and owner.dotted != STATE:
        return None
    if known is not None and not known.holds_arrays:
        return owner
    inner = owner.given(0, "layers") if owner.dotted == SEQUENTIAL else None
    if inner is not None:
        inner = enter(machine, trace, place, name, function, inner)
    made = _copy(owner, inner)
    kind = "abstract" if trace.staged else TRACER_KINDS.get(trace.kind, "abstract")
    made.state["tree"] = Traced(root_of(trace, place, name, function), kind)
    return made


def leave_trace(machine: Machine, frame: Frame, node: ir.Node, owner: FrameworkObject) -> Value:
    """The object that a transformed function gives back."""
    inner = owner.given(0, "layers") if owner.dotted == SEQUENTIAL else None
    if inner is not None:
        inner = leave(machine, frame, node, inner, [])
    made = _copy(owner, inner)
    tree = made.state.pop("tree", None)
    if tree is not None and not frame.trace.is_host:
        made.state["tree"] = leave(machine, frame, node, tree, [])
    return made


def arrays_of(frame: Frame, owner: FrameworkObject) -> list[Value]:
    """What stands for the object's arrays, where it belongs to a running trace."""
    tree = owner.state.get("tree")
    if not isinstance(tree, (Traced, Unknown)) or frame.trace.is_host:
        return []
    return [tree]


# -- attributes and calls ------------------------------------------------------------------------


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str
) -> Value | None:
    """A field of a layer, or a method of a state."""
    held = owner.state.get("fields", {})
    if attr in held:
        found: Value = held[attr]
        return found
    if owner.dotted == STATE:
        return Method(owner, attr)
    known = layer(owner.dotted)
    if known is None:
        return None
    if attr in known.arrays:
        return _array(machine, frame, node, owner, known, attr)
    if attr in known.inner:
        inner = FrameworkObject(LIBRARY + known.inner[attr], None, owner.made, owner.born)
        inner.state = {k: v for k, v in owner.state.items() if k == "tree"}
        return inner
    if attr == "layers" and owner.dotted == SEQUENTIAL:
        return owner.given(0, "layers")
    if attr == "fn" and owner.dotted == "equinox.nn.Lambda":
        return owner.given(0, "fn")
    if attr in ("layers", "layer", "uv_index", *known.numbers, *known.functions):
        return machine.unknown("field of a layer")
    return STATIC if attr in _SIZES else machine.unknown("attribute of a layer")


_SIZES = frozenset(
    {
        "in_features", "out_features", "use_bias", "in_channels", "out_channels", "kernel_size",
        "stride", "padding", "dilation", "groups", "channels", "eps", "in_size", "out_size",
        "width_size", "depth", "num_heads", "input_size", "hidden_size", "num_embeddings",
        "embedding_size", "shape", "use_weight", "channelwise_affine", "num_spatial_dims",
        "query_size", "key_size", "value_size", "output_size", "qk_size", "vo_size", "momentum",
    }
)  # fmt: skip


def _array(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, known: Layer, attr: str
) -> Value:
    switch = known.switches.get(attr)
    if switch is not None and owner.args is not None:
        asked = owner.args.keywords.get(switch)
        if asked is not None:
            if not (isinstance(asked, Static) and asked.known):
                return machine.unknown("array that a layer may lack")
            if asked.const is False:
                return NONE
    elif switch is not None:
        return machine.unknown("array that a layer may lack")
    arrays = arrays_of(frame, owner)
    if arrays:
        tree = arrays[0]
        if not isinstance(tree, Traced):
            return tree
        return Traced(tree.trail.part(node), tree.kind)
    made_here = owner.born is frame.trace and frame.trace.staged
    return machine.operation(frame, node, []) if made_here else Concrete()


def invoke(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value | None:
    """A layer is called."""
    known = layer(owner.dotted)
    if known is None:
        return None
    key = args.keywords.get("key")
    if owner.dotted == DROPOUT and key is not None and not _is_inactive(owner, args):
        sampling.drawn(machine, frame, node, key, args.node(-1, "key", node))
    if not known.result:
        return _by_arguments(machine, frame, node, owner, args)
    operands = [*arrays_of(frame, owner), *args.values()]
    result = through_layer(machine, frame, node, operands)
    if owner.dotted == "equinox.nn.MLP" and not frame.trace.is_host:
        for at, name in _ACTIVATIONS:
            func = owner.given(at, name)
            if isinstance(func, Function):
                result = machine.call(frame, node, func, Args([result], nodes=[node]))
    if known.result == "pair":
        return Sequence("tuple", [result, result], frame.trace)
    if known.result == "stateful":
        state = args.get(1, "state") or machine.unknown("state")
        return Sequence("tuple", [result, state], frame.trace)
    return result


def _is_inactive(owner: FrameworkObject, args: Args) -> bool:
    """Whether a dropout gives what it takes, and needs no key."""
    said = args.keywords.get("inference") or owner.given(1, "inference")
    key = args.keywords.get("key")
    off = isinstance(said, Static) and said.const is True
    return off or (key is not None and is_none(key))


def _by_arguments(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value:
    """Layers that call what they were made with."""
    value = args.get(0, "x")
    if owner.dotted == "equinox.nn.Identity" and value is not None:
        return value
    func = owner.given(0, "fn")
    if owner.dotted == "equinox.nn.Lambda" and func is not None and value is not None:
        return machine.call(frame, node, func, Args([value], nodes=args.nodes[:1]))
    inner = owner.given(0, "layers")
    if "state" in args.keywords or len(args.positional) != 1 or value is None:
        return machine.unknown("stateful layer")
    if not isinstance(inner, Sequence) or inner.items is None:
        if frame.trace.staged:
            return machine.operation(frame, node, [])
        return machine.unknown("layers that are not known")
    for one in inner.items:
        value = machine.call(frame, node, one, Args([value], nodes=[node]))
    return value


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, name: str, args: Args
) -> Value | None:
    """A method of a state: `get`, `set`."""
    if owner.dotted != STATE:
        return None
    if name == "set":
        return owner
    index = args.get(0, "item")
    if name == "get" and isinstance(index, FrameworkObject) and index.dotted == INDEX:
        initial = index.given(0, "init")
        if initial is not None:
            return renewed(machine, frame, node, initial, arrays_of(frame, owner))
    return machine.unknown("part of a state")


def renewed(
    machine: Machine, frame: Frame, node: ir.Expr, tree: Value, operands: list[Value]
) -> Value:
    """A pytree whose arrays are results of an operation on them and the operands."""

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced) and not one.leaf:
            return one
        if isinstance(one, (Traced, Concrete, NumPy)):
            rank = None if isinstance(one, NumPy) else one.rank
            return machine.operation(frame, node, [one, *operands], one.dtype, rank)
        return one

    return map_leaves(tree, leaf, frame.trace)

"""Objects of flax.nnx: their attributes, their methods, and what calling them gives and changes.

Source: flax documentation, the API reference of `flax.nnx`.
"""

from __future__ import annotations

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.concretization.static_arguments import through_layer
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    NONE,
    STR,
    Concrete,
    Instance,
    Iterator,
    Method,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
    join,
)
from jaxlint.engine.frameworks.flax.linen_layers import in_turn
from jaxlint.engine.frameworks.flax.nnx_modes import MODES, SWITCHES, mode, set_by_hand, switched
from jaxlint.engine.frameworks.flax.nnx_state import (
    GRAPH,
    HANDED,
    LIBRARY,
    MERGED,
    RANDOM,
    RNGS,
    STATE,
    STREAM,
    change,
    counts,
    handed_of,
    is_captured,
    is_object,
    is_object_class,
    is_variable,
    leak,
    note_drawn,
    note_read,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.attributes import attribute as attribute_of
from jaxlint.engine.operations.subscripts import subscript
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_OPTIMIZERS = frozenset({f"{LIBRARY}Optimizer", f"{LIBRARY}ModelAndOptimizer"})
_CELLS = frozenset({"GRUCell", "LSTMCell", "OptimizedLSTMCell", "SimpleCell"})
# Layers whose call gives something else than one array, or nothing that is known.
_UNKNOWN = frozenset({"Bidirectional", "RNN"})
_SETTERS = frozenset({"copy_from", "set_raw_value", "set_value", "update_from_state"})
_STREAM_METHODS = frozenset({"fork", "split"})
# Whose functions are methods of streams, which draw with a key of their own.
_DRAWS = ("jax.random.", "jax.nn.initializers.")
_RNGS_METHODS = _STREAM_METHODS | {"broadcast", "items"}


# -- attributes -------------------------------------------------------------------------------


def _content(machine: Machine, frame: Frame, node: ir.Node, owner: FrameworkObject) -> Value:
    """The value of a variable, as code in this trace sees it."""
    if owner.born is not frame.trace and not is_captured(frame, owner):
        return machine.unknown("variable of another trace")
    held = owner.state.get("value")
    return held if isinstance(held, Value) else machine.unknown("value of a variable")


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """What objects of nnx have."""
    if not is_object(owner):
        return None
    if isinstance(owner, Instance):
        return Method(owner, attr, node) if attr in _MODULE_METHODS else None
    assert isinstance(owner, FrameworkObject)
    if is_variable(owner):
        return _of_variable(machine, frame, node, owner, attr)
    if owner.dotted == RNGS and attr not in _RNGS_METHODS:
        return _stream(frame, node, owner, attr)
    if owner.dotted == STATE or owner.dotted == GRAPH:
        return machine.unknown("part of a state")
    if attr in _ARRAYS:
        return _part(frame, node, owner, attr)
    given = None if owner.args is None else owner.args.keywords.get(attr)
    if given is not None:
        found: Value = given
        return found
    return Method(owner, attr, node)


# Variables that layers make for themselves.
_ARRAYS = frozenset({"bias", "embedding", "kernel", "lora_a", "lora_b", "mean", "scale", "var"})


def _part(frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str) -> Value:
    """A variable of a layer."""
    parts = owner.state.setdefault("parts", {})
    if attr not in parts:
        dotted = f"{LIBRARY}BatchStat" if attr in ("mean", "var") else f"{LIBRARY}Param"
        made = FrameworkObject(dotted, Args(), node, owner.born)
        made.state["value"] = owner.state.get("array") or Concrete()
        handed = handed_of(owner)
        if handed is not None:
            made.state[HANDED] = handed
        parts[attr] = made
    found: Value = parts[attr]
    return found


def _stream(frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str) -> Value:
    made = FrameworkObject(STREAM, Args(), node, owner.born)
    made.state = {k: v for k, v in owner.state.items() if k in (HANDED, "array")}
    made.state["name"] = attr
    return made


def _of_variable(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str
) -> Value:
    if attr in _SETTERS or attr == "get_value":
        return Method(owner, attr, node)
    value = _content(machine, frame, node, owner)
    if attr in ("value", "raw_value"):
        note_read(machine, owner)
        return value
    return attribute_of(machine, frame, node, value, attr)


def item(
    machine: Machine, frame: Frame, node: ir.Subscript, owner: Value, index: Value
) -> Value | None:
    """`variable[...]`, `rngs["dropout"]`, `state["layer"]`."""
    if not isinstance(owner, FrameworkObject) or not is_object(owner):
        return None
    if owner.dotted == RNGS:
        return _stream(frame, node, owner, "")
    if not is_variable(owner):
        return None
    note_read(machine, owner)
    value = _content(machine, frame, node, owner)
    return value if _is_whole(index) else subscript(machine, frame, node, value, index)


def _is_whole(index: Value) -> bool:
    return isinstance(index, Static) and index.const is Ellipsis


def operand(machine: Machine, frame: Frame, node: ir.Node, owner: Value) -> Value | None:
    """A variable in arithmetic is its value."""
    if not isinstance(owner, FrameworkObject) or not is_variable(owner):
        return None
    return _content(machine, frame, node, owner)


# -- changes ----------------------------------------------------------------------------------


def store(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    """`variable.value = ...` and `module.attr = ...`."""
    if isinstance(owner, FrameworkObject) and is_variable(owner):
        if attr in ("value", "raw_value"):
            _set(machine, frame, node, owner, value, whole=True)
        return NONE
    if isinstance(owner, FrameworkObject) and MODES.get(owner.dotted) == attr:
        if not owner.state.get(MERGED):
            change(machine, frame, node, owner)
        set_by_hand(machine, frame, owner, value)
        return NONE
    if not isinstance(owner, Instance) or not is_object_class(owner.cls):
        return None
    if owner.cls.find("__setattr__") is not None:
        return None
    change(machine, frame, node, owner)
    if is_captured(frame, owner):
        return NONE
    leak(machine, frame, node, owner, attr, value)
    return None


def augment(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    """`module.count += 1`: the number is part of the structure, by which `nnx.jit` compiles."""
    if isinstance(owner, Instance) and is_object_class(owner.cls):
        numeric = isinstance(value, Static) and value.kind in ("int", "float")
        if numeric and owner.cls.find(attr) is None:
            counts(machine, frame, node, owner)
    return None


def put(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, index: Value, value: Value
) -> Value | None:
    """`variable[...] = value`."""
    if not isinstance(owner, FrameworkObject) or not is_variable(owner):
        return None
    _set(machine, frame, node, owner, value, _is_whole(index))
    return NONE


def _set(
    machine: Machine, frame: Frame, node: ir.Node, owner: FrameworkObject, value: Value, whole: bool
) -> None:
    change(machine, frame, node, owner)
    if is_captured(frame, owner):
        return
    old = owner.state.get("value")
    if not whole and isinstance(old, Value):
        value = machine.operation(frame, node, [old, value])
    straight = not machine.asks(CONDITIONS).conditions and frame.loop is None
    kept = value if straight or not isinstance(old, Value) else join(old, value)
    machine.alters(owner)
    owner.state["value"] = kept


# -- methods ----------------------------------------------------------------------------------


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """A method of an object of nnx."""
    if not is_object(owner):
        return None
    if isinstance(owner, Instance):
        return _of_module(machine, frame, node, owner, name, args)
    assert isinstance(owner, FrameworkObject)
    if is_variable(owner):
        if name == "get_value":
            return _content(machine, frame, node, owner)
        _set(machine, frame, node, owner, args.get(0, "") or NONE, whole=True)
        return NONE
    if owner.dotted == RNGS and name == "items":
        pair = [STR, _stream(frame, node, owner, "")]
        return Iterator(Sequence("tuple", pair, frame.trace), frame.trace, None, "view", node)
    if owner.dotted in RANDOM:
        change(machine, frame, node, owner)
        if name not in _RNGS_METHODS:
            note_drawn(owner)
        if name == "broadcast":
            return machine.unknown("streams as they were before")
        if name in _STREAM_METHODS:
            return FrameworkObject(owner.dotted, args, node, frame.trace)
        known = any(lookup.function(home + name) is not None for home in _DRAWS)
        return _drawn(machine, frame, node, owner) if known else machine.unknown("part of a stream")
    if owner.dotted in _OPTIMIZERS and name == "update":
        change(machine, frame, node, owner)
        model = args.get(0, "model")
        if model is not None and is_object(model):
            change(machine, frame, node, model)
        return NONE
    if name in SWITCHES:
        switched(machine, frame, node, owner, name, args)
        return NONE
    if _is_metric(owner):
        return _of_metric(machine, frame, node, owner, name, args)
    return machine.unknown("method of a layer")


_MODULE_METHODS = frozenset({*SWITCHES, "perturb", "sow"})


def _of_module(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Instance, name: str, args: Args
) -> Value:
    if name in SWITCHES:
        switched(machine, frame, node, owner, name, args)
    elif name == "sow" and is_captured(frame, owner):
        change(machine, frame, node, owner)
    return NONE if name != "perturb" else machine.unknown("perturbed value")


def _is_metric(owner: FrameworkObject) -> bool:
    short = owner.dotted[len(LIBRARY) :]
    return short.startswith("metrics.") or short == "MultiMetric"


def _of_metric(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, name: str, args: Args
) -> Value:
    if name in ("update", "reset"):
        change(machine, frame, node, owner)
        return NONE
    return machine.unknown("metric")


def _drawn(machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject) -> Value:
    held = owner.state.get("array")
    return machine.operation(frame, node, [held] if isinstance(held, Value) else [])


# -- calls ------------------------------------------------------------------------------------


def invoke(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value | None:
    """A layer, a stream of random keys or another object of nnx is called."""
    if not isinstance(owner, FrameworkObject) or not is_object(owner):
        return None
    if owner.dotted in RANDOM:
        change(machine, frame, node, owner)
        if not _derives(frame.home().func):
            note_drawn(owner)
        return _drawn(machine, frame, node, owner)
    if is_variable(owner) or owner.dotted in (STATE, GRAPH):
        return machine.unknown("call of a variable")
    short = owner.dotted[len(LIBRARY) :]
    if short == "Sequential":
        return _in_turn(machine, frame, node, owner, args)
    if short == "Dropout":
        _drops(machine, frame, node, owner, args)
    elif short == "BatchNorm":
        _normalizes(machine, frame, node, owner, args)
    if short in _UNKNOWN:
        return machine.unknown("outputs")
    held = owner.state.get("array")
    operands = args.values() if not isinstance(held, Value) else [*args.values(), held]
    result = through_layer(machine, frame, node, operands)
    if short in _CELLS:
        carry: Value = machine.unknown("carry")
        if isinstance(result, Traced):
            carry = Traced(result.trail, result.kind, leaf=False)
        return Sequence("tuple", [carry, result], frame.trace, None, frame.path)
    return result


@answered_once
def _derives(func: ir.FunctionDef | None) -> bool:
    """Whether a function makes other keys of those that it has."""
    return func is None or any(
        isinstance(one, (ir.Attribute, ir.Name))
        and dotted_text(one).rpartition(".")[2] in ("axis_index", "fold_in", "split")
        for one in walk(func.body)
    )


def _in_turn(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value:
    if owner.args is None or owner.args.rest is not None or handed_of(owner) is not None:
        return machine.unknown("layers in turn")
    return in_turn(machine, frame, node, owner.args.positional, args)


def _drops(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> None:
    """Dropout draws from its stream of random keys, or from the one it is passed."""
    if owner.args is None or args.more is not None:
        return
    rate = owner.args.get(0, "rate")
    drops = isinstance(rate, Static) and isinstance(rate.const, float) and 0 < rate.const < 1
    if not drops:
        return
    if mode(machine, frame, node, owner, args) is not False:
        return
    passed = args.keywords.get("rngs")
    if passed is not None:
        if isinstance(passed, FrameworkObject) and passed.dotted in RANDOM:
            change(machine, frame, node, passed)
            note_drawn(passed)
        return
    rngs = owner.args.keywords.get("rngs")
    if rngs is not None and not is_none(rngs):
        change(machine, frame, node, owner)
        note_drawn(owner)


def _normalizes(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> None:
    """BatchNorm updates its averages in training mode."""
    if args.more is None and mode(machine, frame, node, owner, args) is False:
        change(machine, frame, node, owner)

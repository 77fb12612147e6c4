"""Linen's own layers: what calling them gives, and the flags that switch their mode."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.static_arguments import through_layer
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    LibraryName,
    Sequence,
    Static,
    Traced,
    Value,
    as_traced,
    is_none,
)
from jaxlint.engine.frameworks.flax.linen_scopes import (
    LIBRARY,
    MODULE,
    Scope,
    current,
    makes_variables,
    scope_of,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

# Cells take and give a carry beside their output.
_CELLS = frozenset(
    {"ConvLSTMCell", "GRUCell", "LSTMCell", "MGUCell", "OptimizedLSTMCell", "SimpleCell"}
)
# Layers without variables of their own.
_BARE = frozenset({"Bidirectional", "Dropout", "RNN", "Sequential"})
# Those that have variables only for these options, which are on by default.
_SCALING = {
    "GroupNorm": ("use_bias", "use_scale"),
    "InstanceNorm": ("use_bias", "use_scale"),
    "LayerNorm": ("use_bias", "use_scale"),
    "RMSNorm": ("use_scale",),
}
_SEVERAL = frozenset({"Bidirectional", "RNN"})
# Names of parameters that tell a module in which mode it runs.
MODES = frozenset(
    {
        "decode", "deterministic", "eval", "evaluate", "inference", "is_eval", "is_train",
        "is_training", "test", "train", "training", "use_running_average",
    }
)  # fmt: skip


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A name of `flax.linen` that is a class makes a layer."""
    short = dotted[len(LIBRARY) :]
    if not dotted.startswith(LIBRARY) or not short[:1].isupper() or "." in short:
        return None
    made = FrameworkObject(dotted, args, node, frame.trace)
    around = current(machine)
    if around is not None:
        made.state["scope"] = scope_of(around)
    return made


def entry_method(frame: Frame, owner: FrameworkObject, attr: str) -> Value:
    """`layer.apply` and kin: an ordinary bound method."""
    return Bound(LibraryName(f"{MODULE}.{attr}"), owner, frame.loop)


def attribute(machine: Machine, owner: FrameworkObject, attr: str) -> Value:
    """A field of a layer, as it was passed."""
    given = owner.args.keywords.get(attr) if owner.args is not None else None
    return given or machine.unknown("attribute of a layer")


# -- the mode -----------------------------------------------------------------------------------


def flagged(func: Function, args: Args) -> Args:
    """Arguments of a module's method, in which tracers for its mode are known as such."""
    params = [p for p in func.node.params if p.kind in ("plain", "positional")]
    positional = list(args.positional)
    for at, value in enumerate(positional):
        if at < len(params) and isinstance(value, Traced) and _is_mode(params[at]):
            positional[at] = _flag(value, params[at])
    keywords = dict(args.keywords)
    for param in func.node.params:
        value_ = keywords.get(param.name)
        if isinstance(value_, Traced) and _is_mode(param):
            keywords[param.name] = _flag(value_, param)
    return Args(positional, keywords, args.rest, args.more, args.nodes, args.keyword_nodes)


def _is_mode(param: ir.Param) -> bool:
    default = param.default
    boolean = isinstance(default, ir.Const) and isinstance(default.value, bool)
    typed = isinstance(param.annotation, ir.Name) and param.annotation.id == "bool"
    return param.name in MODES or boolean or typed


def _flag(value: Traced, param: ir.Param) -> Traced:
    trail = Provenance(param, value.trail, value.trail.entry, call=True, flag=True)
    # A mode is no container, whatever else is passed through.
    return Traced(trail, value.kind, value.dtype, value.rank, True, value.weak)


def asks_mode(
    machine: Machine, frame: Frame, place: ir.Expr, value: Value, layer: str, flag: str
) -> None:
    """A layer asks its mode for a concrete bool."""
    traced = as_traced(value)
    if traced is None or traced.kind == "ad" or not traced.leaf:
        return
    misused(machine, frame, place, "linen-mode", layer, flag, traced.trail)


def _setting(
    node: ir.Expr, owner: FrameworkObject, args: Args, at: int, name: str, made_at: int = -1
) -> tuple[Value, ir.Expr] | None:
    """A setting that is passed in the call or in the construction, with its expression."""
    for given, place in ((args, at), (owner.args or Args(), made_at)):
        found = given.get(place, name)
        if found is not None and not is_none(found):
            return found, given.node(place, name, owner.made or node)
    return None


# -- calls --------------------------------------------------------------------------------------


def run(machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args) -> Value:
    """A layer is applied: it gives an array made of its parameters and its arguments."""
    short = owner.dotted[len(LIBRARY) :]
    scope = scope_of(owner)
    if short == "Sequential":
        return _in_turn(machine, frame, node, owner, args)
    if short in ("BatchNorm", "Dropout"):
        _check_mode(machine, frame, node, owner, short, args, scope)
    operands = args.values()
    if scope is not None and _has_variables(owner, short):
        makes_variables(machine, frame, scope, owner.made, f"nn.{short}")
    if scope is not None and scope.variables is not None:
        operands = [*operands, scope.variables]
    result = through_layer(machine, frame, node, operands)
    if short in _CELLS:
        carry: Value = machine.unknown("carry")
        if isinstance(result, Traced):
            carry = Traced(result.trail, result.kind, leaf=False)
        return Sequence("tuple", [carry, result], frame.trace, None, frame.path)
    return machine.unknown("outputs") if short in _SEVERAL else result


def _has_variables(owner: FrameworkObject, short: str) -> bool:
    """Whether a layer certainly has variables of its own."""
    flags = [owner.given(-1, name) for name in _SCALING.get(short, ())]
    is_scaled = any(one is None or (isinstance(one, Static) and one.const is True) for one in flags)
    return short not in _BARE and (is_scaled or not flags)


def _in_turn(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value:
    layers = owner.given(0, "layers")
    if not isinstance(layers, Sequence) or layers.items is None:
        return machine.unknown("layers in turn")
    return in_turn(machine, frame, node, layers.items, args)


def in_turn(
    machine: Machine, frame: Frame, node: ir.Expr, layers: list[Value], args: Args
) -> Value:
    """What the last of several layers gives, each called with what the one before gave."""
    inside = args
    result: Value = args.get(0, "") or machine.unknown("layers in turn")
    for layer in layers:
        result = machine.call(frame, node, layer, inside)
        inside = Args([result], nodes=[node])
    return result


def _check_mode(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: FrameworkObject,
    short: str,
    args: Args,
    scope: Scope | None,
) -> None:
    if short == "Dropout":
        mode = _setting(node, owner, args, 1, "deterministic", 2)
        rate = owner.given(0, "rate")
        drops = isinstance(rate, Static) and isinstance(rate.const, float) and 0 < rate.const < 1
        if mode is not None and drops:
            asks_mode(machine, frame, mode[1], mode[0], short, "deterministic")
        return
    mode = _setting(node, owner, args, 1, "use_running_average", 0)
    if mode is None:
        return
    asks_mode(machine, frame, mode[1], mode[0], short, "use_running_average")
    updates = isinstance(mode[0], Static) and mode[0].const is False
    immutable = scope is not None and scope.mutable.allows("batch_stats") is False
    if updates and immutable and not machine.asks(CONDITIONS).conditions:
        misused(machine, frame, node, "linen-immutable", "batch_stats")

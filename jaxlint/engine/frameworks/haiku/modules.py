"""Haiku's modules and the functions that reach parameters, state and keys."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.static_arguments import through_layer
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import (
    BOOL,
    FALSE,
    NONE,
    STR,
    TRUE,
    Concrete,
    Function,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.engine.frameworks.haiku import scope as scopes
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.ecosystems.haiku import CORES, MAKING, MODULES, SCALED, SHAPING
from jaxlint.syntax import ir

LIBRARY = "haiku."
_INITIALIZERS = "haiku.initializers."
_CALLED = frozenset({"Sequential", "DeepRNN", "IdentityCore", "ResetCore"})


def make(frame: Frame, node: ir.Expr, dotted: str, args: Args) -> FrameworkObject | None:
    """A module or an initializer of Haiku."""
    name = dotted.removeprefix(LIBRARY)
    known = name in MODULES or name in SHAPING or name in CORES or name in _CALLED
    if known or dotted.startswith(_INITIALIZERS):
        return FrameworkObject(dotted, args, node, frame.trace)
    return None


def array(machine: Machine, frame: Frame, node: ir.Node, operands: list[Value]) -> Value:
    """What is computed from the parameters of this run."""
    scope = scopes.current(machine)
    held = [] if scope is None else [leaf for leaf in map(_leaf_of, scope.params) if leaf]
    return through_layer(machine, frame, node, [*held, *operands])


def _leaf_of(params: Value) -> Value | None:
    """A tracer among parameters that may be nested dicts of them."""
    found = finds_traced(params)
    if found is None:
        return None
    return found if found.leaf else Traced(found.trail, found.kind)


def invoke(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value | None:
    """A module is called."""
    name = owner.dotted.removeprefix(LIBRARY)
    if owner.dotted.startswith(_INITIALIZERS):
        return machine.operation(frame, node, [])
    if name == "Sequential":
        return _in_turn(machine, frame, node, owner, args)
    if name in SHAPING:
        return machine.operation(frame, node, args.values())
    if name not in MODULES and name not in CORES:
        return machine.unknown("module of Haiku")
    callee = f"hk.{name}"
    if name in MAKING or name in CORES or _is_scaled(owner, name):
        scopes.makes_parameters(machine, frame, owner.made, callee)
    result = array(machine, frame, node, args.values())
    if name in CORES:
        return Sequence("tuple", [result, _state(machine, node, result)], frame.trace)
    return result


def _is_scaled(owner: FrameworkObject, name: str) -> bool:
    """Whether a normalisation certainly has a scale, which is a parameter."""
    if name not in SCALED or owner.args is None:
        return False
    asked = owner.args.get(SCALED[name], "create_scale")
    return isinstance(asked, Static) and asked.const is True


def _state(machine: Machine, node: ir.Expr, output: Value) -> Value:
    """The next state of a core: an array or a tuple of them."""
    if isinstance(output, Traced):
        return Traced(Provenance(node, output.trail, output.trail.entry), output.kind, leaf=False)
    return machine.unknown("state of a core")


def _in_turn(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value:
    given = owner.given(0, "layers")
    if not isinstance(given, Sequence) or given.items is None or not args.positional:
        return machine.unknown("layers that are not known")
    first, *rest = given.items or [NONE]
    value = machine.call(frame, node, first, args)
    for layer in rest:
        value = machine.call(frame, node, layer, Args([value], nodes=[node]))
    return value


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """An attribute of a module."""
    if attr in ("name", "module_name"):
        return STR
    if isinstance(owner, FrameworkObject) and attr in ("initial_state", "__call__"):
        return Method(owner, attr)
    return None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, name: str, args: Args
) -> Value | None:
    """A method of a module."""
    if name == "__call__":
        return invoke(machine, frame, node, owner, args)
    if name == "initial_state" and not frame.trace.is_host and frame.trace.staged:
        made = machine.operation(frame, node, [])
        return _state(machine, node, made)
    return machine.unknown("method of a module")


# -- functions -----------------------------------------------------------------------------------


def get_parameter(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.get_parameter(name, shape, dtype, init)`."""
    shape = args.get(1, "shape")
    if _has_elements(shape) and _is_operation(args.get(3, "init")):
        scopes.makes_parameters(machine, frame, node, "hk.get_parameter")
    return array(machine, frame, node, [])


def _has_elements(shape: Value | None) -> bool:
    """Whether a shape certainly has a dimension: what fills a scalar may be a constant."""
    if isinstance(shape, Sequence):
        return bool(shape.items) or shape.holds is not None
    return isinstance(shape, Static) and isinstance(shape.const, tuple) and bool(shape.const)


def _is_operation(init: Value | None) -> bool:
    """Whether an initial value is certainly a result of JAX."""
    if isinstance(init, FrameworkObject):
        return init.dotted.startswith(_INITIALIZERS)
    dotted = getattr(init, "dotted", "")
    return dotted.startswith("jax.") and not isinstance(init, (Function, FrameworkObject))


def get_state(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.get_state(name, shape, dtype, init)`."""
    if _has_elements(args.get(1, "shape")) and _is_operation(args.get(3, "init")):
        scopes.makes_parameters(machine, frame, node, "hk.get_state")
    return array(machine, frame, node, [])


def set_state(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.set_state(name, value)`."""
    value = args.get(1, "value")
    if value is not None:
        scopes.sets_state(machine, frame, finds_traced(value))
    return NONE


def next_key(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.next_rng_key()`."""
    scopes.draws_key(machine, frame)
    return array(machine, frame, node, [])


def maybe_next_key(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.maybe_next_rng_key()`: None where there is no key."""
    return machine.unknown("key that may be missing")


def next_keys(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.next_rng_keys(number)`."""
    scopes.draws_key(machine, frame)
    return array(machine, frame, node, [])


def running_init(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.running_init()`."""
    scope = scopes.current(machine)
    if scope is None or scope.initialises is None:
        return BOOL
    return TRUE if scope.initialises else FALSE


def dynamic_unroll(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`hk.dynamic_unroll(core, inputs, state)`: outputs and the last state."""
    inputs = args.get(1, "input_sequence")
    if inputs is None:
        return machine.unknown("dynamic_unroll")
    result = array(machine, frame, node, [inputs])
    whole = isinstance(result, (Traced, Concrete, NumPy)) and not is_none(result)
    outputs = result if whole else machine.unknown("outputs of a core")
    return Sequence("tuple", [outputs, _state(machine, node, result)], frame.trace)


def callee_of(node: ir.Expr) -> str:
    """The function that a call names."""
    return dotted_text(node.func) if isinstance(node, ir.Call) else ""

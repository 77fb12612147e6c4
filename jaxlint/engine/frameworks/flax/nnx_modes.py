"""Modes of nnx objects: whether layers drop and average, by construction or as set since.

Source: flax documentation of `nnx.Module.train`, `eval` and `set_attributes`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.values import Instance, Static, Value, is_none
from jaxlint.engine.frameworks.flax.linen_layers import asks_mode
from jaxlint.engine.frameworks.flax.nnx_state import LIBRARY, MERGED, change, is_captured
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# The attribute of a layer that says that it neither draws nor counts.
MODES = {f"{LIBRARY}Dropout": "deterministic", f"{LIBRARY}BatchNorm": "use_running_average"}
# The methods that set it in all parts of a module; `set_attributes` is told what to set.
SWITCHES: dict[str, bool | None] = {"train": False, "eval": True, "set_attributes": None}
# What is kept in the state of a layer whose mode was set: a bool, or this.
_EITHER = "either"
_DEPTH = 5


def mode(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> bool | None:
    """The mode of a layer: what is passed as its second argument, or was set last; None where not
    known."""
    name = MODES[owner.dotted]
    passed = args.get(1, name)
    if passed is not None and not is_none(passed):
        layer = owner.dotted[len(LIBRARY) :]
        asks_mode(machine, frame, args.node(1, name, node), passed, layer, name)
        return passed.const if isinstance(passed, Static) and passed.known else None
    return _current(owner)


def _current(owner: FrameworkObject) -> bool | None:
    found = owner.state.get("mode")
    if found is not None or owner.args is None or owner.args.more is not None:
        return found if isinstance(found, bool) else None
    made = owner.args.keywords.get(MODES[owner.dotted])
    if made is None:
        return False
    return made.const if isinstance(made, Static) and isinstance(made.const, bool) else None


def switched(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> None:
    """A method is called that sets the mode of an object and of its parts."""
    layers = [
        one
        for one in walk_values(owner, parts, _DEPTH)
        if isinstance(one, FrameworkObject) and one.dotted in MODES
    ]
    merged = isinstance(owner, FrameworkObject) and owner.state.get(MERGED)
    if layers and not merged and is_captured(frame, owner):
        change(machine, frame, node, owner)
    loose = bool(args.positional) or args.rest is not None or args.more is not None
    told = SWITCHES[name]
    for layer in layers:
        given = args.keywords.get(MODES[layer.dotted])
        if told is not None or given is not None or loose:
            _put(machine, frame, layer, None if loose else _known(given, told), owner)


def set_by_hand(machine: Machine, frame: Frame, layer: FrameworkObject, value: Value) -> None:
    """`layer.deterministic = ...`."""
    _put(machine, frame, layer, _known(value, None), layer)


def _known(value: Value | None, otherwise: bool | None) -> bool | None:
    if value is None:
        return otherwise
    return value.const if isinstance(value, Static) and isinstance(value.const, bool) else None


def _put(
    machine: Machine, frame: Frame, layer: FrameworkObject, value: bool | None, owner: Value
) -> None:
    """A mode is set. In a layer that stands for several, or in a branch or a loop, it is what it
    was or what it was set to, and so it is where it is set back: what was compiled before is traced
    at another time."""
    if value is not None and value is _current(layer):
        return
    if value is False and "mode" in layer.state:
        value = None
    sure = frame.loop is None and not machine.asks(CONDITIONS).conditions
    sure = sure and not (isinstance(owner, Instance) and owner.generic)
    kept = value if sure and value is not None and machine.summaries.is_single(layer) else _EITHER
    if layer.state.get("mode") != kept:
        machine.alters(layer)
        layer.state["mode"] = kept
        machine.summaries.forget(layer)

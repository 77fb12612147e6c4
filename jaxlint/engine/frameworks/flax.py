"""flax: who of linen, nnx and `flax.training` answers."""

from __future__ import annotations

from jaxlint.engine.arguments import Args
from jaxlint.engine.frameworks import (
    applied,
    layers,
    lifted,
    linen,
    nnx,
    objects,
    states,
    train_state,
)
from jaxlint.engine.frameworks.scopes import COMPACTING, LIBRARY, compacted
from jaxlint.engine.hooks import Hooks
from jaxlint.engine.machine import Machine
from jaxlint.engine.state import Frame
from jaxlint.engine.values import Class, Value
from jaxlint.syntax import ir

_UNCHANGED = frozenset({"flax.core.freeze", "flax.core.unfreeze", "flax.core.FrozenDict"})


def _call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    if dotted in linen.ENTRIES:
        return linen.call_entry(machine, frame, node, linen.ENTRIES[dotted], args)
    if dotted in _UNCHANGED:
        return args.get(0, "x")
    if dotted in COMPACTING and args.positional:
        compacted(machine, args.positional[0])
    if dotted.startswith(LIBRARY):
        found = linen.applied(machine, frame, node, dotted, args)
        found = found or lifted.call(machine, frame, node, dotted, args)
        if found is None:
            found = layers.call(machine, frame, node, dotted, args)
            if found is not None:
                linen.attached(machine, frame, node, dotted.rpartition(".")[2], args)
        return found
    if dotted.startswith(states.LIBRARY):
        return nnx.call(machine, frame, node, dotted, args)
    return train_state.call(machine, frame, node, dotted, args)


def _attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    found = linen.attribute(machine, frame, node, owner, attr)
    found = found or objects.attribute(machine, frame, node, owner, attr)
    return found or train_state.attribute(machine, frame, node, owner, attr)


def _method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    found = linen.method(machine, frame, node, owner, name, args)
    found = found or objects.method(machine, frame, node, owner, name, args)
    return found or train_state.method(machine, frame, node, owner, name, args)


def _define(machine: Machine, frame: Frame, node: ir.ClassDef, cls: Class) -> None:
    train_state.define(machine, frame, node, cls)
    nnx.define(machine, frame, node, cls)


def _invoke(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args
) -> Value | None:
    found = linen.invoke(machine, frame, node, owner, args)
    return found or objects.invoke(machine, frame, node, owner, args)


def _store(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    found = linen.store(machine, frame, node, owner, attr, value)
    return found or objects.store(machine, frame, node, owner, attr, value)


def _build(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> Value | None:
    found = linen.build(machine, frame, node, cls, args)
    return found or nnx.build(machine, frame, node, cls, args)


HOOKS = Hooks(
    library="flax",
    call=_call,
    attribute=_attribute,
    method=_method,
    invoke=_invoke,
    store=_store,
    build=_build,
    define=_define,
    enter=states.enter,
    entry=applied.entry,
    augment=objects.augment,
    operand=objects.operand,
    item=objects.item,
    put=objects.put,
    parameter=nnx.parameter,
    kept=nnx.kept,
    called=nnx.called,
    ran=states.ran,
    receiver=linen.receiver,
)

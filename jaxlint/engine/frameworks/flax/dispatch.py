"""flax: who of linen, nnx and `flax.training` answers."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.domain.values import Class, Value
from jaxlint.engine.frameworks.flax import (
    applied,
    linen,
    linen_layers,
    linen_lifted,
    nnx,
    nnx_objects,
    nnx_rebuilding,
    nnx_returns,
    nnx_state,
    train_state,
)
from jaxlint.engine.frameworks.flax.linen_scopes import COMPACTING, LIBRARY, compacted
from jaxlint.engine.machine.machine import Machine
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
        found = found or linen_lifted.call(machine, frame, node, dotted, args)
        if found is None:
            found = linen_layers.call(machine, frame, node, dotted, args)
            if found is not None:
                linen.attached(machine, frame, node, dotted.rpartition(".")[2], args)
        return found
    if dotted.startswith(nnx_state.LIBRARY):
        return nnx.call(machine, frame, node, dotted, args)
    return train_state.call(machine, frame, node, dotted, args)


def _attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    found = linen.attribute(machine, frame, node, owner, attr)
    found = found or nnx_objects.attribute(machine, frame, node, owner, attr)
    return found or train_state.attribute(machine, frame, node, owner, attr)


def _method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    found = linen.method(machine, frame, node, owner, name, args)
    found = found or nnx_objects.method(machine, frame, node, owner, name, args)
    return found or train_state.method(machine, frame, node, owner, name, args)


def _define(machine: Machine, frame: Frame, node: ir.ClassDef, cls: Class) -> None:
    train_state.define(machine, frame, node, cls)
    nnx.define(machine, frame, node, cls)


def _invoke(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args
) -> Value | None:
    found = linen.invoke(machine, frame, node, owner, args)
    return found or nnx_objects.invoke(machine, frame, node, owner, args)


def _store(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    found = linen.store(machine, frame, node, owner, attr, value)
    return found or nnx_objects.store(machine, frame, node, owner, attr, value)


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
    enter=nnx_rebuilding.enter,
    entry=applied.entry,
    augment=nnx_objects.augment,
    operand=nnx_objects.operand,
    item=nnx_objects.item,
    put=nnx_objects.put,
    parameter=nnx.parameter,
    kept=nnx.kept,
    called=nnx.called,
    ran=nnx_returns.ran,
    receiver=linen.receiver,
)

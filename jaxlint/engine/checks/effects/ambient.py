"""State of the process in traced code: the environment, flags, options of JAX."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.numerics import x64_switch
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Static, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.events import Check, Named, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.host.ambient import (
    CALLS,
    CONFIG,
    CONFIGURES,
    ENVIRONMENT,
    ENVIRONMENT_SETTERS,
    FLAGS,
    OWNERS,
    READERS,
    SETTERS,
    UPDATES,
    VARIABLES,
)
from jaxlint.syntax import ir


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A function is called that reads or changes such state."""
    if dotted in machine.dynamic.patched:
        return
    if dotted in READERS:
        note(machine, frame, node, "read")
    elif dotted in SETTERS or (dotted in ENVIRONMENT_SETTERS and _configures(args.get(0, "key"))):
        note(machine, frame, node, "set")
    if dotted in UPDATES:
        x64_switch.updated(machine, frame, node, args)
    elif dotted in ENVIRONMENT_SETTERS:
        x64_switch.variable_set(machine, frame, node, args.get(0, "key"))


def attribute(machine: Machine, frame: Frame, node: ir.Expr, dotted: str) -> None:
    """An attribute of a module, or of an object that holds flags, is read."""
    if frame.trace.is_host or dotted.rpartition(".")[0] not in OWNERS:
        return
    if dotted in VARIABLES or (dotted.rpartition(".")[0] in FLAGS and _is_set(machine, dotted)):
        note(machine, frame, node, "read")


def _is_set(machine: Machine, dotted: str) -> bool:
    """Whether code that is known sets a flag: parsed once, it is a constant."""
    name = dotted.rpartition(".")[2]
    for module in machine.sources.modules:
        for one in walk(module.body):
            targets = one.targets if isinstance(one, ir.Assign) else ()
            if any(isinstance(target, ir.Attribute) and target.attr == name for target in targets):
                return True
    return False


def item(machine: Machine, frame: Frame, node: ir.Subscript, owner: str) -> None:
    """An item of a library object is read."""
    if owner in ENVIRONMENT or (owner in VARIABLES and isinstance(node.value, ir.Name)):
        note(machine, frame, node, "read")


def membership(machine: Machine, frame: Frame, node: ir.Compare) -> None:
    """`"NAME" in os.environ`."""
    value = peek(machine, frame, node.comparators[0])
    if isinstance(value, LibraryName) and value.dotted in ENVIRONMENT:
        note(machine, frame, node, "read")


def stored(
    machine: Machine,
    frame: Frame,
    target: ir.Expr,
    owner: LibraryName,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`os.environ["JAX_..."] = value`."""
    if owner.dotted in ENVIRONMENT and _configures(index):
        note(machine, frame, target, "set")
        x64_switch.variable_set(machine, frame, target, index)


def attribute_stored(
    machine: Machine, frame: Frame, target: ir.Expr, owner: LibraryName, attr: str
) -> None:
    """`jax.config.jax_... = value`."""
    if owner.dotted in CONFIG:
        note(machine, frame, target, "assigned")
        x64_switch.option_assigned(machine, frame, target)


def _configures(key: Value | None) -> bool:
    known = isinstance(key, Static) and isinstance(key.const, str)
    return known and str(getattr(key, "const", "")).startswith(CONFIGURES)


def note(machine: Machine, frame: Frame, node: ir.Expr, kind: str) -> None:
    """Reports it where Python runs once for many executions."""
    if frame.trace.is_host or not frame.trace.once:
        return
    subject = dotted_text(node.func if isinstance(node, ir.Call) else node)
    if isinstance(node, ir.Subscript):
        subject = dotted_text(node.value)
    machine.emit(
        facts.Ambient(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            kind=kind,  # type: ignore[arg-type]
            subject=subject or machine.sources.owner(node, machine.module).text_of(node),
        )
    )


CHECK = Check(
    "ambient",
    on_library_call=(Named(called, CALLS),),
    on_library_attribute=attribute,
    on_library_item=item,
    on_membership=membership,
    on_item_store=(Typed(stored, (LibraryName,)),),
    on_attribute_store=(Typed(attribute_stored, (LibraryName,)),),
)

"""What a module does with devices before it says how they are to be set up."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Static, Value
from jaxlint.engine.machine.events import Check, Named, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.host.costs import STARTUP_OPTIONS, STARTUP_VARIABLES
from jaxlint.syntax import ir

SETUPS = frozenset({"jax.config.update", "jax.distributed.initialize", "os.environ.setdefault"})


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """One of `SETUPS` is called."""
    name = _text(args.get(0, "name"))
    if dotted == "jax.config.update" and name not in STARTUP_OPTIONS:
        return
    if dotted == "os.environ.setdefault" and name not in STARTUP_VARIABLES:
        return
    what = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
    _late(machine, frame, node, f"{what}({name!r}, ...)" if name else f"{what}()")


def stored(
    machine: Machine,
    frame: Frame,
    node: ir.Subscript,
    owner: LibraryName,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """A variable of the environment is set."""
    if owner.dotted == "os.environ" and _text(index) in STARTUP_VARIABLES:
        _late(machine, frame, node, f"os.environ[{_text(index)!r}]")


def _text(value: Value | None) -> str:
    const = value.const if isinstance(value, Static) else None
    return const if isinstance(const, str) else ""


def _late(machine: Machine, frame: Frame, node: ir.Node, what: str) -> None:
    first = machine.tally.first
    if first is None or not frame.trace.is_host or machine.dynamic.idle:
        return
    line = machine.module.source.named(machine.module.locate(node).line)
    misused(machine, ("<module>", None), first, "import-time-work", what, line)


CHECK = Check(
    "device-setup",
    on_library_call=(Named(called, SETUPS),),
    on_item_store=(Typed(stored, (LibraryName,)),),
)

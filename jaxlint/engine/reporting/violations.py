"""Facts about contracts that code breaks: how every part of the engine tells of them."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

# The code around: the frame that runs it, or the function and the entry that messages name.
Around = Frame | tuple[str, TraceEntry | None]


def is_uncaught(machine: Machine) -> bool:
    """Whether what JAX raises here is neither expected nor caught."""
    return not machine.expects_errors and not machine.silences().caught


def misused(
    machine: Machine,
    around: Around,
    node: ir.Node,
    kind: str,
    subject: str = "",
    detail: str = "",
    trail: Provenance | None = None,
    place: ir.Node | None = None,
    unsure: bool = False,
) -> None:
    """The code at `node` breaks the contract `kind`, or may where that is `unsure`; `trail` is
    that of a tracer it is about, `place` where the subject comes from."""
    at = (around.name, around.trace.entry) if isinstance(around, Frame) else around
    module = machine.sources.owner(node, machine.module)
    fact = facts.ContractViolation(
        module, node, *at, trail, kind=kind, subject=subject, detail=detail
    )
    fact.place = place
    machine.emit(fact, unsure)

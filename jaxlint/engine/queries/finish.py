"""What is asked once the whole file has been run."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.checks.captures import large_constants
from jaxlint.engine.checks.captures.program_lifetimes import Programs
from jaxlint.engine.checks.captures.stale_captures import frozen
from jaxlint.engine.checks.concretization import type_tests
from jaxlint.engine.checks.donation import useless_donation
from jaxlint.engine.checks.effects import caches
from jaxlint.engine.checks.prng import key_reuse
from jaxlint.engine.checks.recompilation import nested_jit, rejit
from jaxlint.engine.machine import eager_facts
from jaxlint.engine.machine.machine import Machine


def after(machine: Machine) -> None:
    """Emits the facts that need the whole file to have been run."""
    key_reuse.after(machine)
    nested_jit.after(machine)
    eager_facts.after(machine)
    caches.after(machine)
    type_tests.after(machine)
    stored = {
        f.target
        for f in machine.collected.facts
        if isinstance(f, facts.Stored) and f.place in ("global", "nonlocal")
    }
    programs, staged = Programs(machine), rejit.staged(machine)
    for record in machine.program.records:
        if not record.trace.is_host or record.expected:
            continue
        if record.imported or record.frame.root is not machine.globals:
            # What other modules do is theirs to report, but for what this one has them repeat.
            again = (
                rejit.rejitted(machine, record, staged)
                if rejit.is_repeated(machine, record)
                else None
            )
            if again is not None:
                machine.emit(again)
            continue
        late = list(rejit.late(machine, record))
        for fact in late:
            machine.emit(fact)
        if record.wrapper.compiles:
            useless_donation.after(machine, record)
            rejitted = rejit.rejitted(machine, record, staged)
            if rejitted is not None:
                machine.emit(rejitted)
            large_constants.check(machine, record)
            names = {f.name for f in late} | stored
            for fact in frozen(machine, programs, record):
                if fact.name not in names:
                    machine.emit(fact)

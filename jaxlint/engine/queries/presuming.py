"""A second run of the code that came to unknown objects, which presumes what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxlint.base.test_files import is_of_tests
from jaxlint.engine.domain.circumstances import PRESUMING
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.presumptions import MOST_PRESUMED
from jaxlint.engine.summaries.transformed import TransformUse


@contextmanager
def noting(machine: Machine, record: TransformUse) -> Iterator[None]:
    """Notes whether the entry that runs inside came to unknown objects in traced code."""
    effects = machine.dynamic.effects
    before, effects.asks = effects.asks, 0
    try:
        yield
    finally:
        if effects.asks & PRESUMING:
            machine.program.presuming.append(record)
        effects.asks |= before


def presume(machine: Machine, run: Callable[[Machine, TransformUse], None]) -> None:
    """Runs again the entries that came to unknown objects, and follows what these may be. Tests
    make the objects that they use."""
    module = machine.globals.module
    if not machine.program.presuming or module is None:
        return
    if is_of_tests(module.file, machine.context.root):
        return
    cuts = dict(machine.budget.cuts)
    called = [(record, len(record.calls)) for record in machine.known_uses()]
    with machine.program.uncounted():
        for record in machine.program.presuming:
            captures = set(record.captures)
            with (
                machine.doubting(),
                machine.within(presuming=MOST_PRESUMED),
                machine.counters.anew(),
            ):
                run(machine, record)
            record.presumed |= record.captures.keys() - captures
    # Nobody expects that all that may be is followed, and calls happen in the first run.
    machine.budget.cuts = cuts
    for record, count in called:
        del record.calls[count:]

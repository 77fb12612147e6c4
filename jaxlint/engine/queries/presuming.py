"""A second run of the code that came to unknown objects, which presumes what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxlint.base.test_files import is_of_tests
from jaxlint.engine.domain.circumstances import CHOICES, PRESUMING, TREES
from jaxlint.engine.domain.values import Function
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.presumptions import MOST_PRESUMED, TREES_ALONE
from jaxlint.engine.summaries.transformed import TransformUse


@contextmanager
def noting(machine: Machine, entry: TransformUse | Function) -> Iterator[None]:
    """Notes whether the entry that runs inside came to unknown objects in traced code, or to
    unknown pytrees and functions of registries where it is a function of host code, which runs
    loops of `jax.lax` at once."""
    effects = machine.dynamic.effects
    before, effects.asks = effects.asks, 0
    try:
        yield
    finally:
        if effects.asks & (TREES | CHOICES if isinstance(entry, Function) else PRESUMING):
            machine.program.presuming.append(entry)
        effects.asks |= before


def presume(
    machine: Machine,
    run: Callable[[Machine, TransformUse], None],
    host: Callable[[Machine, Function], None],
) -> None:
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
        for entry in machine.program.presuming:
            most = TREES_ALONE if isinstance(entry, Function) else MOST_PRESUMED
            with machine.doubting(), machine.within(presuming=most), machine.counters.anew():
                if isinstance(entry, Function):
                    host(machine, entry)
                    continue
                captures = set(entry.captures)
                run(machine, entry)
                entry.presumed |= entry.captures.keys() - captures
    # Nobody expects that all that may be is followed, and calls happen in the first run.
    machine.budget.cuts = cuts
    for record, count in called:
        del record.calls[count:]

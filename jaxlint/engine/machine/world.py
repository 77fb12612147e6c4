"""The modules of a project, each run once for all files whose analysis leads to them.

A module runs as it does when something imports it: nothing that it does depends on who asks for it
first. What an analysis changes of it is put back when the analysis ends (`loans`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jaxlint.base.errors import Interrupted
from jaxlint.base.text import SourceText, Span
from jaxlint.dataflow.budget import LEAST, METER, OverBudgetError
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import AGES
from jaxlint.engine.domain.values import Class
from jaxlint.engine.machine.collected import Collected
from jaxlint.engine.summaries.interning import Interned
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.machine.machine import Machine

# What runs of a shared module at a time may take this many steps, and half of it before no more
# calls are followed.
MOST_STEPS: Final = LEAST // 2
# So often calls of a function are looked for in any case, and one in so many must be found then.
FEW_ASKED: Final = 24
LEAST_FOUND: Final = 6
# Where fewer are found, one call in so many is looked for: what is given may come again by and by.
SAMPLED: Final = 4


class _Yield:
    """Of one function: calls, those that were looked for, and those that were found."""

    __slots__ = ("asked", "calls", "found")

    def __init__(self) -> None:
        self.calls = self.asked = self.found = 0


class Yields:
    """How often calls of each function were looked for among those that ran, and found."""

    __slots__ = ("_by_function",)

    def __init__(self) -> None:
        self._by_function: dict[int, _Yield] = {}

    def is_worth(self, func: ir.FunctionDef) -> bool:
        """Whether to look for a call: where few are found, that costs more than it saves."""
        of = self._by_function.setdefault(id(func), _Yield())
        of.calls += 1
        if of.asked >= FEW_ASKED and of.found * LEAST_FOUND < of.asked and of.calls % SAMPLED:
            return False
        of.asked += 1
        if of.asked > 4 * FEW_ASKED:
            # What was long ago says less.
            of.asked, of.found = of.asked // 2, of.found // 2
        return True

    def found(self, func: ir.FunctionDef) -> None:
        """A call was found."""
        self._by_function[id(func)].found += 1


class World:
    """The modules that the analyses of one project share, and the machine that runs them."""

    def __init__(self, machine: Callable[[ir.Module], Machine]) -> None:
        self._nothing = _nothing()
        # Whether the run of a module was given up: others may hold what it had until then.
        self.is_torn = False
        with AGES.shared():
            self.machine = machine(self._nothing)
        self.machine.counters.tick = -_LONG_AGO
        # What calls of its functions give and do, by what they are given.
        self.calls: dict[Any, list[Any]] = {}
        self.interned = Interned()
        self.yields = Yields()
        # The syntax of those that ran.
        self.sources = self.machine.sources.modules

    @property
    def classes(self) -> list[Class]:
        """The classes that were defined so far."""
        return self.machine.program.classes

    def holds(self, path: str) -> bool:
        """Whether a file is one of the modules."""
        return path in self.machine.loaded

    def frames(self) -> Iterator[Frame]:
        """The modules that ran."""
        return (frame for frame in self.machine.loaded.values() if frame is not None)

    def frame(self, path: str, load: Callable[[Machine], Frame | None]) -> Frame | None:
        """The names of a module, which runs first if it has not yet; None where there is none. One
        whose run fails will be run again, for whoever asks next."""
        loaded = self.machine.loaded
        if path not in loaded:
            with self.step() as shared:
                try:
                    load(shared)
                except OverBudgetError:
                    pass
                except BaseException as error:
                    loaded.pop(path, None)
                    self.is_torn |= isinstance(error, Interrupted)
                    raise
        return loaded[path]

    @contextmanager
    def step(self) -> Iterator[Machine]:
        """Runs shared code inside: by itself, with limits of its own, and before whatever asks."""
        machine, counters = self.machine, self.machine.counters
        before = METER.left, METER.enough
        METER.left, METER.enough = MOST_STEPS, MOST_STEPS // 2
        dynamic = machine.dynamic
        try:
            with AGES.shared(), counters.anew():
                yield machine
        finally:
            METER.left, METER.enough = before
            machine.dynamic = dynamic
            counters.log.clear()
            if machine.collected.facts:
                # Each file tells itself what is to be said of it.
                machine.collected = Collected(self._nothing)


_LONG_AGO = 1 << 50


def _nothing() -> ir.Module:
    """A module without any code."""
    return ir.Module(
        SourceText("", ""), (), lambda node: Span(1, 1, 1, 1), holds=lambda node: False
    )

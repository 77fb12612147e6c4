"""The work that the analysis of a file may take, in steps: a share for each thing that is run.

Expressions, statements, calls and walks over syntax count their steps, so that what is left out
depends on the code alone. A share that is used up half-way follows no more calls, and one that is
used up altogether ends. What was found until then stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import Interrupted
from jaxlint.syntax import ir

# Steps for any file, and for each character of it and of the modules that it runs.
LEAST: Final = 2_000_000
FOR_CHARACTER: Final = 100
# The part of what is left that one share gets, beside what each place gets in any case.
PART: Final = 4
FOR_PLACE: Final = 20_000
# How many steps the parts of an analysis are.
EVALUATION: Final = 4
STATEMENT: Final = 4
ACTIVATION: Final = 40
# How many names of an environment that paths join are one step.
NAMES: Final = 8
_UNLIMITED: Final = 1 << 62


class OverBudgetError(Exception):
    """A share is used up."""


class Meter:
    """Counts down the steps of a share; outside of analyses there is no end to them. Below
    `enough`, no more calls are followed. Nobody waits for the analysis any more once `stop` says
    so, where there is one."""

    __slots__ = ("enough", "left", "stop")

    def __init__(self) -> None:
        self.left = _UNLIMITED
        self.enough = 0
        self.stop: Callable[[], bool] | None = None

    def spend(self, steps: int) -> None:
        """Takes steps. Raises OverBudgetError where there are none left."""
        self.left -= steps
        if self.left < 0:
            raise OverBudgetError


# One analysis runs at a time.
METER: Final = Meter()


@contextmanager
def unmetered() -> Iterator[None]:
    """Takes no steps from the share of what happens to run, for what is done once for a module and
    takes no longer than reading it does."""
    before = (METER.left, METER.enough)
    METER.left, METER.enough = _UNLIMITED, 0
    try:
        yield
    finally:
        METER.left, METER.enough = before


@contextmanager
def interruptible(stop: Callable[[], bool] | None) -> Iterator[None]:
    """What runs inside ends with Interrupted at the next call that an analysis follows once `stop`
    says so."""
    before, METER.stop = METER.stop, stop
    try:
        yield
    finally:
        METER.stop = before


@slotted(frozen=True)
class Cut:
    """A place from which not everything was followed: it was ended altogether, or else calls were
    left out. `repeated` is the function that would run too often, "" where the steps did
    not suffice."""

    module: ir.Module
    node: ir.Node | None
    ended: bool
    repeated: str = ""


class Budget:
    """The steps that one analysis has left, and where they did not suffice."""

    def __init__(self, module: ir.Module) -> None:
        self.left = LEAST
        self.cuts: dict[int, Cut] = {}
        self._places: set[int] = set()
        self._here: tuple[ir.Module, ir.Node | None] | None = None
        self.grow(module)

    def grow(self, module: ir.Module) -> None:
        """A module is run too: its size counts."""
        steps = FOR_CHARACTER * len(module.source.text)
        self.left += steps
        if self._here is not None:
            METER.left += steps
            METER.enough += steps // 2

    def is_short(self) -> bool:
        """Whether no more calls are to be followed; notes that they are not. Raises Interrupted
        where nobody waits for them."""
        if METER.stop is not None and METER.stop():
            raise Interrupted
        METER.spend(ACTIVATION)
        if METER.left >= METER.enough:
            return False
        self._cut()
        return True

    def leaves_out(self, callee: str) -> None:
        """Notes that a call of a function is not followed, since it ran often enough."""
        self._cut(repeated=callee)

    def _cut(self, ended: bool = False, repeated: str = "") -> None:
        if self._here is not None:
            module, node = self._here
            known = self.cuts.get(id(node))
            if known is None or (ended and not known.ended):
                self.cuts[id(node)] = Cut(module, node, ended, repeated)

    @contextmanager
    def share(self, machine: Any, node: ir.Node | None = None) -> Iterator[None]:
        """Runs what stands at a place with a share of what is left; ends it quietly where that
        does not suffice."""
        known = node is not None and id(node) in self._places
        self._places.add(id(node))
        before, self._here = self._here, (machine.module, node)
        kept = _State(machine)
        try:
            with self.part(0 if known else FOR_PLACE):
                yield
        except OverBudgetError:
            kept.restore()
            self._cut(ended=True)
        finally:
            self._here = before

    @contextmanager
    def part(self, least: int = FOR_PLACE) -> Iterator[None]:
        """Runs something with a part of what is left, and so many steps in any case. Raises
        OverBudgetError where that does not suffice."""
        allowed = self.left // PART + least
        before = (METER.left, METER.enough)
        METER.left, METER.enough = allowed, allowed // 2
        try:
            yield
        finally:
            self.left = max(0, self.left - (allowed - METER.left))
            METER.left, METER.enough = before


class _State:
    """The context of a machine when something began."""

    def __init__(self, machine: Any) -> None:
        self.machine, self.dynamic = machine, machine.dynamic
        frame = machine.dynamic.running
        self.frame, self.place = frame, (frame.loop, frame.path, frame.parted, frame.env)

    def restore(self) -> None:
        """Takes it up again."""
        self.machine.dynamic = self.dynamic
        frame = self.frame
        frame.loop, frame.path, frame.parted, frame.env = self.place

"""The state of a machine: what it is handed, what it has seen, and where it is."""

from __future__ import annotations

from collections.abc import Iterator as Iterates
from collections.abc import Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain
from typing import Any, ClassVar

from jaxlint.dataflow.budget import Budget
from jaxlint.engine.domain.circumstances import CAUGHT, MUTED
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Frameworks
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Class, Heap, Mapping, Sequence, Value
from jaxlint.engine.machine.collected import Collected
from jaxlint.engine.machine.counters import Counters
from jaxlint.engine.machine.events import PerRun
from jaxlint.engine.machine.loans import Loans
from jaxlint.engine.machine.program import Program
from jaxlint.engine.machine.project import Context
from jaxlint.engine.machine.semantics import Semantics
from jaxlint.engine.summaries.cost import CostMeter
from jaxlint.engine.summaries.dynamic_context import Dynamic, DynamicContext
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.module_states import Moments
from jaxlint.engine.summaries.table import Summaries
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.facts.provenance import SourceMap
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# How far the clock is put back while an imported module runs.
IMPORTED = 1 << 40
_AS_IT_IS = nullcontext()


class State(Dynamic):
    """What a machine is handed, has seen and remembers.

    A test sees by `remembers` that what is remembered of calls changes no finding.
    """

    remembers: ClassVar[bool] = True
    # Whether calls of shared functions stand for those of other analyses.
    shares: bool = True

    def __init__(
        self,
        module: ir.Module,
        semantics: Semantics,
        frameworks: Frameworks,
        context: Context | None = None,
    ) -> None:
        self.semantics, self.frameworks = semantics, frameworks
        self.context = context or Context()
        self.budget = Budget(module)
        self.guesses = False  # Whether what is not known is taken to be traced.
        # What analyses of the same project share, None for the machine that runs it.
        self.world: Any = next(iter(self.context.worlds), None)
        self.loans = Loans()
        self.met: set[int] = set()
        # The files that this one may lead to, and the classes of shared modules among them.
        self._behind: frozenset[str] | None = None
        self._around: tuple[int, list[Class]] = (0, [])
        self.host: Trace = (
            Trace("host", None, None, staged=False)
            if self.world is None
            else self.world.machine.host
        )
        self.globals = Frame("module", None, self.host)
        self.globals.module = module
        # Modules that ran, by their files; None for those that cannot be read.
        self.loaded: dict[str, Frame | None] = {module.file: self.globals}
        around = [] if self.world is None else self.world.sources
        self.sources = SourceMap([module], self.context.root, around)
        self.moments = Moments()
        self.dynamic = DynamicContext(self.globals, Effects(0))
        self.counters, self.tally = Counters(), CostMeter()
        self.collected = Collected(module)
        self.program = Program()
        self.summaries = Summaries()
        self.arrays: dict[int, Any] = {}  # What is known of single arrays.
        self.checks = semantics.checks.plus(*self.context.checks)
        self.shares &= self.remembers and not self.context.checks
        self.check_states: dict[PerRun[Any], Any] = {}

    def dismantle(self) -> None:
        """Empties the modules and classes: what they hold refers back to them."""
        for frame in (*self.loaded.values(), *self.program.closed_over):
            if frame is not None:
                frame.dismantle()
        for cls in self.program.classes:
            cls.namespace.clear()
            cls.lineage, cls.generic, cls.made = (), None, {}
        for record in self.program.records:
            record.calls.clear()
            record.captures.clear()
            record.runs.clear()
        self.summaries, self.program = Summaries(), Program()

    @property
    def module(self) -> ir.Module:
        """The file whose code runs."""
        module = self.dynamic.holder.root.module
        assert module is not None
        return module

    def canonical(self, dotted: str) -> str:
        """The name by which the tables know something that the user's settings may name."""
        return lookup.canonical(self.context.transforms.get(dotted, dotted))

    def borrow(self, owner: Any) -> None:
        """An object is about to change for this analysis, which others may share."""
        if self.world is not None:
            self.loans.take(owner)

    def alters(self, owner: Any) -> None:
        """An object is about to change: a call that changes an older one runs each time. How old
        the objects of libraries are is not known, so that they count as older."""
        self.borrow(owner)
        effects = self.dynamic.effects
        effects.oldest = min(effects.oldest, getattr(owner, "age", 0))

    def hand_out(self, value: Value, depth: int = 0) -> None:
        """An object is seen by more than the function that made it, and so are the containers in
        it."""
        if not isinstance(value, Heap):
            return
        if value.local:
            self.borrow(value)
            value.local = False
        if depth and isinstance(value, (Mapping, Sequence)):
            for one in value.children():
                self.hand_out(one, depth - 1)

    def meets(self, frame: Frame) -> None:
        """Code of a shared module runs: its size counts as if this analysis had run it."""
        is_shared = frame.age < SHARED and self.world is not None and id(frame) not in self.met
        if is_shared and frame.module is not None:
            self.met.add(id(frame))
            self.budget.grow(frame.module)

    def give_back(self) -> None:
        """Leaves what others share as it was before this analysis."""
        self.loans.give_back()
        self.host.loses = False

    def classes(self) -> list[Class]:
        """The classes that are defined in what ran, as far as this file may lead there."""
        if self.world is None:
            return self.program.classes
        count, known = self._around
        if count != len(self.world.classes):
            known = [cls for cls in self.world.classes if self._leads_to(cls)]
            self._around = len(self.world.classes), known
        return [*self.program.classes, *known]

    def _leads_to(self, cls: Class) -> bool:
        modules, own = self.context.modules, self.globals.module
        home = None if cls.home is None else cls.home.module
        if modules is None or own is None or home is None:
            return True
        if self._behind is None:
            self._behind = modules.behind(own.file)
        return home.file in self._behind

    def uses(self) -> list[TransformUse]:
        """The applications of transforms in what ran, those of shared modules as far as this
        analysis has to do with them."""
        return [*self.program.records, *self.loans.taken(TransformUse)]

    def known_uses(self) -> list[TransformUse]:
        """The applications of transforms in what ran, and all those in shared modules."""
        shared = [] if self.world is None else self.world.machine.program.records
        return [*self.program.records, *shared]

    def frames_of_modules(self) -> Iterates[Frame]:
        """The modules that ran."""
        own = (frame for frame in self.loaded.values() if frame is not None)
        return own if self.world is None else chain(own, self.world.frames())

    def is_single(self, value: Value) -> bool:
        """Whether a module binds the value to a name, so that it is one object."""
        frames = self.frames_of_modules()
        return any(one is value for frame in frames for one in frame.env.values())

    # -- the code that runs -------------------------------------------------------------------

    @contextmanager
    def importing(self, frame: Frame) -> Iterates[None]:
        """Runs a module's body inside, apart from the code that imports it."""
        before, counters = self.dynamic, self.counters
        demanded = counters.demanded
        self.dynamic = DynamicContext(frame, Effects(0), idle=True, journal=before.journal)
        # A module's body runs when something in it is first needed, but counts as run before.
        counters.tick -= IMPORTED
        try:
            yield
        finally:
            counters.tick += IMPORTED
            self.dynamic, counters.demanded = before, demanded

    @property
    def expects_errors(self) -> bool:
        """Whether what tracers raise here is expected, or caught."""
        around = self.asks(MUTED | CAUGHT)
        return around.muted > 0 or any("TypeError" in caught for caught in around.caught)

    def one_of(self, found: Sized) -> AbstractContextManager[object]:
        """Inside, what is done with each of several alternatives happens with one of them."""
        return self.doubting(len(found) > 1)

    def doubting(self, when: bool = True) -> AbstractContextManager[object]:
        """Inside, what happens may not."""
        return self.within(unsure=self.dynamic.unsure + 1) if when else _AS_IT_IS

    def quiet(self, when: bool = True) -> AbstractContextManager[object]:
        """Emits nothing inside: the code is expected to raise, or what it raises is caught."""
        return self.within(muted=self.dynamic.muted + 1) if when else _AS_IT_IS

"""What the runs of a program have shown of it: its transformed functions, classes and calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Function, Static
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

# When a global name is bound, where, and in which function.
GlobalWrite = tuple[int, ir.Node, ir.FunctionDef | None]
# What `uncounted` puts back beside the transforms and the callers.
_COUNTED = ("called", "called_inside", "called_outside", "looped", "repeated")
# Functions that run with unknown arguments because nothing calls them, each made by the one before.
Makers = tuple[ir.FunctionDef, ...]


class Program:
    """Observations about all modules that run. Functions are named by the ids of their nodes."""

    __slots__ = (
        "analysed",
        "called",
        "called_inside",
        "called_outside",
        "callers",
        "classes",
        "cleared",
        "closed_over",
        "compact",
        "global_writes",
        "looped",
        "makers",
        "others",
        "pending",
        "presuming",
        "questions",
        "records",
        "repeated",
        "traced",
    )

    def __init__(self) -> None:
        self.records: list[TransformUse] = []
        self.classes: list[Class] = []
        # The frames whose names functions read that outlive them.
        self.closed_over: list[Frame] = []
        self.global_writes: dict[tuple[Frame, str], list[GlobalWrite]] = {}
        # When caches of compiled functions were cleared.
        self.cleared: list[int] = []
        # Functions that are to run with unknown arguments unless something else runs them, and
        # those whose such runs made them.
        self.pending: deque[tuple[Function, Makers]] = deque()
        self.makers: Makers = ()
        # The transforms and functions of host code that came in traced code to unknown objects of
        # which something may be presumed.
        self.presuming: list[TransformUse | Function] = []
        # Functions that ran, by their nodes and frames, and those that ran in a trace.
        self.analysed: set[tuple[int, int]] = set()
        self.traced: set[int] = set()
        # Functions that host code calls, those that it calls in loops or more than once, and by
        # whom they are called.
        self.called, self.looped, self.repeated = set[int](), set[int](), set[int]()
        self.callers: dict[int, set[int]] = {}
        # Those of them that functions call, and those that the module itself calls.
        self.called_inside, self.called_outside = set[int](), set[int]()
        # Functions that are compact methods of linen, and parameters that a call gives no array.
        self.compact, self.others = set[int](), set[int]()
        # What tests ask of tracers, or their answers, by the nodes of the tests.
        self.questions: dict[int, Static] = {}

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """The transforms and the calls of functions inside are not among those that happen."""
        records = len(self.records)
        before = {name: getattr(self, name).copy() for name in _COUNTED}
        callers = {called: others.copy() for called, others in self.callers.items()}
        try:
            yield
        finally:
            del self.records[records:]
            self.callers = callers
            for name, held in before.items():
                setattr(self, name, held)

    def own_uses(self, module: Frame) -> Iterator[TransformUse]:
        """The uses of transforms in host code of a module that are not expected to raise."""
        for record in self.records:
            is_own = not record.imported and record.frame.root is module
            if is_own and record.trace.is_host and not record.expected:
                yield record

    def host_called(
        self, func: ir.FunctionDef, caller: ir.FunctionDef | None, loop: bool, inside: bool
    ) -> None:
        """Host code calls a function, perhaps in a loop, and perhaps inside a function."""
        identity = id(func)
        if loop or identity in self.called:
            self.repeated.add(identity)
        if loop:
            self.looped.add(identity)
        if caller is not None:
            self.callers.setdefault(identity, set()).add(id(caller))
        self.called.add(identity)
        (self.called_inside if inside else self.called_outside).add(identity)

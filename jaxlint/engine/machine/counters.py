"""Counters of a run: its clock, questions for the values of tracers, and runs of functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.summaries.charges import Charge
from jaxlint.syntax import ir


class Counters:
    """`tick` is the clock, by which events are ordered.

    `demands` counts where a tracer was asked for its value, `demanded` is the frame that did so
    last, and `doubts` counts questions that tracers may be asked. `donations` counts the calls by
    which host code gives buffers away.
    """

    __slots__ = (
        "activations",
        "charge",
        "charged",
        "demanded",
        "demands",
        "donations",
        "doubts",
        "log",
        "reentered",
        "runs",
        "tick",
    )

    def __init__(self) -> None:
        self.tick = self.demands = self.doubts = self.activations = self.donations = 0
        self.demanded: Frame | None = None
        # The functions that ran, in their order.
        self.log: list[int] = []
        self._restart()

    def _restart(self) -> None:
        # Different runs of functions and loops, and those within an outermost run of theirs.
        self.runs: dict[int, int] = {}
        self.reentered: dict[int, int] = {}
        # What the running function is charged with, and all that was charged so far.
        self.charge = Charge(0, 0)
        self.charged: set[Charge] = set()

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Counts the runs of functions inside by themselves: what is cut off there depends on
        nothing else that is analysed."""
        before = self.runs, self.reentered, self.charge, self.charged
        self._restart()
        try:
            yield
        finally:
            self.runs, self.reentered, self.charge, self.charged = before

    def begins(self, func: ir.FunctionDef, within: bool, most: int) -> Charge:
        """A function begins to run, at most so often, and perhaps within a run of its own; what was
        charged before."""
        identity, around = id(func), self.charge
        self.activations += 1
        self.log.append(identity)
        self.reentered[identity] = self.reentered[identity] + 1 if within else 0
        self.charge = self._charged(identity, most)
        return around

    def enters(self, loop: ir.Stmt, most: int) -> bool:
        """A loop begins, which is the case at most so often; whether it is."""
        if self.runs.get(id(loop), 0) >= most:
            return False
        self._charged(id(loop), most)
        return True

    def _charged(self, identity: int, most: int) -> Charge:
        self.runs[identity] = self.runs.get(identity, 0) + 1
        made = Charge(identity, most)
        self.charged.add(made)
        self.charge.inner.append(made)
        return made

    def admits(self, charge: Charge, depth: int) -> bool:
        """Whether a call that is remembered may stand for one here: run here, and followed so deep,
        none of its functions and loops would have run too often."""
        runs, new = self.runs, dict[int, int]()
        for one in charge.reached(self.charged, depth):
            new[one.node] = new.get(one.node, runs.get(one.node, 0)) + 1
            if new[one.node] > one.most:
                return False
        return True

    def again(self, charge: Charge, depth: int) -> None:
        """A call that is remembered stands for one here: its runs count once, as they would had
        they taken place here and been followed so deep."""
        self.charge.inner.append(charge)
        found = [*charge.reached(self.charged, depth)]
        self.charged.update(found)
        for one in found:
            self.runs[one.node] = self.runs.get(one.node, 0) + 1

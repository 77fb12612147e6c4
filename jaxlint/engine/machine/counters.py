"""Counters of a run: its clock, questions for the values of tracers, and runs of functions."""

from __future__ import annotations

from collections.abc import Mapping

from jaxlint.engine.domain.environment import Frame
from jaxlint.syntax import ir


class Counters:
    """`tick` is the clock, by which events are ordered.

    `demands` counts where a tracer was asked for its value, `demanded` is the frame that did so
    last, and `doubts` counts questions that tracers may be asked. `donations` counts the calls by
    which host code gives buffers away.
    """

    __slots__ = (
        "activations",
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
        # Runs of functions and loops, and runs of functions within an outermost run of theirs.
        self.runs: dict[int, int] = {}
        self.reentered: dict[int, int] = {}
        # The functions that ran, in their order.
        self.log: list[int] = []

    def ran(self, func: ir.FunctionDef, within: bool) -> None:
        """A function runs, perhaps within a run of its own."""
        identity = id(func)
        self.activations += 1
        self.log.append(identity)
        self.runs[identity] = self.runs.get(identity, 0) + 1
        self.reentered[identity] = self.reentered[identity] + 1 if within else 0

    def again(self, runs: Mapping[int, int]) -> None:
        """Functions ran so often elsewhere in a call that stands for one of this run."""
        for identity, times in runs.items():
            self.runs[identity] = self.runs.get(identity, 0) + times
            self.log.extend([identity] * times)

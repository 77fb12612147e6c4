"""Counts how often the flagged expressions are evaluated, and may replace their values."""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Callable
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import holds_tracer

_MOST_EVALUATIONS = 20_000


class TooManyError(BaseException):
    """Ends a staging that evaluates flagged code without end; user code lets it pass."""


Reached = Callable[[int, "types.FrameType | None"], None]
Replaced = Callable[[int, int, Any], Any]


class Watch:
    """A listener of probes. All counts are by target and for staged evaluations, but `eager`.

    `reached` counts evaluations that began, `delivered` those that yielded a value, `traced`
    those whose value holds a tracer. `on_reach` is told the user frame that evaluates, and
    `on_value` (target, how many values came before, value) answers what the program goes on with.
    """

    def __init__(
        self,
        files: UserFiles,
        *,
        on_reach: Reached | None = None,
        on_value: Replaced | None = None,
    ) -> None:
        self._files = files
        self._on_reach = on_reach
        self._on_value = on_value
        self.reached: Counter[int] = Counter()
        self.delivered: Counter[int] = Counter()
        self.traced: Counter[int] = Counter()
        self.eager: Counter[int] = Counter()

    def reach(self, target: int) -> None:
        if not internals.staged():
            self.eager[target] += 1
            return
        self.reached[target] += 1
        if self.reached[target] > _MOST_EVALUATIONS:
            raise TooManyError
        if self._on_reach is not None:
            self._on_reach(target, user_frame(self._files))

    def value(self, target: int, value: Any) -> Any:
        if not internals.staged():
            return value
        before = self.delivered[target]
        self.delivered[target] += 1
        if holds_tracer(value):
            self.traced[target] += 1
        if self._on_value is None:
            return value
        return self._on_value(target, before, value)


def user_frame(files: UserFiles) -> types.FrameType | None:
    """The innermost user frame of the running stack."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename not in files:
        frame = frame.f_back
    return frame

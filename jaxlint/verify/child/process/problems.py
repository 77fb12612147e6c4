"""Why targets of a job could not be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxlint.verify.protocol import Target

MOST_REASONS = 3


@dataclass(frozen=True)
class Problem:
    """Why something could not be judged; with `lines`, only what stands there."""

    text: str
    lines: range | None = None


def reasons(problems: Sequence[Problem], target: Target, unplaced: str | None) -> str:
    """The problems that concern a target, and why no probe could be placed at it."""
    texts = [
        problem.text
        for problem in problems
        if problem.lines is None or target.line in problem.lines
    ]
    if unplaced is not None:
        texts.append(unplaced)
    return "; ".join(list(dict.fromkeys(texts))[:MOST_REASONS])

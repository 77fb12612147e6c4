"""Which trials of invented arguments are of use: those that come nearer to an open target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jaxlint.verify.child.arguments.signatures import Call
from jaxlint.verify.child.arguments.subjects import Subject
from jaxlint.verify.child.observing.coverage import Function, Line
from jaxlint.verify.child.observing.outline import Module, Outline
from jaxlint.verify.protocol import Target


@dataclass
class Trial:
    """One staging of a call."""

    call: Call
    choice: list[int]
    lines: frozenset[Line]
    functions: frozenset[Function]
    error: BaseException | None = None
    makes_functions: bool = False

    @property
    def score(self) -> tuple[int, bool]:
        return len(self.lines), self.error is None


class Wanted:
    """The targets that still need a call; for no targets, anything is wanted."""

    def __init__(
        self,
        file: str,
        outline: Module,
        targets: Sequence[Target] | None,
        is_open: Callable[[Target], bool],
    ) -> None:
        self._file = file
        self._outline = outline
        self._targets = targets
        self._is_open = is_open
        self._known: dict[frozenset[int], list[Outline]] = {}
        self.has_targets = targets is not None
        self.lines = None if targets is None else {target.line for target in targets}
        self.outlines = outline.outlines if self.lines is None else outline.reaching(self.lines)

    def anything(self, subject: Subject) -> bool:
        """Whether a call of the subject may reach an open target."""
        if self._targets is None:
            return True
        lines = frozenset(target.line for target in self._targets if self._is_open(target))
        if lines not in self._known:
            self._known[lines] = self._outline.reaching(lines)
        return bool(lines) and (subject.outline is None or subject.outline in self._known[lines])

    def touched(self, trial: Trial, subject: Subject) -> bool:
        """Whether a trial ran an open target, or ended in a function that holds one."""
        if self._targets is None or not trial.lines:
            return bool(trial.lines)
        outline = subject.outline
        for target in filter(self._is_open, self._targets):
            span = range(target.line, target.end_line + 1)
            if any((self._file, line) in trial.lines for line in span):
                return True
            if trial.error is not None and (
                outline is None or outline.start <= target.line <= outline.end
            ):
                return True
        return False

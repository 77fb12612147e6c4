"""What an output format is: words about each file as it is checked, and words at the end."""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import slotted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jaxlint.base.finding import Finding
    from jaxlint.base.own_codes import Meta
    from jaxlint.base.surveys.call_graph import Survey
    from jaxlint.base.text import SourceText
    from jaxlint.project.file_systems.files import Problem
    from jaxlint.results.report import Report
    from jaxlint.rule import Rule


def _no_source(path: str) -> SourceText | None:
    return None


@slotted(frozen=True)
class RunContext:
    """What a format may ask about the run.

    `find` gives what stands behind a code, `source` what a file holds, if it can be read. Paths
    that are not absolute start from `directory`. `unsafe_fixes` tells that those are carried out
    too.
    """

    find: Callable[[str], Rule | Meta]
    source: Callable[[str], SourceText | None] = _no_source
    directory: str = field(default_factory=os.getcwd)
    colour: bool = False
    unsafe_fixes: bool = False


@slotted(frozen=True)
class RunResult:
    """A run at its end: its exit code, what it found, and the paths it could not check."""

    code: int
    findings: Sequence[Finding] = ()
    problems: Sequence[Problem] = ()
    survey: Survey | None = None


class Formatter:
    """An output format. `is_for_people` tells that a summary may follow, `holds_survey` that the
    format has a place for where jaxlint is silent."""

    is_for_people = False
    holds_survey = False

    def __init__(self, scene: RunContext) -> None:
        self.scene = scene

    def add(self, report: Report) -> str:
        """What is printed about a file, at once."""
        return ""

    def end(self, outcome: RunResult) -> str:
        """What is printed at the end."""
        return ""

"""Carries out the fixes of findings on the text of one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.edit import Edit, applied
from jaxlint.base.finding import Applicability, Finding, Fix
from jaxlint.results.report import is_python

_LINE_END = re.compile(r"\r\n|\r|\n")
Wanted = Callable[[Finding], bool]


@slotted(frozen=True)
class FixedText:
    """Text after fixes, and the findings that they were for."""

    text: str
    findings: tuple[Finding, ...] = ()


def is_safe(finding: Finding) -> bool:
    """Whether a finding has a fix after which code works as before."""
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


def is_fixable(finding: Finding) -> bool:
    """Whether a finding has a fix of any kind."""
    return finding.fix is not None


def fixed_text(text: str, findings: Iterable[Finding], wanted: Wanted = is_safe) -> FixedText:
    """A text after the fixes of those findings in it that are wanted. Of two fixes that change
    the same place the second one waits for another round; one that leaves a text that Python does
    not take is left out."""
    chosen: list[Finding] = []
    edits: set[Edit] = set()
    for finding in sorted(findings, key=Finding.sort_key):
        fix = finding.fix
        if fix is None or not wanted(finding) or _meets(fix, edits):
            continue
        chosen.append(finding)
        edits.update(fix.edits)
    if not chosen:
        return FixedText(text)
    result = _applied(text, edits)
    if is_python(result) or not is_python(text):
        return FixedText(result, tuple(chosen))
    return _one_by_one(text, chosen)


def _applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits, whose lines end as its first one does."""
    end = _LINE_END.search(text)
    if end is None or end[0] == "\n":
        return applied(text, edits)
    ended = (replace(one, replacement=one.replacement.replace("\n", end[0])) for one in edits)
    return applied(text, ended)


def _meets(fix: Fix, edits: Collection[Edit]) -> bool:
    """Whether a fix changes a place that others change; the same change is one."""
    return any(_touch(one, other) for one in fix.edits for other in edits if one != other)


def _touch(one: Edit, other: Edit) -> bool:
    first, second = one.span, other.span
    begins = (first.line, first.column), (second.line, second.column)
    ends = (first.end_line, first.end_column), (second.end_line, second.end_column)
    return begins[0] <= ends[1] and begins[1] <= ends[0]


def _one_by_one(text: str, findings: Collection[Finding]) -> FixedText:
    """The fixes that together leave a text that Python takes, each tried after the others."""
    edits: set[Edit] = set()
    done = []
    for finding in findings:
        assert finding.fix is not None
        more = edits | set(finding.fix.edits)
        if is_python(_applied(text, more)):
            edits = more
            done.append(finding)
    return FixedText(_applied(text, edits), tuple(done))

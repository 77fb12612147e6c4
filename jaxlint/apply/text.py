"""Carries out the repairs of findings on the text of one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.edit import Edit, applied
from jaxlint.base.finding import Finding, Fix, Repair
from jaxlint.results.report import is_python

_LINE_END = re.compile(r"\r\n|\r|\n")
Wanted = Callable[[Finding], bool]


@slotted(frozen=True)
class Mended:
    """Text after repairs, and the findings that they were for."""

    text: str
    findings: tuple[Finding, ...] = ()


def is_safe(finding: Finding) -> bool:
    """Whether a finding has a repair after which code works as before."""
    return finding.repair is not None and finding.repair.safety is Fix.SAFE


def is_mendable(finding: Finding) -> bool:
    """Whether a finding has a repair of any kind."""
    return finding.repair is not None


def mended(text: str, findings: Iterable[Finding], wanted: Wanted = is_safe) -> Mended:
    """A text after the repairs of those findings in it that are wanted. Of two repairs that change
    the same place the second one waits for another round; one that leaves a text that Python does
    not take is left out."""
    chosen: list[Finding] = []
    edits: set[Edit] = set()
    for finding in sorted(findings, key=Finding.sort_key):
        repair = finding.repair
        if repair is None or not wanted(finding) or _meets(repair, edits):
            continue
        chosen.append(finding)
        edits.update(repair.edits)
    if not chosen:
        return Mended(text)
    result = _applied(text, edits)
    if is_python(result) or not is_python(text):
        return Mended(result, tuple(chosen))
    return _one_by_one(text, chosen)


def _applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits, whose lines end as its first one does."""
    end = _LINE_END.search(text)
    if end is None or end[0] == "\n":
        return applied(text, edits)
    ended = (replace(one, replacement=one.replacement.replace("\n", end[0])) for one in edits)
    return applied(text, ended)


def _meets(repair: Repair, edits: Collection[Edit]) -> bool:
    """Whether a repair changes a place that others change; the same change is one."""
    return any(_touch(one, other) for one in repair.edits for other in edits if one != other)


def _touch(one: Edit, other: Edit) -> bool:
    first, second = one.span, other.span
    begins = (first.line, first.column), (second.line, second.column)
    ends = (first.end_line, first.end_column), (second.end_line, second.end_column)
    return begins[0] <= ends[1] and begins[1] <= ends[0]


def _one_by_one(text: str, findings: Collection[Finding]) -> Mended:
    """The repairs that together leave a text that Python takes, each tried after the others."""
    edits: set[Edit] = set()
    done = []
    for finding in findings:
        assert finding.repair is not None
        more = edits | set(finding.repair.edits)
        if is_python(_applied(text, more)):
            edits = more
            done.append(finding)
    return Mended(_applied(text, edits), tuple(done))

"""What is left of findings by the comments of their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.results.merge import Ran

if TYPE_CHECKING:
    from jaxlint.registry.registry import Registry


def unsuppressed(
    findings: tuple[Finding, ...],
    source: SourceText,
    registry: Registry,
    *,
    noqa: bool,
    malformed: bool,
    ran: Ran | None,
) -> tuple[Finding, ...]:
    """The findings that no comment asks to be silent about, and those about comments: if they are
    `malformed`, and, where it is said what rules `ran`, if they silence nothing. Without `noqa`,
    comments for single lines do not count."""
    from jaxlint.syntax.comments import suppressions

    comments = suppressions(source)
    if malformed or ran is not None:
        from jaxlint.suppression import complaints

        about: list[Finding] = []
        if malformed:
            about += complaints.malformed(source.path, comments, registry)
        if ran is not None:
            about += complaints.unused(source, comments, registry, ran)
        findings = tuple(sorted((*findings, *about), key=Finding.sort_key))
    return tuple(
        finding
        for finding in findings
        if not comments.covers(finding.line, finding.code, finding.name, noqa)
    )

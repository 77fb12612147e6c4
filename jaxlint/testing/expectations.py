"""The static half of the proof: an example's markers against what the linter reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from jaxlint.base.finding import Finding, Severity
from jaxlint.testing.pages import Example


def disagreements(
    example: Example, findings: Iterable[Finding], known_rules: Collection[str]
) -> list[str]:
    """Where markers and findings differ, in words; empty when the linter keeps its promise.

    The page's rule, and every rule that a marker names, must report exactly the marked lines.
    Other rules may add to a marked line as they like; elsewhere they must not report an error.
    """
    marked = {(marker.rule, marker.line) for marker in example.markers if marker.is_reported}
    judged = {example.rule, *(marker.rule for marker in example.markers)}
    marked_lines = {marker.line for marker in example.markers}
    found: dict[tuple[str, int], Finding] = {}
    for finding in findings:
        stray = finding.severity is Severity.ERROR and finding.line not in marked_lines
        if finding.name in judged or stray:
            known = found.setdefault((finding.name, finding.line), finding)
            if known.minor and not finding.minor:
                found[finding.name, finding.line] = finding

    wrong = [(line, f"{rule} is not reported, but marked") for rule, line in marked - found.keys()]
    for rule, line in found.keys() - marked:
        if any(marker.line == line and marker.rule == rule for marker in example.markers):
            wrong.append((line, f"{rule} is reported, but marked as missed"))
        else:
            wrong.append((line, f"{rule} is reported: {found[rule, line].message}"))
    for marker in example.markers:
        one = found.get((marker.rule, marker.line))
        if one is not None and marker.kind in ("error", "minor") and marker.rule == example.rule:
            said = "minor" if one.minor else "error"
            if said != marker.kind:
                wrong.append((marker.line, f"{marker.rule} is marked {marker.kind}, and is {said}"))
    for rule in judged - set(known_rules):
        wrong.append((example.line, f"there is no rule {rule}"))
    return [f"{example.path}:{line}: {text}" for line, text in sorted(wrong)]

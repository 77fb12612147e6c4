"""Holds findings against what happened on their lines while a project's tests ran."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from observations import AGAIN, FRESH, Entry, Observations, Place, Seen, Statements

from jaxlint.base.witness import Effects, Freezes, Raises, Warns
from jaxlint.registry.registry import Registry
from jaxlint.session.session import load_registry

CONFIRMED, REFUTED, ELSEWHERE, UNSEEN, NOT_RUN = (
    "confirmed",
    "refuted",
    "another entry point",
    "no observable witness",
    "not run as the finding says",
)
_KEYS = ("JAX801", "JAX802")
OUTCOMES = (CONFIRMED, REFUTED, ELSEWHERE, UNSEEN, NOT_RUN)


@dataclass(frozen=True)
class Judged:
    """A finding, and what the run of its line shows of it."""

    file: str
    line: int
    code: str
    severity: str
    message: str
    outcome: str
    why: str = ""


def judged(
    seen: Observations, findings: list[dict[str, Any]], statements: Statements
) -> list[Judged]:
    """All findings of a checkout with what was observed of them."""
    judge = _Judge(seen, statements, load_registry())
    found = []
    for one in findings:
        outcome, why = judge.outcome(one)
        place = (one["file"], one["line"], one["code"], one["severity"])
        found.append(Judged(*place, one["message"], outcome, why))
    return found


class _Judge:
    """Holds findings against one project's observations."""

    def __init__(self, seen: Observations, statements: Statements, registry: Registry) -> None:
        self._seen = seen
        self._statements = statements
        self._witnesses = {rule.code: rule.witness for rule in registry.rules}
        names = {(one.file, one.line): one.name for one in seen.functions}
        self._trail = _Trail(statements, names)

    def outcome(self, finding: dict[str, Any]) -> tuple[str, str]:
        """What was observed of a finding, and what shows it."""
        place = finding["file"], self._statements.start(finding["file"], finding["line"])
        witness = self._witnesses.get(finding["code"])
        if finding["code"] in _KEYS:
            return self._reused(place)
        match witness:
            case Raises():
                return self._raised(finding, place, witness)
            case Warns():
                return self._warned(finding, place, witness)
            case Effects() | Freezes():
                return self._staged(finding, place)
        return UNSEEN, ""

    def _raised(self, finding: dict[str, Any], place: Place, witness: Raises) -> tuple[str, str]:
        seen = self._seen.statements.get(place)
        errors = {*self._seen.raised.get(place, ())}
        if not finding["trail"]:
            errors |= {*self._seen.failed.get(place, ())}
        if errors & {*witness.errors}:
            return CONFIRMED, ", ".join(sorted(errors))
        if place not in self._seen.ran:
            return NOT_RUN, ""
        if witness.anywhere or not self._is_certain(finding):
            return UNSEEN, ""
        if not finding["trail"]:
            return REFUTED, "ran"
        if seen is None:
            return NOT_RUN, "ran outside traces"
        if not self._trail.leads_to(finding, seen):
            return ELSEWHERE, ""
        return REFUTED, f"ran {seen.traced} times under a trace"

    def _warned(self, finding: dict[str, Any], place: Place, witness: Warns) -> tuple[str, str]:
        warned = self._seen.warned.get(place, {})
        if {*warned} & {*witness.categories}:
            return CONFIRMED, ", ".join(sorted(warned))
        if place not in self._seen.ran:
            return NOT_RUN, ""
        return (REFUTED, "ran") if self._is_certain(finding) else (UNSEEN, "")

    def _staged(self, finding: dict[str, Any], place: Place) -> tuple[str, str]:
        seen = self._seen.statements.get(place)
        if seen is None:
            return NOT_RUN, ""
        if seen.staged:
            return CONFIRMED, "ran while JAX traced"
        if not self._trail.leads_to(finding, seen):
            return ELSEWHERE, ""
        return NOT_RUN, "ran under transforms that record nothing"

    def _reused(self, place: Place) -> tuple[str, str]:
        known = self._seen.keys.get(place, {})
        if AGAIN in known:
            return CONFIRMED, "a key was consumed again"
        if place not in self._seen.ran:
            return NOT_RUN, ""
        if {*known} == {FRESH}:
            return REFUTED, "no key was consumed before"
        return UNSEEN, ""

    def _is_certain(self, finding: dict[str, Any]) -> bool:
        return self._statements.is_certain(finding["file"], finding["line"], finding["column"])


@dataclass(frozen=True)
class _Trail:
    """Compares the entry points of findings with those that were observed."""

    statements: Statements
    names: dict[Place, str]

    def leads_to(self, finding: dict[str, Any], seen: Seen) -> bool:
        """Whether a statement ran under an entry point that the finding names. A finding that
        names none is about any."""
        places = finding.get("trail") or []
        if not places:
            return True
        words = {word for place in places for word in self._words(place)}
        return any(
            self.names.get((entry.file, entry.line), "").rpartition(".")[2] in words
            or any(self._covers(entry, place) for place in places)
            for entry in seen.entries
        )

    def _words(self, place: dict[str, Any]) -> Iterator[str]:
        """The names that the source of a place mentions."""
        tree = self.statements.tree(place["file"])
        for node in ast.walk(tree) if tree is not None else ():
            line = getattr(node, "lineno", None)
            if line is None or not place["line"] <= line <= place["end_line"]:
                continue
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name

    def _covers(self, entry: Entry, place: dict[str, Any]) -> bool:
        """Whether a place is the head of the function that tracing starts at."""
        start = self.statements.start(place["file"], place["line"])
        ours = self.statements.start(entry.file, entry.line)
        return (place["file"], start) == (entry.file, ours)


def table(project: str, found: list[Judged]) -> list[str]:
    """How many findings of each severity were confirmed, refuted or not seen."""
    lines = []
    for severity in ("error", "warning", "perf", "info"):
        counts = Counter(one.outcome for one in found if one.severity == severity)
        if counts:
            cells = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
            lines.append(f"| {project} | {severity} | {sum(counts.values())} | {cells} |")
    return lines


def head() -> list[str]:
    """The head of the table."""
    columns = ("project", "severity", "findings", *OUTCOMES)
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def refuted(found: list[Judged]) -> list[str]:
    """The findings that the run of their line refutes."""
    return [
        f"  {one.file}:{one.line}: {one.code} {one.severity}: {one.message} ({one.why})"
        for one in found
        if one.outcome == REFUTED
    ]

"""Holds findings against what happened on their lines while a project's tests ran."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from observations import Entry, Observations, Seen, Statements

from jaxlint.base.witness import Effects, Freezes, Raises, Witness
from jaxlint.registry import Registry
from jaxlint.session import load_registry

CONFIRMED, REFUTED, ELSEWHERE, UNSEEN, NOT_RUN = (
    "confirmed",
    "refuted",
    "another entry point",
    "no observable witness",
    "not run under a trace",
)
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
    seen: Observations, findings: list[dict[str, Any]], root: Path, statements: Statements
) -> list[Judged]:
    """All findings of a checkout with what was observed of them."""
    registry = load_registry()
    names = {(one.file, one.line): one.name for one in seen.functions}
    found = []
    for one in findings:
        file = os.path.relpath(os.path.realpath(one["filename"]), root)
        line = statements.start(file, one["line"])
        outcome, why = _outcome(one, seen, (file, line), registry, _Trail(root, statements, names))
        place = (file, one["line"], one["code"], one["severity"])
        found.append(Judged(*place, one["message"], outcome, why))
    return found


def _witness(registry: Registry, code: str) -> Witness | None:
    rule = next((rule for rule in registry.rules if rule.code == code), None)
    return getattr(rule, "witness", None)


def _outcome(
    finding: dict[str, Any],
    seen: Observations,
    place: tuple[str, int],
    registry: Registry,
    trail: _Trail,
) -> tuple[str, str]:
    witness = _witness(registry, finding["code"])
    statement = seen.statements.get(place)
    if not isinstance(witness, (Raises, Effects, Freezes)):
        return UNSEEN, ""
    if statement is None:
        return NOT_RUN, ""
    raised = seen.raised.get(place, {})
    if isinstance(witness, Raises):
        if any(name in witness.errors for name in raised):
            return CONFIRMED, ", ".join(sorted(raised))
        if witness.anywhere:
            return UNSEEN, ""
    elif statement.staged:
        return CONFIRMED, "ran while JAX traced"
    if not trail.leads_to(finding, statement):
        return ELSEWHERE, ""
    if isinstance(witness, Raises):
        return REFUTED, f"ran {statement.traced} times under a trace"
    return NOT_RUN, "ran under transforms that record nothing"


@dataclass(frozen=True)
class _Trail:
    """Compares the entry points of findings with those that were observed."""

    root: Path
    statements: Statements
    names: dict[tuple[str, int], str]

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
        file = os.path.relpath(os.path.realpath(place["filename"]), self.root)
        tree = self.statements.tree(file)
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
        file = os.path.relpath(os.path.realpath(place["filename"]), self.root)
        start = self.statements.start(file, place["line"])
        return file == entry.file and start == self.statements.start(file, entry.line)


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

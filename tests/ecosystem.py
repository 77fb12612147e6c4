"""Holds the findings in public repositories against the ledger of judged ones.

Usage: python tests/ecosystem.py NAME=PATH [NAME=PATH ...]

NAME is a ledger in fixtures/ecosystem, PATH a checkout (or installed package) of that
repository. Prints the findings at error severity that nobody has judged, and those judged
wrong; the exit code is 1 if there is any.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from jaxlint import Finding, Severity, lint

LEDGERS = Path(__file__).parents[1] / "fixtures" / "ecosystem"


@dataclass(frozen=True)
class Row:
    """One judged finding: right, or wrong with the reason why it was not a hazard."""

    file: str
    line: int
    code: str
    verdict: str
    reason: str


@dataclass(frozen=True)
class Ledger:
    """The judged findings of one repository at one commit or release."""

    repository: str
    commit: str
    root: str
    rows: tuple[Row, ...]


def read(name: str) -> Ledger:
    """The ledger of a repository.

    Raises:
        FileNotFoundError: there is no ledger of that name.
    """
    data = tomllib.loads((LEDGERS / f"{name}.toml").read_text(encoding="utf-8"))
    rows = tuple(Row(**row) for row in data.get("finding", []))
    return Ledger(data["repository"], data["commit"], data.get("root", "."), rows)


def findings_in(root: Path) -> list[Finding]:
    """Every finding at error severity under a directory."""
    found: list[Finding] = []
    for path in sorted(root.rglob("*.py")):
        found.extend(f for f in lint(path) if f.severity is Severity.ERROR)
    return found


def compare(name: str, root: Path) -> tuple[list[str], Counter[str]]:
    """Lines about what is wrong or not judged, and the count of verdicts."""
    judged = {(r.file, r.line, r.code): r for r in read(name).rows}
    lines: list[str] = []
    counts: Counter[str] = Counter()
    for finding in findings_in(root):
        file = Path(finding.filename).relative_to(root).as_posix()
        row = judged.get((file, finding.line, finding.code))
        verdict = row.verdict if row is not None else "unjudged"
        counts[verdict] += 1
        if verdict != "right":
            lines.append(f"{verdict}: {file}:{finding.line}: {finding.code} {finding.message}")
    return lines, counts


def main(arguments: list[str]) -> int:
    """Compares each NAME=PATH; 1 if a finding is wrong or not judged."""
    failed = False
    for argument in arguments:
        name, _, path = argument.partition("=")
        lines, counts = compare(name, Path(path))
        print(f"{name}: {dict(sorted(counts.items())) or 'no findings at error severity'}")
        for line in lines:
            print(f"  {line}")
        failed |= bool(lines)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

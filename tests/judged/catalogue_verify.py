"""Puts the design catalogue's examples to real JAX, where the catalogue lies beside the repository.

`python tests/judged/catalogue_verify.py [PATH] [--only JAX301] [--python PYTHON]` writes each
example of a rule that is implemented and verifiable as a script, runs it under `jaxlint record`,
verifies its findings with what was recorded, and prints a table: how many hazards each rule has,
how many were confirmed, and how many look-alikes were confirmed, which must be none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from catalogue_score import CATALOGUE, PRELUDE, Example, percent, read_examples  # noqa: E402

from jaxlint.testing.rulebook import builtin_rules  # noqa: E402

HEADING = re.compile(r"^#### (?P<code>JAX\d{3}) .*\n+.*verifiable: (?P<how>\w+)", re.MULTILINE)
JAXLINT = [sys.executable, "-m", "jaxlint"]
PROVED = {"confirmed", "confirmed-next"}
STRENGTH = (
    "confirmed", "confirmed-next", "confirmed-if", "refuted-for", "eager-only", "not-reached",
    "inconclusive", "no finding",
)  # fmt: skip


@dataclass(slots=True)
class Row:
    """What came of one rule's examples."""

    hazards: Counter[str] = field(default_factory=Counter)
    look_alikes: Counter[str] = field(default_factory=Counter)


def verifiable(path: Path) -> dict[str, str]:
    """How far each rule's findings can be verified, by code: "yes", "partly" or "no"."""
    return {match["code"]: match["how"] for match in HEADING.finditer(path.read_text("utf-8"))}


def script(example: Example) -> str:
    """A file name that says which example it holds."""
    return example.name.replace(".", "_").lower() + ".py"


def run(arguments: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    return subprocess.run(
        [*JAXLINT, *arguments],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def verified(example: Example, directory: Path, python: list[str]) -> list[dict[str, Any]]:
    """The verified findings of one example, after its script ran under record mode."""
    name = script(example)
    (directory / name).write_text(PRELUDE + example.text, encoding="utf-8")
    run(["record", *python, "--lint", name, name], directory)
    checked = run(["check", "--verify", *python, "--output-format", "json", name], directory)
    if checked.returncode not in (0, 1):
        raise SystemExit(f"{example.name}: jaxlint check failed: {checked.stderr}")
    found: list[dict[str, Any]] = json.loads(checked.stdout)
    return found


def strongest(example: Example, findings: list[dict[str, Any]]) -> str:
    """The best verdict on the example's own rule."""
    statuses = {
        (finding.get("verdict") or {}).get("status", "not-reached")
        for finding in findings
        if finding["code"] == example.code
    }
    return next((status for status in STRENGTH if status in statuses), "no finding")


def main() -> int:
    """Prints the table. The exit code is 1 if a look-alike was confirmed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=CATALOGUE)
    parser.add_argument("--only", default="", help="codes that start with this")
    parser.add_argument("--python", default="", help="the interpreter that runs JAX")
    options = parser.parse_args()
    if not options.path.exists():
        print(f"{options.path} is not there, so there is nothing to verify")
        return 0
    python = ["--python", options.python] if options.python else []
    how = verifiable(options.path)
    codes = {rule.code for rule in builtin_rules().values()}
    rows: dict[str, Row] = {}
    open_cases: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for example in read_examples(options.path):
            code = example.code
            if code not in codes or how[code] == "no" or not code.startswith(options.only):
                continue
            status = strongest(example, verified(example, Path(scratch), python))
            row = rows.setdefault(code, Row())
            (row.hazards if example.is_hazard else row.look_alikes)[status] += 1
            if example.is_hazard != (status in PROVED) and status != "no finding":
                open_cases.append(f"{example.name} at line {example.line}: {status}")
            elif example.is_hazard and status == "no finding":
                open_cases.append(f"{example.name} at line {example.line}: no finding")
    return report(rows, open_cases)


def report(rows: dict[str, Row], open_cases: list[str]) -> int:
    """Prints the table and its sums."""
    print(*open_cases, sep="\n")
    print("\ncode    hazards  confirmed  next  other    look-alikes  with a finding  confirmed")
    hazards: Counter[str] = Counter()
    look_alikes: Counter[str] = Counter()
    for code, row in sorted(rows.items()):
        hazards += row.hazards
        look_alikes += row.look_alikes
        print(_line(code, row.hazards, row.look_alikes))
    print(_line("all    ", hazards, look_alikes))
    proved = sum(hazards[status] for status in PROVED)
    wrong = sum(look_alikes[status] for status in PROVED)
    print(f"\nhazards confirmed: {percent(proved, hazards.total())}")
    print(f"look-alikes confirmed: {wrong} of {look_alikes.total()}")
    return 1 if wrong else 0


def _line(code: str, hazards: Counter[str], look_alikes: Counter[str]) -> str:
    other = hazards.total() - hazards["confirmed"] - hazards["confirmed-next"]
    found = look_alikes.total() - look_alikes["no finding"]
    wrong = sum(look_alikes[status] for status in PROVED)
    return (
        f"{code:7} {hazards.total():7} {hazards['confirmed']:10} {hazards['confirmed-next']:5} "
        f"{other:6} {look_alikes.total():14} {found:15} {wrong:10}"
    )


if __name__ == "__main__":
    raise SystemExit(main())

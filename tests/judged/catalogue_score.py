"""Scores jaxlint on the design catalogue, where it lies beside the repository.

`python tests/judged/catalogue_score.py [PATH]` lints every example of the rules that are
implemented, prints what it missed and where it raised a false alarm, and then the score of each
severity.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from jaxlint.base.errors import JaxlintError  # noqa: E402
from jaxlint.base.finding import Finding, Severity  # noqa: E402
from jaxlint.rule import Rule  # noqa: E402
from jaxlint.testing.lint import lint  # noqa: E402
from jaxlint.testing.rulebook import builtin_rules  # noqa: E402

CATALOGUE = ROOT.parent / "shared" / "design" / "catalogue.md"
EXAMPLE = re.compile(
    r"^```python (?P<code>JAX\d{3})\.(?P<kind>tp|tn)(?P<number>\d+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PRELUDE = """\
import os, sys, functools, time, random, itertools, collections, dataclasses, logging, warnings
import math, operator, contextlib, re
from functools import partial
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
TMP = os.path.join("scratch", "file")
x = jnp.array([3., -1., 2.]); s = jnp.float32(2.0)
def compiles(thunk):
    thunk()
    return 0
"""
PRECEDENCE = {
    "JAX105": ("JAX201", "JAX202", "JAX203"),
    "JAX106": ("JAX201", "JAX202", "JAX203"),
    "JAX107": ("JAX201", "JAX202", "JAX203"),
    "JAX301": ("JAX606",),
    "JAX304": ("JAX301",),
    "JAX305": ("JAX301",),
    "JAX309": ("JAX606",),
    "JAX408": ("JAX606",),
    "JAX411": ("JAX606",),
}
"""The codes that may speak in a hazard's place."""


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced block; `line` is that of its fence."""

    code: str
    is_hazard: bool
    name: str
    line: int
    text: str


@dataclass(slots=True)
class Score:
    """Counts and lists for the rules of one severity."""

    hazards: int = 0
    reported: int = 0
    look_alikes: int = 0
    silent: int = 0
    wrong: list[str] = field(default_factory=list)


def read_examples(path: Path) -> list[Example]:
    """The examples of the catalogue, in its order."""
    text = path.read_text(encoding="utf-8")
    return [
        Example(
            match["code"],
            match["kind"] == "tp",
            f"{match['code']}.{match['kind']}{match['number']}",
            text.count("\n", 0, match.start()) + 1,
            match["text"],
        )
        for match in EXAMPLE.finditer(text)
    ]


def findings_in(example: Example, rules: Iterable[Rule]) -> list[Finding]:
    """The findings in the example proper; lines count from the example's first."""
    return lint(PRELUDE + example.text, example.name, rules)


def place(example: Example, finding: Finding) -> str:
    line = finding.line - PRELUDE.count("\n")
    return f"line {example.line + line}: {finding.code} {finding.message}"


def is_reported(example: Example, found: list[Finding]) -> bool:
    """Whether the hazard is reported by its own rule or by one that takes precedence."""
    codes = {example.code, *PRECEDENCE.get(example.code, ())}
    return any(finding.code in codes for finding in found)


def judge(example: Example, found: list[Finding], score: Score) -> None:
    """Adds one example of an implemented rule to the score."""
    if example.is_hazard:
        score.hazards += 1
        if is_reported(example, found):
            score.reported += 1
        else:
            score.wrong.append(f"missed       {example.name} at line {example.line}")
        return
    score.look_alikes += 1
    own = [finding for finding in found if finding.code == example.code]
    score.silent += not own
    score.wrong += [f"false alarm  {example.name} at {place(example, it)}" for it in own]


def percent(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "none"


def main() -> int:
    """Prints the score. The exit code is 1 if an example made jaxlint fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=CATALOGUE)
    path = parser.parse_args().path
    if not path.exists():
        print(f"{path} is not there, so there is nothing to score")
        return 0

    rules = {rule.code: rule for rule in builtin_rules().values()}
    scores = {severity: Score() for severity in Severity}
    crossed: list[str] = []
    crashed: list[str] = []
    for example in read_examples(path):
        if example.is_hazard and example.code not in rules:
            continue
        try:
            found = findings_in(example, rules.values())
        # One crash must not hide the score of the others.
        except (JaxlintError, Exception) as error:
            crashed.append(f"crash        {example.name} at line {example.line}: {error!r}")
            found = []
        if example.code in rules:
            judge(example, found, scores[rules[example.code].severity])
        crossed += [
            f"cross alarm  {example.name} at {place(example, finding)}"
            for finding in found
            if not example.is_hazard
            and finding.severity is Severity.ERROR
            and finding.code != example.code
        ]

    for line in [*crashed, *(line for score in scores.values() for line in score.wrong), *crossed]:
        print(line)
    total = Score()
    for severity, score in scores.items():
        print_score(severity, score)
        for name in ("hazards", "reported", "look_alikes", "silent"):
            setattr(total, name, getattr(total, name) + getattr(score, name))
    print_score("all", total)
    print(f"{len(crossed)} cross alarms to inspect, {len(crashed)} crashes")
    return 1 if crashed else 0


def print_score(name: str, score: Score) -> None:
    hazards = percent(score.reported, score.hazards)
    look_alikes = percent(score.silent, score.look_alikes)
    print(f"{name:8} hazards reported {hazards:18} look-alikes silent {look_alikes}")


if __name__ == "__main__":
    sys.exit(main())

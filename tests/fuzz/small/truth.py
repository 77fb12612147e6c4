"""What JAX shows of a small module, line by line, and how findings compare with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from jaxlint.base.finding import Finding, Severity

Claim = tuple[int, str]
"""A line and the kind of hazard that it is or is not."""


_MARK = re.compile(r"  #@ (\w+) (\S+)$")


@dataclass(frozen=True)
class Mark:
    """What the generator knows of the structure of a line; never what JAX makes of it."""

    kind: str
    subject: str
    line: int


@dataclass(frozen=True)
class Specimen:
    """A complete module and the marks of its lines."""

    seed: int
    source: str
    marks: tuple[Mark, ...] = ()

    def marked(self, kind: str) -> list[Mark]:
        return [mark for mark in self.marks if mark.kind == kind]


def assemble(seed: int, lines: Iterable[str]) -> Specimen:
    """A specimen of lines that may end with `#@ kind subject`."""
    marks: list[Mark] = []
    plain: list[str] = []
    for number, line in enumerate(lines, 1):
        found = _MARK.search(line)
        if found:
            marks.append(Mark(found[1], found[2], number))
        plain.append(_MARK.sub("", line).rstrip())
    return Specimen(seed, "\n".join(plain) + "\n", tuple(marks))


@dataclass(frozen=True)
class Truth:
    """What runs of a specimen proved. A line and kind in neither set is unknown.

    `failure` says why nothing could be observed.
    """

    hazards: frozenset[Claim] = frozenset()
    harmless: frozenset[Claim] = frozenset()
    failure: str = ""


@dataclass(frozen=True)
class Family:
    """Hazards that are observed alike: which rule claims which kind, by the rule's code.

    A kind that no rule claims is in `unclaimed`, with the reason.
    """

    name: str
    rules: Mapping[str, frozenset[str]]
    unclaimed: Mapping[str, str] = field(default_factory=dict)

    @property
    def claimed(self) -> frozenset[str]:
        return frozenset().union(*self.rules.values())


@dataclass(frozen=True)
class Difference:
    """A finding or a hazard about which the rules and JAX disagree."""

    seed: int
    line: int
    what: str
    text: str
    severity: str = ""

    @property
    def is_false_alarm(self) -> bool:
        return bool(self.severity)


@dataclass
class Score:
    """Sums over specimens of one family."""

    programs: int = 0
    failures: list[str] = field(default_factory=list)
    hazards: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    unclaimed: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def false_alarms(self, severity: Severity) -> list[Difference]:
        return [each for each in self.differences if each.severity == severity]

    @property
    def missed(self) -> list[Difference]:
        return [each for each in self.differences if not each.is_false_alarm]

    @property
    def recall(self) -> float:
        total = self.hazards.total()
        return self.found.total() / total if total else 1.0

    def add(self, other: Score) -> None:
        self.programs += other.programs
        self.failures += other.failures
        self.differences += other.differences
        for name in ("hazards", "found", "unclaimed", "right", "unknown"):
            getattr(self, name).update(getattr(other, name))


def compare(family: Family, specimen: Specimen, truth: Truth, found: Iterable[Finding]) -> Score:
    """Each finding of the family is right, a false alarm or unknown; each hazard found or not."""
    score = Score(programs=1)
    if truth.failure:
        score.failures.append(f"{specimen.seed}: {truth.failure}")
        return score
    lines = specimen.source.splitlines()
    reported: set[Claim] = set()
    for finding in found:
        kinds = family.rules.get(finding.code)
        if kinds is None:
            continue
        claims = {(finding.line, kind) for kind in kinds}
        reported |= claims
        if claims & truth.hazards:
            score.right[finding.severity] += 1
        elif claims <= truth.harmless:
            text = lines[finding.line - 1].strip()
            score.differences.append(
                Difference(specimen.seed, finding.line, finding.code, text, finding.severity)
            )
        else:
            score.unknown[finding.severity] += 1
    for line, kind in sorted(truth.hazards):
        if kind not in family.claimed:
            score.unclaimed[kind] += 1
            continue
        score.hazards[kind] += 1
        if (line, kind) in reported:
            score.found[kind] += 1
        else:
            text = lines[line - 1].strip()
            score.differences.append(Difference(specimen.seed, line, kind, text))
    return score

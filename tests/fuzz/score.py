"""Adds up comparisons: how far jaxlint agrees with JAX, and where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compare import NAMES, Comparison, Disagreement
from gaps import Gap, gap_of

LEAST_AGREEMENT = 0.995
LEAST_FOUND = 0.97


@dataclass
class Score:
    """The figures of many programs. `open` holds what no gap covers, with the program's seed."""

    programs: int = 0
    names: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    hazards: Counter[tuple[str, str]] = field(default_factory=Counter)
    gaps: Counter[Gap] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    open: list[tuple[int, Disagreement]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)

    @property
    def labels(self) -> int:
        """The well-posed labels that no known gap covers."""
        open_ones = sum(one.kind in NAMES for _, one in self.open)
        return self.names["right"] + open_ones

    @property
    def agreement(self) -> float:
        """The part of the labels that the engine got right."""
        return self.names["right"] / self.labels if self.labels else 0.0

    @property
    def agreement_on_all(self) -> float:
        """The part of all labels that the engine got right, whatever excuses the others."""
        labels = sum(self.names.values())
        return self.names["right"] / labels if labels else 0.0

    @property
    def false_alarms(self) -> Counter[str]:
        """False alarms that no known gap covers, by severity."""
        return Counter(one.says for _, one in self.open if one.kind == "false alarm")

    @property
    def found(self) -> float:
        """The part of the hazards, without known gaps, that a rule reports."""
        right = sum(n for (_, verdict), n in self.hazards.items() if verdict == "found")
        missed = sum(one.kind == "missed" for _, one in self.open)
        return right / (right + missed) if right + missed else 0.0

    def failures(self) -> list[str]:
        """What is not good enough."""
        found = []
        if self.agreement < LEAST_AGREEMENT:
            found.append(f"agreement {self.agreement:.3%} is below {LEAST_AGREEMENT:.1%}")
        if self.false_alarms["error"]:
            found.append(f"{self.false_alarms['error']} false alarms at error severity")
        if self.found < LEAST_FOUND:
            found.append(f"{self.found:.2%} of the hazards were found, below {LEAST_FOUND:.0%}")
        found.extend(f"program {seed} broke: {why}" for seed, why in self.broken)
        return found


def score(comparisons: Iterable[Comparison], gaps: Sequence[Gap]) -> Score:
    """The sum of comparisons."""
    total = Score(gaps=Counter(dict.fromkeys(gaps, 0)))
    for one in comparisons:
        total.programs += 1
        if one.problem:
            total.broken.append((one.seed, one.problem))
        total.names += one.names
        total.findings += one.findings
        total.hazards += one.hazards
        for disagreement in one.disagreements:
            gap = gap_of(disagreement, gaps)
            if gap is None:
                total.open.append((one.seed, disagreement))
            else:
                total.gaps[gap] += 1
                total.covered[disagreement.kind] += 1
    return total


def report(total: Score, most: int = 40) -> list[str]:
    """The score in words, line by line."""
    names = total.names
    counts = ", ".join(f"{names[kind]} {kind}" for kind in (*NAMES, "half seen"))
    lines = [
        f"{total.programs} programs, {total.labels} well-posed labels: {total.agreement:.3%} "
        f"agreement ({counts}); {total.agreement_on_all:.3%} with known gaps and half seen ones",
        *_hazards(total),
        *_findings(total),
        "",
        "disagreements by construct:",
        *_groups(total, most),
        "",
        "known gaps:",
    ]
    for gap, count in total.gaps.items():
        state = f"{count:6}" if count else "  GONE"
        lines.append(f"{state}  {gap.kind}: {gap.construct}  ({gap.reason})")
    return lines if total.gaps else [*lines, "  none"]


def _hazards(total: Score) -> list[str]:
    kinds = sorted({kind for kind, _ in total.hazards})
    parts = []
    for kind in kinds:
        found, missed = total.hazards[kind, "found"], total.hazards[kind, "missed"]
        parts.append(f"{kind} {found}/{found + missed}")
    return [f"hazards found: {total.found:.2%}  ({', '.join(parts)})"]


def _findings(total: Score) -> list[str]:
    lines = []
    for severity in ("error", "warning", "perf", "info"):
        counts: Counter[str] = Counter()
        false: Counter[str] = Counter()
        for (code, level, verdict), count in total.findings.items():
            if level == severity:
                counts[verdict] += count
                false[code] += count * (verdict == "false alarm")
        if counts:
            which = ", ".join(f"{code} {n}" for code, n in false.most_common() if n)
            text = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
            lines.append(f"findings, {severity}: {text}" + (f"  ({which})" if which else ""))
    return lines


def _groups(total: Score, most: int) -> list[str]:
    grouped: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for seed, one in total.open:
        subject = "" if one.kind in NAMES else one.subject
        key = (one.kind, subject, one.says, one.shows, one.construct)
        grouped.setdefault(key, []).append((seed, one.line))
    lines = []
    largest = sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))
    for (kind, subject, says, shows, construct), places in largest[:most]:
        where = f"{places[0][0]}:{places[0][1]}"
        programs = len({seed for seed, _ in places})
        verdict = f"{kind} {subject}".strip() + (f" ({says} for {shows})" if shows and says else "")
        lines.append(f"{len(places):6} in {programs:4}  {verdict}: {construct}   [{where}]")
    if len(largest) > most:
        rest = sum(len(places) for _, places in largest[most:])
        lines.append(f"{rest:6}          in {len(largest) - most} other constructs")
    return lines or ["  none"]

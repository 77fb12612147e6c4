"""The families of small modules, and how rules and JAX agree over many of them."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules
from small import captures, donation, effects, keys, retraces
from small.truth import Difference, Family, Score, Specimen, Truth, compare


@dataclass(frozen=True)
class Study:
    """One family with its generator and its observer."""

    family: Family
    generate: Callable[[int], Specimen]
    observe: Callable[[Specimen], Truth]


STUDIES = {
    module.FAMILY.name: Study(module.FAMILY, module.generate, module.observe)
    for module in (effects, captures, retraces, keys, donation)
}


@dataclass(frozen=True)
class Gap:
    """Differences that are known and left: their family, subject, line and the reason."""

    family: str
    what: str
    line: str
    reason: str

    def covers(self, family: str, difference: Difference) -> bool:
        same = (family, difference.what) == (self.family, self.what)
        return same and bool(re.search(self.line, difference.text))


@cache
def gaps() -> tuple[Gap, ...]:
    path = Path(__file__).with_name("gaps.toml")
    return tuple(Gap(**entry) for entry in tomllib.loads(path.read_text())["gap"])


@dataclass
class Census:
    """The score of one family, and its differences by the gap that covers them."""

    family: str
    score: Score
    known: Counter[Gap]
    open: list[Difference]

    @property
    def recall(self) -> float:
        """The share of hazards found, those of known gaps left out."""
        missed = sum(1 for each in self.open if not each.is_false_alarm)
        found = self.score.found.total()
        return found / (found + missed) if found + missed else 1.0

    def false_alarms(self, severity: str) -> list[Difference]:
        return [each for each in self.open if each.severity == severity]


def count(name: str, seeds: Iterable[int]) -> Census:
    """Generates, observes and lints the specimens of a family."""
    study, score = STUDIES[name], Score()
    rules = list(builtin_rules().values())
    for seed in seeds:
        specimen = study.generate(seed)
        truth = study.observe(specimen)
        found = lint(specimen.source, f"{name}_{seed}.py", rules)
        score.add(compare(study.family, specimen, truth, found))
    return census(name, score)


def census(name: str, score: Score) -> Census:
    known: Counter[Gap] = Counter()
    left: list[Difference] = []
    for difference in score.differences:
        gap = next((g for g in gaps() if g.covers(name, difference)), None)
        if gap is None:
            left.append(difference)
        else:
            known[gap] += 1
    return Census(name, score, known, left)

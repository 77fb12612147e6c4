"""Holds what the engine says of names against what they held while a project's tests ran."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from observations import TRACED, Observations, Seen, Statements

REACHED = ("agrees", "may", "disagrees")
"""What is said of a label on which the engine has an opinion."""


@dataclass(frozen=True)
class Label:
    """A name before a statement. `held` is what it held under JAX, "traced" or "static"; `said`
    what the engine says; `reason` why it says nothing."""

    file: str
    line: int
    name: str
    function: str
    held: str
    said: str
    outcome: str
    reason: str = ""

    @property
    def is_reached(self) -> bool:
        return self.outcome in REACHED


@dataclass
class Agreement:
    """The comparison of one project. `both` counts names that held tracers at times only."""

    project: str
    labels: list[Label] = field(default_factory=list)
    both: int = 0
    opaque: int = 0

    def count(self, held: str = "", outcome: str = "") -> int:
        """How many labels there are, of one kind of value or one outcome only where given."""
        return sum(
            (not held or one.held == held) and (not outcome or one.outcome == outcome)
            for one in self.labels
        )

    @property
    def reached(self) -> float:
        """The share of labels on which the engine has an opinion."""
        return _share(sum(one.is_reached for one in self.labels), len(self.labels))

    @property
    def reached_tracers(self) -> float:
        """The same, of names that held tracers."""
        traced = [one for one in self.labels if one.held == "traced"]
        return _share(sum(one.is_reached for one in traced), len(traced))

    @property
    def agreeing(self) -> float:
        """The share of labels that agree among those that agree or disagree."""
        right, wrong = self.count(outcome="agrees"), self.count(outcome="disagrees")
        return _share(right, right + wrong)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


Why = Callable[[str, int], str]


def compare(
    project: str,
    seen: Observations,
    engine: dict[str, Any],
    statements: Statements,
    wanted: Callable[[str], bool] = lambda file: True,
    why: Why | None = None,
) -> Agreement:
    """Compares all names under tracing in the files that are wanted. `why` tells the reason for
    which a statement is not reached."""
    said, reasons = said_by(engine, statements)
    lines = {(file, statements.start(file, line)) for file, line, _ in engine["lines"]}
    functions = _functions(seen, lines)
    found = Agreement(project)
    for (file, line), one in sorted(seen.statements.items()):
        if not wanted(file) or not one.traced:
            continue
        for name, kinds in sorted(one.names.items()):
            held = _held(kinds)
            if held == "both":
                found.both += 1
            elif held:
                key = (file, line, name)
                if (file, line) in lines:
                    reason = reasons.get(key, "the name is not known here")
                else:
                    reason = _unreached(one, functions, why)
                found.labels.append(_label(one, name, held, said.get(key), reason))
    return found


def _label(one: Seen, name: str, held: str, said: str | None, reason: str) -> Label:
    place = (one.file, one.line, name, one.function.name, held)
    if said is None or said == "unknown":
        return Label(*place, said or "", "unknown" if said else "unreached", reason)
    if said == "may":
        return Label(*place, said, "may")
    return Label(*place, said, "agrees" if said == held else "disagrees")


def _held(kinds: set[str]) -> str:
    if kinds <= TRACED:
        return "traced"
    return "both" if kinds & TRACED else "static"


def said_by(
    engine: dict[str, Any], statements: Statements
) -> tuple[dict[tuple[str, int, str], str], dict[tuple[str, int, str], str]]:
    """What the engine says by statement, and why where it says "unknown"."""
    kinds: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    reasons: dict[tuple[str, int, str], str] = {}
    for file, line, name, kind, reason in engine["names"]:
        key = (file, statements.start(file, line), name)
        kinds[key].add(kind)
        if reason:
            reasons.setdefault(key, f"unknown: {reason}")
    said = {key: one.pop() if len(one) == 1 else "may" for key, one in kinds.items()}
    return said, reasons


def _functions(seen: Observations, lines: set[tuple[str, int]]) -> set[tuple[str, int, str]]:
    """The functions of which the engine reaches a statement."""
    return {
        (one.function.file, one.function.line, one.function.name)
        for place, one in seen.statements.items()
        if place in lines
    }


def _unreached(one: Seen, functions: set[tuple[str, int, str]], why: Why | None) -> str:
    told = why(one.file, one.line) if why is not None else ""
    if told:
        return told
    function = one.function
    if (function.file, function.line, function.name) in functions:
        return "a statement of a reached function"
    return "its function is not reached"


# --- Tables -----------------------------------------------------------------------------------


def table(agreements: Iterable[Agreement]) -> list[str]:
    """The table of all projects, and of all together."""
    rows = list(agreements)
    together = Agreement("in all")
    for one in rows:
        together.labels += one.labels
        together.both += one.both
    head = (
        "| project | labels | reached | agreeing | may | held tracers | reached | disagree | both |"
    )
    lines = [head, "|---" * 9 + "|"]
    for one in [*rows, together]:
        traced = one.count(held="traced")
        lines.append(
            f"| {one.project} | {len(one.labels):,} | {one.reached:.1%} | {one.agreeing:.2%} "
            f"| {_share(one.count(outcome='may'), len(one.labels)):.1%} | {traced:,} "
            f"| {one.reached_tracers:.1%} | {one.count(outcome='disagrees'):,} | {one.both:,} |"
        )
    return lines


def reasons(one: Agreement, most: int = 12) -> list[str]:
    """Why names that held tracers are unknown or not reached, the most frequent reason first."""
    lost = [label for label in one.labels if not label.is_reached]
    counts = Counter(label.reason for label in lost)
    first: dict[str, Label] = {}
    for label in lost:
        first.setdefault(label.reason, label)
    return [
        f"  {count:6,}  {reason} (first: {first[reason].file}:{first[reason].line} "
        f"`{first[reason].name}` in {first[reason].function})"
        for reason, count in counts.most_common(most)
    ]


def hidden(one: Agreement, most: int = 20) -> list[str]:
    """The functions that are not reached, by how many labels each hides."""
    counts: Counter[tuple[str, str]] = Counter(
        (label.file, label.function) for label in one.labels if label.outcome == "unreached"
    )
    return [f"  {n:6,}  {file} {name}" for (file, name), n in counts.most_common(most)]


def disagreements(one: Agreement, most: int = 40) -> list[str]:
    """The names of which the engine says something untrue, each with its first place and how
    many statements say the same."""
    groups: dict[tuple[str, str, str, str], list[Label]] = defaultdict(list)
    for label in one.labels:
        if label.outcome == "disagrees":
            groups[label.file, label.function, label.name, label.held].append(label)
    ordered = sorted(groups.values(), key=lambda labels: (-len(labels), labels[0].line))
    return [
        f"  {len(labels):4}  {labels[0].file}:{labels[0].line} `{labels[0].name}` in "
        f"{labels[0].function} held {labels[0].held}, said to be {labels[0].said}"
        for labels in ordered[:most]
    ]

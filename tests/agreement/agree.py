"""Holds what the engine says of names against what they held while a project's tests ran."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from observations import EMPTY, NOTHING, OPAQUE, TRACED, Observations, Seen, Statements

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
    """The comparison of one project. `both` counts names that held tracers at times only, `opaque`
    those that held what cannot be looked into."""

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


def _share(part: int, whole: int, empty: float = 1.0) -> float:
    return part / whole if whole else empty


def engine_of(root: Path) -> dict[str, Any]:
    """What the engine says of a checkout, by `holdings.py` in a process of its own. Raises
    CalledProcessError where that process fails."""
    script = Path(__file__).with_name("holdings.py")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "engine.json")
        subprocess.run([sys.executable, str(script), str(out), str(root)], check=True)
        known: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return known


def compare(
    project: str,
    seen: Observations,
    engine: dict[str, Any],
    statements: Statements,
    wanted: Callable[[str], bool] = lambda file: True,
) -> Agreement:
    """Compares all names under tracing in the files that are wanted."""
    said, reasons = said_by(engine, statements)
    names = {(each.file, each.line): each.name.rpartition(".")[2] for each in seen.functions}
    points = [{place_of(one, statements) for one in each} for each in engine["entries"]]
    lines = {(file, statements.start(file, line)) for file, line, _ in engine["lines"]}
    why = {
        (file, statements.start(file, line)): f"{kind}: {text}"
        for file, line, kind, text in engine["unreached"]
    }
    found = Agreement(project)
    for (file, line), one in sorted(seen.statements.items()):
        if not wanted(file) or not one.traced:
            continue
        for name, kinds in sorted(one.names.items()):
            held = _held(kinds) if _is_label(name, one, statements) else ""
            if held in ("both", "opaque"):
                found.both += held == "both"
                found.opaque += held == "opaque"
            elif held:
                key = (file, line, name)
                if (file, line) in lines:
                    whole = (file, line, name.partition(".")[0])
                    reason = reasons.get(key) or reasons.get(whole, "the name is not known here")
                else:
                    around = (file, statements.start(file, one.function.line))
                    reason = why.get((file, line)) or why.get(around, "without a reason")
                # An object that is called like a function may capture tracers.
                is_object = held == "traced" and "t" not in kinds
                mine = _entered(one, names)
                opinion = _opinion(said.get(key, {}), points, mine, held)
                if opinion == "function":
                    opinion = "may" if is_object else "static"
                if opinion == "empty":
                    # A list that a loop fills: nothing is said of those that are not empty.
                    opinion = "unknown" if held == "traced" and kinds & EMPTY else "static"
                    reason = "only seen where it is empty"
                if opinion == "leaves":
                    opinion = "may" if kinds - EMPTY <= NOTHING else "traced"
                if opinion == "elsewhere":
                    opinion, reason = None, "reached under other entry points only"
                found.labels.append(_label(one, name, held, opinion, reason))
    return found


def _entered(one: Seen, names: dict[tuple[str, int], str]) -> set[str]:
    """The functions at which tracing began around a statement, by their places and names, and
    whether it ran in a function that JAX writes down."""
    places = {f"{each.file}:{each.line}" for each in one.entries}
    places |= {"<staged>"} if one.staged else set()
    places |= {"<eager>"} if one.staged < one.traced else set()
    return places | {names.get((each.file, each.line), "<lambda>") for each in one.entries}


def place_of(entry: str, statements: Statements) -> str:
    """Where a function begins, with its decorators. That of a lambda is its own line, and that of
    another transform's body its name."""
    file, _, line = entry.rpartition(":")
    return f"{file}:{statements.first(file, int(line))}" if file else entry


def _is_label(name: str, one: Seen, statements: Statements) -> bool:
    """Whether what a name held before a statement can be compared. Left out are what a loop or
    `with` binds itself, attributes that the function does not mention, and Python's own names."""
    if name.startswith("__") or name in statements.bound_within(one.file, one.line):
        return False
    attribute = name.partition(".")[2]
    return not attribute or attribute in statements.attributes(one.file, one.line)


def _label(one: Seen, name: str, held: str, said: str | None, reason: str) -> Label:
    place = (one.file, one.line, name, one.function.name, held)
    if said is None or said == "unknown":
        return Label(*place, said or "", "unknown" if said else "unreached", reason)
    if said == "may":
        return Label(*place, said, "may")
    return Label(*place, said, "agrees" if said == held else "disagrees")


def _held(kinds: set[str]) -> str:
    kinds = kinds - EMPTY
    if not kinds:
        return ""
    if kinds <= TRACED:
        return "traced"
    if kinds & TRACED:
        return "both"
    return "opaque" if kinds & OPAQUE else "static"


_Place = tuple[str, int, str]


def said_by(
    engine: dict[str, Any], statements: Statements
) -> tuple[dict[_Place, dict[int, set[str]]], dict[_Place, str]]:
    """What the engine says by statement and entry points, and why where it says "unknown"."""
    kinds: dict[_Place, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    reasons: dict[_Place, str] = {}
    for file, line, name, said, reason in engine["names"]:
        key = (file, statements.start(file, line), name)
        for entries, some in said.items():
            kinds[key][int(entries)].update(some)
        if reason:
            reasons.setdefault(key, f"unknown: {reason}")
    return kinds, reasons


def together(said: dict[int, set[str]]) -> str:
    """What is said of a name under all entry points: "traced", "static", "function", "empty",
    "may", or "unknown" where nothing is."""
    every = set().union(*said.values())
    if every == {"empty", "unknown"}:
        return "unknown"
    if every == {"empty"}:
        return "empty"
    known = {"static" if one == "empty" else one for one in every - {"unknown"}}
    if known == {"function", "static"}:
        return "function"
    if known == {"leaves", "traced"}:
        return "leaves"
    return "may" if len(known) > 1 or "mixed" in known else next(iter(known), "unknown")


def _opinion(
    said: dict[int, set[str]], points: list[set[str]], mine: set[str], held: str
) -> str | None:
    """What the engine says under the entry points that were observed. Where it knows other ones
    only, what it says of these is its opinion unless JAX showed something else: "elsewhere"."""
    if not said:
        return None
    here = {number: kinds for number, kinds in said.items() if points[number] <= mine}
    kind = together(here or said)
    same = {held, "empty", "may", "unknown", "function", *(["leaves"] if held == "traced" else [])}
    return "elsewhere" if not here and kind not in same else kind


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
            f"| {_share(one.count(outcome='may'), len(one.labels), 0.0):.1%} | {traced:,} "
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

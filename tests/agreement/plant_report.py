"""What came of plants: recall by kind and distance, and the causes of what was missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agree import said_by, together
from observations import Observations, Statements
from plant_linting import Outcome

SILENT = "known as traced, and nothing is reported"


@dataclass(frozen=True)
class Row:
    """One plant, what became of it, and what the engine knows of its place in the checkout as it
    is. `cause` says of a miss why, `label` what running it showed."""

    outcome: Outcome
    is_reached: bool
    cause: str
    label: str

    @property
    def is_found(self) -> bool:
        return self.outcome.is_found

    def as_json(self) -> dict[str, Any]:
        plant = self.outcome.plant
        return {
            "kind": plant.kind.name,
            "file": plant.file,
            "line": plant.line,
            "name": plant.name,
            "function": plant.function,
            "calls": plant.calls,
            "modules": plant.modules,
            "found": list(self.outcome.found),
            "others": list(self.outcome.others),
            "reached": self.is_reached,
            "cause": self.cause,
            "label": self.label,
        }


class Knowledge:
    """What the engine knows of a checkout without plants: the JSON of `holdings.py`."""

    def __init__(self, engine: dict[str, Any], seen: Observations, statements: Statements) -> None:
        self._lines = {(file, statements.start(file, line)) for file, line, _ in engine["lines"]}
        self._said, self._reasons = said_by(engine, statements)
        self._functions = {
            (one.function.file, one.function.line)
            for place, one in seen.statements.items()
            if place in self._lines
        }

    def row(self, outcome: Outcome, label: str) -> Row:
        """An outcome with what the engine knows of its place."""
        plant = outcome.plant
        is_reached = (plant.file, plant.start) in self._functions
        cause = "" if outcome.is_found else self._cause(outcome, is_reached)
        return Row(outcome, is_reached, cause, label)

    def _cause(self, outcome: Outcome, is_reached: bool) -> str:
        plant = outcome.plant
        if not is_reached:
            return "its function is not reached"
        if (plant.file, plant.line) not in self._lines:
            return "a statement of a reached function is not reached"
        if not plant.name:
            return SILENT
        key = (plant.file, plant.line, plant.name)
        said = together(self._said.get(key, {}))
        if said in ("traced", "leaves"):
            return SILENT
        if said == "unknown":
            return f"the name is unknown: {self._reasons.get(key, 'not known here')}"
        return f"the name is said to be {said}"


def _share(rows: Sequence[Row]) -> str:
    found = sum(row.is_found for row in rows)
    return f"{found:,}/{len(rows):,} {found / len(rows):.1%}" if rows else "none"


def _by(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(sorted(groups.items()))


def _table(title: str, groups: dict[Any, list[Row]]) -> list[str]:
    lines = [f"| {title} | found | found where the function is reached |", "|---|---|---|"]
    for name, rows in groups.items():
        reached = [row for row in rows if row.is_reached]
        lines.append(f"| {name} | {_share(rows)} | {_share(reached)} |")
    return [*lines, ""]


def report(rows: Sequence[Row], most: int = 60) -> list[str]:
    """The tables of one project or several, and the misses of which the engine says nothing."""
    counted = [row for row in rows if row.label != "wrong"]
    lines = _table("in all", {"plants": counted})
    lines += _table("kind", _by(counted, lambda row: row.outcome.plant.kind.name))
    lines += _table("calls", _by(counted, lambda row: row.outcome.plant.calls))
    lines += _table("modules", _by(counted, lambda row: row.outcome.plant.modules))
    labels = Counter(row.label for row in rows if row.label)
    if labels:
        tried = ", ".join(f"{count:,} {label}" for label, count in sorted(labels.items()))
        lines += [f"Labels tried: {tried}; wrong ones are left out.", ""]
    causes = Counter(row.cause for row in counted if not row.is_found)
    lines += ["Missed:", *(f"  {count:6,}  {cause}" for cause, count in causes.most_common())]
    silent = [row.outcome for row in counted if row.cause == SILENT]
    for one in silent[:most]:
        plant = one.plant
        others = f" (reported: {', '.join(one.others)})" if one.others else ""
        where = f"{plant.file}:{plant.line}"
        lines.append(f"  silent: {where} {plant.kind.name} `{plant.name}` {plant.function}{others}")
    return lines


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """All of it as data."""
    return {"plants": [row.as_json() for row in rows]}

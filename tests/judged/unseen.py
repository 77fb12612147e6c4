"""Lints repositories that the rules were not written on, and holds the findings against verdicts.

Usage: python tests/judged/unseen.py [--update] [--jobs N] [--select LIST] [--list FILE]
           [NAME=PATH ...]

NAME is a ledger in fixtures/unseen, PATH a checkout of that repository; a list file has one
NAME=PATH a line. All Python files and notebooks of a repository are asked for at once. Prints for
each severity how many right findings are kept, and how many that are worth a change are lost, how
many wrong ones are left and gone, how many useless ones are reported and gone, how many findings
nobody judged, and the precision of those that are judged; then every difference. A finding is the
same if file, cell and code are and the line is at most a few lines away; it counts at the severity
that it has now, and a changed severity is listed. `--select` asks for other rules than the default
ones. Without any PATH the ledgers themselves are reported. `--update` adds new findings as
unjudged. The exit code is 1 if a wrong error is left, a right one that is not useless is lost, an
error is unjudged, or a checkout is at another commit.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ecosystem import command_line, read_arguments
from ledgers import commit_of, text
from precision import SEVERITIES, interval

from jaxlint.base.file_stats import NOTEBOOK, PYTHON
from jaxlint.frontends.workers import Workers
from jaxlint.project.discovery import discover
from jaxlint.results.report import in_cells
from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings

UNSEEN = Path(__file__).parents[2] / "fixtures" / "unseen"
# How many lines away a finding is still the same: a statement that spans several lines may be
# reported at another of them.
_NEAR = 3
_COLUMNS = (
    "right kept",
    "right lost",
    "wrong left",
    "wrong gone",
    "useless reported",
    "useless gone",
    "unclear",
    "unjudged",
)


@dataclass(frozen=True, order=True)
class Judged:
    """One finding and its verdict. `cell` is that of a notebook, 0 elsewhere; a finding is
    `useless` if it is right and no reason to change the code."""

    file: str
    cell: int
    line: int
    code: str
    severity: str
    verdict: str = "unjudged"
    useless: bool = False

    @property
    def group(self) -> tuple[str, int, str]:
        """What findings that may be the same have in common."""
        return (self.file, self.cell, self.code)

    def __str__(self) -> str:
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.file}:{cell}{self.line}: {self.code} {self.severity}"


@dataclass(frozen=True)
class Verdicts:
    """The judged findings in one repository at one commit."""

    repository: str
    commit: str
    rows: tuple[Judged, ...]


@dataclass
class Outcome:
    """The recorded findings that are found (with what is found now), those that are not, and the
    found ones that are not recorded."""

    kept: list[tuple[Judged, Judged]] = field(default_factory=list)
    lost: list[Judged] = field(default_factory=list)
    new: list[Judged] = field(default_factory=list)

    def __iadd__(self, other: Outcome) -> Outcome:
        self.kept += other.kept
        self.lost += other.lost
        self.new += other.new
        return self

    def rows(self) -> list[Judged]:
        """All that is found now, each finding with its verdict."""
        return sorted([*(_as_found(*pair) for pair in self.kept), *self.new])

    def counts(self, severity: str) -> list[int]:
        """The counts for a severity, in the order of the columns."""
        found = [row for row in self.rows() if row.severity == severity]
        verdicts = [row.verdict for row in found]
        gone = [row for row in self.lost if row.severity == severity]
        lost = [row.verdict for row in gone if not row.useless]
        return [
            verdicts.count("right"),
            lost.count("right"),
            verdicts.count("wrong"),
            lost.count("wrong"),
            sum(row.useless for row in found),
            sum(row.useless for row in gone),
            verdicts.count("unclear"),
            verdicts.count("unjudged"),
        ]

    def lines(self) -> list[str]:
        """One line for each finding that is to be looked at."""
        rows = self.rows()
        changed = [
            f"  severity changed: {row.verdict} {now}, recorded as {row.severity}"
            for row, now in sorted(self.kept)
            if row.severity != now.severity
        ]
        return [
            *(f"  right lost: {row}" for row in sorted(self.lost) if _is_missed(row)),
            *(f"  wrong left: {row}" for row in rows if row.verdict == "wrong"),
            *changed,
            *(f"  unjudged: {row}" for row in rows if row.verdict == "unjudged"),
        ]

    def fails(self) -> bool:
        """Whether errors are not as the verdicts want them."""
        bad = {row.verdict for row in self.rows() if row.severity == "error"} & {
            "wrong",
            "unjudged",
        }
        return bool(bad) or any(row.severity == "error" and _is_missed(row) for row in self.lost)


def _is_missed(row: Judged) -> bool:
    """Whether a finding that is no more would be worth a change."""
    return row.verdict == "right" and not row.useless


def _as_found(recorded: Judged, now: Judged) -> Judged:
    return replace(now, verdict=recorded.verdict, useless=recorded.useless)


def read(name: str, folder: Path = UNSEEN) -> Verdicts:
    """The verdicts on a repository.

    Raises:
        FileNotFoundError: there are none of that name.
    """
    data = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    rows = tuple(Judged(**{"cell": 0} | row) for row in data.get("finding", []))
    return Verdicts(data["repository"], data["commit"], rows)


def write(name: str, verdicts: Verdicts, folder: Path = UNSEEN) -> None:
    """Replaces the verdicts on a repository."""
    parts = [f"repository = {text(verdicts.repository)}", f"commit = {text(verdicts.commit)}"]
    for row in sorted(verdicts.rows):
        parts += ["", "[[finding]]"]
        for key, value in asdict(row).items():
            if isinstance(value, bool):
                parts += [f"{key} = true"] if value else []
            elif value != 0:
                parts.append(f"{key} = {text(value) if isinstance(value, str) else value}")
    (folder / f"{name}.toml").write_text("\n".join([*parts, ""]), encoding="utf-8")


def linted(root: Path, jobs: int = 1, select: Sequence[str] = ()) -> list[Judged]:
    """Every finding in the Python files and notebooks of a repository, unjudged; suppression
    comments count for nothing."""
    found = discover([str(root)], endings=(PYTHON, NOTEBOOK))
    chosen = (Selection(select=tuple(select)),) if select else ()
    session = Session(Settings(noqa="none", selections=chosen))
    session.ask(found.files)
    rows = []
    with Workers(jobs) as workers:
        workers.start(found.files, [(session, path) for path in found.files])
        for path in found.files:
            workers.await_entries(session, path)
            name = Path(path).relative_to(root).as_posix()
            rows += [
                Judged(name, one.cell, one.line, one.code, one.severity.value)
                for one in in_cells(session.check(path))
            ]
    return sorted(rows)


def compare(recorded: Iterable[Judged], found: Iterable[Judged]) -> Outcome:
    """Which of the recorded findings are found. Among those that may be the same, the nearest
    ones are."""
    before, after = defaultdict(list), defaultdict(list)
    for row in recorded:
        before[row.group].append(row)
    for row in found:
        after[row.group].append(row)
    outcome = Outcome()
    for group in sorted(before.keys() | after.keys()):
        _match(before[group], after[group], outcome)
    return outcome


def _match(recorded: list[Judged], found: list[Judged], outcome: Outcome) -> None:
    pairs = sorted(
        (abs(old.line - new.line), old.severity != new.severity, i, j)
        for i, old in enumerate(recorded)
        for j, new in enumerate(found)
        if abs(old.line - new.line) <= _NEAR
    )
    left, right = dict(enumerate(recorded)), dict(enumerate(found))
    for _, _, i, j in pairs:
        if i in left and j in right:
            outcome.kept.append((left.pop(i), right.pop(j)))
    outcome.lost += left.values()
    outcome.new += right.values()


def table(outcome: Outcome) -> list[str]:
    """The counts by severity and the precision of what is judged."""
    said = [" ".join([f"{'':8}", *(f"{title:>16}" for title in _COLUMNS), " precision"])]
    for severity in SEVERITIES:
        counts = outcome.counts(severity)
        right, wrong = counts[0], counts[2]
        low, high = interval(right, right + wrong)
        share = f"{right / (right + wrong):.3f}" if right + wrong else "-"
        cells = " ".join(f"{count:16}" for count in counts)
        said.append(f"{severity:8} {cells}  {share} [{low:.3f}, {high:.3f}]")
    return said


def _useful(outcome: Outcome) -> str:
    """How much of what is reported and judged is worth a change."""
    judged = [row for row in outcome.rows() if row.verdict in ("right", "wrong")]
    useful = sum(row.verdict == "right" and not row.useless for row in judged)
    share = f"{useful / len(judged):.1%}" if judged else "-"
    return f"useful: {useful} of {len(judged)} that are judged ({share})"


def _checked(
    name: str, path: Path, options: argparse.Namespace, folder: Path
) -> tuple[Outcome, list[str]]:
    """Lints one checkout: how it compares with the verdicts, and what is to be looked at."""
    verdicts = read(name, folder)
    commit = commit_of(path)
    if commit is not None and commit != verdicts.commit:
        return Outcome(), [f"{name}: at commit {commit}, recorded is {verdicts.commit}"]
    select = [one for one in options.select.split(",") if one]
    outcome = compare(verdicts.rows, linted(path, options.jobs, select))
    if options.update and outcome.new:
        rows = (*verdicts.rows, *outcome.new)
        write(name, replace(verdicts, rows=tuple(sorted(rows))), folder)
    lines = outcome.lines()
    return outcome, [f"{name}:", *lines] if lines else []


def recorded(folder: Path) -> Outcome:
    """The ledgers, as if all that is recorded was found."""
    rows = [row for path in sorted(folder.glob("*.toml")) for row in read(path.stem, folder).rows]
    return Outcome(kept=[(row, row) for row in rows])


def main(arguments: Sequence[str], folder: Path = UNSEEN) -> int:
    """Lints each NAME=PATH, reports the ledgers without any; 1 if errors are not as wanted."""
    parser = command_line()
    parser.description = __doc__.partition("\n")[0]
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--select", default="", help="rules to run in place of the default ones")
    options, checkouts = read_arguments(parser, arguments, folder)
    if not checkouts:
        every = recorded(folder)
        print("\n".join([*table(every), _useful(every)]))
        return 0
    total, said, refused = Outcome(), [], False
    for name, path in checkouts:
        outcome, lines = _checked(name, path, options, folder)
        refused = refused or (bool(lines) and not (outcome.kept or outcome.lost or outcome.new))
        total += outcome
        said += lines
    print("\n".join([*said, *table(total), _useful(total)]))
    return int(refused or total.fails())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

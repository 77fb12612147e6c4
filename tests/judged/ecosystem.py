"""Lints pinned public repositories and holds what is found against the recorded ledgers.

Usage: python tests/judged/ecosystem.py [--update] [--jobs N] [--list FILE] [NAME=PATH ...]

NAME is a ledger in fixtures/ecosystem, PATH a checkout of that repository; a list file has one
NAME=PATH a line. Prints the findings of every rule per 1,000 lines, the difference to the ledger
and the precision of judged findings. Without any PATH the ledgers themselves are reported.
`--update` records what is found: verdicts stay, new findings are unjudged. Findings at
error severity that are judged wrong are listed: known gaps. The exit code is 1 if there is a
difference, a finding at error severity that nobody judged, or another commit than recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledgers import LEDGERS, Ledger, Row, commit_of, read, write
from precision import SEVERITIES, interval, table

from jaxlint.frontends.workers import Workers
from jaxlint.session.session import Report, Session
from jaxlint.settings import Settings


@dataclass(frozen=True)
class Difference:
    """What is found but not recorded, recorded but not found, and found with other words."""

    new: tuple[Row, ...]
    gone: tuple[Row, ...]
    changed: tuple[Row, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.changed)

    def lines(self) -> list[str]:
        """One line a finding."""
        parts = (("new", self.new), ("gone", self.gone), ("changed", self.changed))
        return [
            f"  {what}: {row.file}:{row.line}:{row.column}: {row.code} {row.message}"
            for what, rows in parts
            for row in rows
        ]


def rows_in(report: Report, root: Path) -> list[Row]:
    """The findings in one file of a repository, unjudged."""
    name = Path(report.filename).relative_to(root).as_posix()
    return [
        Row(
            name,
            f.line,
            f.column,
            f.code,
            f.severity.value,
            f.message.replace(f"{root}/", ""),
            "unjudged",
            "",
        )
        for f in report.findings
    ]


def linted(root: Path, jobs: int = 1) -> tuple[int, tuple[Row, ...]]:
    """The lines of all Python files under a directory, and every finding there when all are
    asked for; suppression comments count for nothing."""
    files = [file for file in sorted(root.rglob("*.py")) if file.is_file()]
    session = Session(Settings(noqa="none"))
    paths = [str(file) for file in files]
    session.ask(paths)
    rows = {}
    with Workers(jobs) as workers:
        workers.start(paths, [(session, path) for path in paths])
        for path in paths:
            workers.await_entries(session, path)
            rows.update({row.key: row for row in rows_in(session.check(path), root)})
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    return lines, tuple(rows[key] for key in sorted(rows))


def compare(recorded: Sequence[Row], found: Sequence[Row]) -> Difference:
    """The difference of what is found to what is recorded."""
    before = {row.key: row for row in recorded}
    after = {row.key: row for row in found}
    return Difference(
        tuple(after[key] for key in sorted(after.keys() - before.keys())),
        tuple(before[key] for key in sorted(before.keys() - after.keys())),
        tuple(
            after[key]
            for key in sorted(after.keys() & before.keys())
            if (after[key].severity, after[key].message)
            != (before[key].severity, before[key].message)
        ),
    )


def updated(ledger: Ledger, lines: int, found: Iterable[Row]) -> Ledger:
    """The ledger of what is found, with the verdicts that are known."""
    judged = {row.key: row for row in ledger.rows}
    rows = tuple(
        replace(row, verdict=judged[row.key].verdict, reason=judged[row.key].reason)
        if row.key in judged
        else row
        for row in found
    )
    return replace(ledger, lines=lines, rows=rows)


def _summary(name: str, ledger: Ledger) -> str:
    """One line: the size of a repository and its findings by severity."""
    counts = Counter(row.severity for row in ledger.rows)
    said = ", ".join(f"{counts[s]} {s}" for s in SEVERITIES if counts[s])
    rate = 1000 * len(ledger.rows) / ledger.lines if ledger.lines else 0.0
    size = f"{ledger.lines / 1000:.1f} KLOC"
    return f"{name}: {size} at {ledger.commit[:10]}, {said or 'no findings'} ({rate:.3f} per KLOC)"


def report(ledgers: dict[str, Ledger]) -> list[str]:
    """The lines that say what was found in all repositories, by rule and by severity."""
    rows = [row for ledger in ledgers.values() for row in ledger.rows]
    lines = sum(ledger.lines for ledger in ledgers.values())
    said = [_summary(name, ledger) for name, ledger in ledgers.items()]
    said += ["", f"total: {lines / 1000:.1f} KLOC, {len(rows)} findings", *table(rows, lines)]
    verdicts = Counter(row.verdict for row in rows)
    judged = verdicts["right"] + verdicts["wrong"]
    low, high = interval(verdicts["right"], judged)
    said.append(
        f"judged: {verdicts['right']} right, {verdicts['wrong']} wrong; "
        f"{verdicts['unclear']} unclear, {verdicts['unjudged']} unjudged; "
        f"precision in [{low:.3f}, {high:.3f}] (Wilson, 95 %)"
    )
    return said


def _errors(ledger: Ledger, verdict: str) -> list[str]:
    return [
        f"  {verdict}: {row.file}:{row.line}:{row.column}: {row.code} {row.message}"
        for row in ledger.rows
        if row.verdict == verdict and row.severity == "error"
    ]


def _check(
    name: str, path: Path, options: argparse.Namespace, folder: Path
) -> tuple[Ledger, list[str]]:
    """Lints one checkout: its ledger as it would be now, and what is wrong with it."""
    ledger = read(name, folder)
    commit = commit_of(path)
    if commit is not None and commit != ledger.commit:
        return ledger, [f"{name}: at commit {commit}, recorded is {ledger.commit}"]
    lines, found = linted(path / ledger.root, options.jobs)
    difference = compare(ledger.rows, found)
    now = updated(ledger, lines, found)
    if options.update:
        write(name, now, folder)
    wrong = [] if options.update else difference.lines()
    if options.update or not difference:
        wrong += _errors(now, "unjudged")
    if wrong:
        wrong.insert(0, f"{name}: differs from its ledger, or holds errors that nobody judged")
    return now, wrong


def command_line() -> argparse.ArgumentParser:
    """What both this command and that on applications take."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--list", type=Path, help="a file with one NAME=PATH a line")
    parser.add_argument("--update", action="store_true", help="record what is found")
    return parser


def read_arguments(
    parser: argparse.ArgumentParser, arguments: Sequence[str], folder: Path
) -> tuple[argparse.Namespace, list[tuple[str, Path]]]:
    """The options, and the names and paths of checkouts that have ledgers in a folder."""
    options = parser.parse_args(arguments)
    given = list(options.checkouts)
    if options.list is not None:
        given += [one.strip() for one in options.list.read_text("utf-8").splitlines()]
    pairs = [one.partition("=") for one in given if one and not one.startswith("#")]
    for name, _, path in pairs:
        if not Path(path).is_dir() or not (folder / f"{name}.toml").is_file():
            parser.error(f"{name}={path}: no such ledger or directory")
    return options, [(name, Path(path).resolve()) for name, _, path in pairs]


def recorded(folder: Path) -> dict[str, Ledger]:
    """All ledgers of a folder, by name."""
    return {path.stem: read(path.stem, folder) for path in sorted(folder.glob("*.toml"))}


def main(arguments: Sequence[str], folder: Path = LEDGERS) -> int:
    """Lints each NAME=PATH, reports the ledgers without any; 1 if something is not as recorded."""
    parser = command_line()
    parser.description = __doc__.partition("\n")[0]
    parser.add_argument("--jobs", type=int, default=1)
    options, checkouts = read_arguments(parser, arguments, folder)
    if not checkouts:
        print("\n".join(report(recorded(folder))))
        return 0
    ledgers: dict[str, Ledger] = {}
    wrong: list[str] = []
    for name, path in checkouts:
        ledgers[name], found = _check(name, path, options, folder)
        wrong += found
    known = [line for ledger in ledgers.values() for line in _errors(ledger, "wrong")]
    print("\n".join([*report(ledgers), *known, *wrong]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

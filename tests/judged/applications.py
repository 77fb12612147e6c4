"""Lints pinned applications as whole projects: what traced code reaches, and how right it is.

Usage: python tests/judged/applications.py [--update] [--list FILE] [NAME=PATH ...]

NAME is a ledger in fixtures/applications, PATH a checkout of that repository; a list file has one
NAME=PATH a line. All files of a repository are asked for at once, so that a finding is shown where
it happens, wherever tracing starts. Prints for each repository the places where tracing starts,
the functions that are reached, the calls in them and the share that is not known, by reason, then
the difference to the ledger, and the precision of judged findings of all. Without any PATH the
ledgers themselves are reported. `--update` records what is found: verdicts stay, new findings are
unjudged. The exit code is 1 if there is a difference, a finding at error severity that nobody
judged, or another commit than recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ecosystem import (
    command_line,
    compare,
    read_arguments,
    recorded,
    report,
    rows_in,
    updated,
)
from ledgers import Ledger, Row, commit_of, read, write

from jaxlint.base.surveys.call_graph import Survey
from jaxlint.session.session import Session
from jaxlint.settings import Settings

APPLICATIONS = Path(__file__).parents[2] / "fixtures" / "applications"
_MOST_REASONS = 8


def surveyed(root: Path) -> tuple[int, tuple[Row, ...], Survey]:
    """The lines of all Python files under a directory, every finding there, and what traced code
    reaches; suppression comments count for nothing."""
    paths = [file for file in sorted(root.rglob("*.py")) if file.is_file()]
    session = Session(Settings(noqa="none"), surveys=True)
    names = {str(path): path.relative_to(root).as_posix() for path in paths}
    session.ask(names)
    rows = {row.key: row for path in names for row in rows_in(session.check(path), root)}
    lines = sum(path.read_bytes().count(b"\n") for path in paths)
    return lines, tuple(rows[key] for key in sorted(rows)), session.survey(names)


def reach(name: str, survey: Survey) -> list[str]:
    """The lines that say how much of the traced code of a repository is seen."""
    said = [
        f"{name}: {len(survey.starts) + len(survey.blind)} entry points, "
        f"{len(survey.functions)} functions reached, {len(survey.calls)} calls, "
        f"{survey.share:.1%} unknown"
    ]
    reasons = survey.reasons()
    said += [f"  {count}: {reason}" for reason, count in reasons[:_MOST_REASONS]]
    rest = sum(count for _, count in reasons[_MOST_REASONS:])
    return [*said, f"  {rest}: other reasons"] if rest else said


def _check(name: str, path: Path, update: bool, folder: Path) -> tuple[Ledger, list[str]]:
    """Lints one checkout: its ledger as it would be now, and what is wrong with it."""
    ledger = read(name, folder)
    commit = commit_of(path)
    if commit is not None and commit != ledger.commit:
        return ledger, [f"{name}: at commit {commit}, recorded is {ledger.commit}"]
    lines, found, survey = surveyed(path / ledger.root)
    print("\n".join(reach(name, survey)))
    difference = compare(ledger.rows, found)
    now = updated(ledger, lines, found)
    if update:
        write(name, now, folder)
    wrong = [] if update else difference.lines()
    wrong += [
        f"  unjudged: {row.file}:{row.line}:{row.column}: {row.code} {row.message}"
        for row in now.rows
        if row.verdict == "unjudged" and row.severity == "error"
    ]
    return now, [f"{name}: differs from its ledger", *wrong] if wrong else []


def main(arguments: Sequence[str], folder: Path = APPLICATIONS) -> int:
    """Lints each NAME=PATH, reports the ledgers without any; 1 if something is not as recorded."""
    parser = command_line()
    parser.description = __doc__.partition("\n")[0]
    options, checkouts = read_arguments(parser, arguments, folder)
    if not checkouts:
        print("\n".join(report(recorded(folder))))
        return 0
    ledgers: dict[str, Ledger] = {}
    wrong: list[str] = []
    for name, path in checkouts:
        ledgers[name], found = _check(name, path, options.update, folder)
        wrong += found
    print("\n".join([*report(ledgers), *wrong]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

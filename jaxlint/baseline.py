"""Baselines: findings that are known, written to a file and no longer reported.

What a finding is known by is in `jaxlint.results.fingerprints`. Findings that are equal in all of
that are counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from jaxlint.base.dataclass import replace
from jaxlint.base.errors import SettingsError, reason
from jaxlint.base.finding import Finding
from jaxlint.base.own_codes import INTERNAL_ERROR, SYNTAX_ERROR
from jaxlint.base.text import SourceText
from jaxlint.base.wording import counted, nearest
from jaxlint.project.file_systems.files import FileSystem
from jaxlint.results.fingerprints import Identities, Known
from jaxlint.results.report import Report

_MARK = "jaxlint-baseline"
_FORMAT = 1
_ROW = {"code": str, "rule": str, "function": str, "text": str, "count": int}
# A file of which one of these is said was not checked.
_NOT_CHECKED = (SYNTAX_ERROR.code, INTERNAL_ERROR.code)


class Baseline:
    """The findings of one file of known findings, by the paths of theirs, which are relative to
    its directory. `hidden` counts those that were found again."""

    def __init__(self, path: str, known: Mapping[str, Counter[Known]]) -> None:
        self.path = path
        self.hidden = 0
        self._known = known
        # What was not found again, of the files that were checked.
        self._missed: dict[str, Counter[Known]] = {}

    def without_known(self, report: Report) -> Report:
        """A report without the findings that are known."""
        codes = {one.code for one in report.findings}
        if report.problems or (codes and codes.issubset(_NOT_CHECKED)):
            return report
        name = relative(report.filename, self.path)
        left = Counter(self._known.get(name, Counter()))
        self._missed[name] = left
        if not left or report.source is None:
            return report
        identities = Identities(report.source)
        new = [one for one in report.findings if not _take(left, identities.of(one))]
        # Code may have moved to another function.
        new = [one for one in new if not _take_anywhere(left, identities.of(one))]
        self._missed[name] = +left
        self.hidden += len(report.findings) - len(new)
        return replace(report, findings=tuple(new), source=report.source if new else None)

    def stale(self, is_running: Callable[[str], bool]) -> int:
        """How many known findings were not found in the files that were checked, as far as
        their rules ran."""
        return sum(
            count
            for missed in self._missed.values()
            for known, count in missed.items()
            if is_running(known.code)
        )

    @property
    def checked(self) -> frozenset[str]:
        """The files that were checked, as the baseline names them."""
        return frozenset(self._missed)

    def gone(self, checked: Collection[str], is_there: Callable[[str], bool]) -> int:
        """How many known findings belong to files that no longer exist, apart from those that
        were checked."""
        directory = os.path.dirname(self.path)
        return sum(
            known.total()
            for name, known in self._known.items()
            if name not in checked and not is_there(os.path.join(directory, name))
        )


def written(reports: Iterable[tuple[SourceText, Iterable[Finding]]], path: str) -> tuple[str, int]:
    """The file of these findings, and how many there are. Those that say that a file was not
    checked are left out."""
    rows: dict[str, Counter[Known]] = {}
    for source, findings in reports:
        wanted = [one for one in findings if one.code not in _NOT_CHECKED]
        if wanted:
            identities = Identities(source)
            known = rows.setdefault(relative(source.path, path), Counter())
            known.update(map(identities.of, wanted))
    found = {
        name: [{**one._asdict(), "count": count} for one, count in sorted(known.items())]
        for name, known in sorted(rows.items())
    }
    document = {_MARK: _FORMAT, "findings": found}
    count = sum(known.total() for known in rows.values())
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n", count


def read(path: str, files: FileSystem) -> Baseline:
    """The baseline in a file. Raises SettingsError, which names file and cause."""
    try:
        document = json.loads(files.read(path).decode())
    except OSError as error:
        raise SettingsError(f"{path}: {reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: not a baseline of jaxlint: {error}") from error
    if not isinstance(document, dict) or _MARK not in document:
        raise SettingsError(
            f"{path}: not a baseline of jaxlint: it has no {_MARK!r}{_like(document)}"
        )
    if document[_MARK] != _FORMAT:
        raise SettingsError(
            f"{path}: a baseline of format {document[_MARK]!r}, and this version of jaxlint reads "
            f"format {_FORMAT}: write it anew with --write-baseline"
        )
    table = document.get("findings")
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: findings must be an object of lists by file")
    return Baseline(path, {name: _rows(name, rows, path) for name, rows in table.items()})


def summary(baselines: Iterable[tuple[Baseline, int]], is_there: Callable[[str], bool]) -> str:
    """How many findings are known, and how many of those that were are found no more; each
    baseline comes with the number of the latter in files that were checked."""
    hidden = stale = 0
    same: dict[str, list[Baseline]] = {}
    for baseline, missed in baselines:
        hidden, stale = hidden + baseline.hidden, stale + missed
        same.setdefault(baseline.path, []).append(baseline)
    for them in same.values():
        checked = frozenset[str]().union(*(one.checked for one in them))
        stale += them[0].gone(checked, is_there)
    lines = f"{counted(hidden, 'finding')} of the baseline not reported.\n" if hidden else ""
    if stale:
        lines += f"{counted(stale, 'finding')} of the baseline found no more: write it anew.\n"
    return lines


def relative(filename: str, baseline: str) -> str:
    """The name of a file in a baseline: relative to it, with slashes."""
    directory = os.path.dirname(os.path.abspath(baseline))
    try:
        name = os.path.relpath(os.path.abspath(filename), directory)
    except ValueError:
        # It is on another drive.
        name = os.path.abspath(filename)
    return name.replace(os.sep, "/")


def _rows(name: str, rows: Any, path: str) -> Counter[Known]:
    found: Counter[Known] = Counter()
    for row in rows if isinstance(rows, list) else [None]:
        if not isinstance(row, dict) or any(type(row.get(key)) is not _ROW[key] for key in _ROW):
            keys = ", ".join(_ROW)
            raise SettingsError(f"{path}: findings of {name!r} must be a list of objects of {keys}")
        found[Known(*(row[key] for key in Known._fields))] += row["count"]
    return +found


def _like(document: Any) -> str:
    """A suggestion, if a key is misspelt."""
    close = nearest(_MARK, document) if isinstance(document, dict) else ""
    return f" but {close!r}" if close else ""


def _take(left: Counter[Known], wanted: Known) -> bool:
    """Whether a finding was left among those that are known; then it is no longer."""
    if left[wanted] <= 0:
        return False
    left[wanted] -= 1
    return True


def _take_anywhere(left: Counter[Known], wanted: Known) -> bool:
    same = (one for one in sorted(+left) if (one.code, one.text) == (wanted.code, wanted.text))
    one = next(same, None)
    return one is not None and _take(left, one)

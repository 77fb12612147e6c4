"""Carries out the repairs of findings on files: first on drafts of them, then on the disk."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from jaxlint.base.errors import DocumentError, reason
from jaxlint.base.finding import Finding
from jaxlint.fix.text import Wanted, mended
from jaxlint.project.drafts import Drafts
from jaxlint.project.files import FileSystem, Problem
from jaxlint.project.writing import write_whole
from jaxlint.reports import Report
from jaxlint.syntax.documents import is_document
from jaxlint.syntax.editing import REFUSALS, editable

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class MendedFiles:
    """The files of a run that repairs change. Nothing is written before `save`."""

    def __init__(self, files: FileSystem, wanted: Wanted) -> None:
        self.drafts = Drafts(files)
        self.fixed: list[Finding] = []
        self.problems: list[Problem] = []
        self._files = files
        self._wanted = wanted
        # By path: what the files held, and what they are to hold.
        self._texts: dict[str, tuple[bytes, bytes]] = {}
        self._refused: set[str] = set()

    def mend(self, reports: Iterable[Report]) -> list[str]:
        """Carries out what is wanted of the repairs in these reports, and tells the files whose
        drafts are others now."""
        return [report.filename for report in reports if self._mend(report)]

    def _mend(self, report: Report) -> bool:
        path = report.filename
        if path in self._refused or not any(map(self._wanted, report.findings)):
            return False
        try:
            data = self.drafts.read(path)
            file = editable(data, path)
            result = mended(file.source, report.findings, self._wanted)
            new = file.rewritten(result.text) if result.findings else data
        except OSError as error:
            self._refuse(path, reason(error))
            return False
        except (*REFUSALS, DocumentError) as error:
            self._refuse(path, str(error))
            return False
        if not result.findings:
            return False
        self._texts[path] = (self._texts.get(path, (data,))[0], new)
        self.drafts.draft(path, new)
        self.fixed += result.findings
        return True

    def _refuse(self, path: str, message: str) -> None:
        self._refused.add(path)
        self.problems.append(Problem(path, f"cannot be fixed: {message}"))

    def save(self) -> Iterator[Problem]:
        """Writes all that has changed; gives the files that cannot be written, or that somebody
        else has changed meanwhile."""
        for path, (old, new) in self._texts.items():
            message = self._write(path, old, new)
            if message:
                self.fixed = [one for one in self.fixed if one.filename != path]
                yield Problem(path, f"not fixed: {message}")

    def _write(self, path: str, old: bytes, new: bytes) -> str:
        """Writes a file; why not, if that cannot be done."""
        try:
            if self._files.read(path) != old:
                return "the file has changed meanwhile"
            write_whole(path, new)
        except OSError as error:
            return reason(error)
        return ""

    def differences(self) -> Iterator[str]:
        """The changes as unified diffs, file by file."""
        for path, (old, new) in self._texts.items():
            yield difference(path, _text(old, path), _text(new, path))


def _text(data: bytes, path: str) -> str:
    """What somebody sees who opens a file."""
    return data.decode() if is_document(path) else editable(data, path).source


def difference(path: str, old: str, new: str) -> str:
    """The change of a text as a unified diff, empty if there is none."""
    before, after = (_LINE.findall(text) for text in (old, new))
    lines = []
    for line in difflib.unified_diff(before, after, path, path):
        missing = "" if line.endswith(("\n", "\r")) else "\n\\ No newline at end of file\n"
        lines.append(line + missing)
    return "".join(lines)

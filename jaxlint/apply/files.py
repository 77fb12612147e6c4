"""Carries out the fixes of findings on files: first on drafts of them, then on the disk."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from jaxlint.base.errors import DocumentError, reason
from jaxlint.base.file_stats import NOTEBOOK
from jaxlint.base.finding import Finding
from jaxlint.base.printable import one_line
from jaxlint.project.file_systems.files import FileSystem, Problem
from jaxlint.project.file_systems.overlays import Drafts
from jaxlint.project.file_systems.writing import write_whole
from jaxlint.syntax.formats.documents import is_document
from jaxlint.syntax.formats.editing import REFUSALS, editable

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class FixedFiles:
    """The files of a run that fixes change. Nothing is written before `save`."""

    def __init__(self, files: FileSystem) -> None:
        self.drafts = Drafts(files)
        self.fixed: list[Finding] = []
        self.problems: list[Problem] = []
        self._files = files
        # By path: what the files held, and what they are to hold.
        self._texts: dict[str, tuple[bytes, bytes]] = {}

    def text(self, path: str) -> str | None:
        """The Python in a file, None if it cannot be written as it was read."""
        try:
            data = self.drafts.read(path)
            return editable(data, path).source
        except OSError as error:
            message = reason(error)
        except (*REFUSALS, DocumentError) as error:
            message = str(error)
        self.problems.append(Problem(path, f"cannot be fixed: {message}"))
        return None

    def put(self, path: str, text: str) -> bool:
        """Has a file hold other Python, what it held at first where that cannot be written; whether
        it holds something else now."""
        data = self.drafts.read(path)
        old = self._texts.get(path, (data,))[0]
        try:
            new = editable(old, path).rewritten(text)
        except (*REFUSALS, DocumentError):
            new = old
        if new == data:
            return False
        self._texts[path] = old, new
        self.drafts.draft(path, new)
        return True

    def save(self) -> Iterator[Problem]:
        """Writes all that has changed; gives the files that cannot be written, or that somebody
        else has changed meanwhile."""
        for path, (old, new) in self._texts.items():
            if old == new:
                continue
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
            yield shown_difference(path, old, new)


def shown_difference(path: str, old: bytes, new: bytes) -> str:
    """The change of a file as a unified diff, for each cell of a notebook."""
    if not path.endswith(NOTEBOOK):
        return difference(path, _text(old, path), _text(new, path))
    from jaxlint.syntax.formats import notebooks

    cells = zip(notebooks.read(old).texts, notebooks.read(new).texts, strict=True)
    return "".join(
        difference(f"{path}:cell {number}", before, after) for (number, before), (_, after) in cells
    )


def _text(data: bytes, path: str) -> str:
    """What somebody sees who opens a file."""
    return data.decode() if is_document(path) else editable(data, path).source


def difference(path: str, old: str, new: str) -> str:
    """The change of a text as a unified diff, empty if there is none."""
    before, after = (_LINE.findall(text) for text in (old, new))
    lines = []
    for line in difflib.unified_diff(before, after, *(one_line(path),) * 2):
        missing = "" if line.endswith(("\n", "\r")) else "\n\\ No newline at end of file\n"
        lines.append(line + missing)
    return "".join(lines)

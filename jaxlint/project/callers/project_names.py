"""The files of a project by what their statements mention: which lead to which, and what an edit
left as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from jaxlint.project.callers.edits import Definitions, Edit, definitions, edit
from jaxlint.project.callers.outlines import Outline, outline
from jaxlint.project.callers.search import Callers

if TYPE_CHECKING:
    from jaxlint.project.class_questions import ClassQuestions
    from jaxlint.project.modules import Resolver


class Remembered(Protocol):
    """The outlines that were read in earlier runs."""

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, None where that is not known."""

    def keep_outline(self, path: str, outline: Outline) -> None:
        """Takes in the outline of a file that was read."""


class Files(Protocol):
    """What is asked of the project."""

    def modules(self) -> Iterable[str]:
        """All files of the project that others may import."""

    def classes(self, path: str) -> ClassQuestions:
        """The classes around a file."""

    def text(self, path: str) -> bytes:
        """The Python in a file, nothing where it cannot be read."""

    def load(self, path: str) -> object | None:
        """The parsed file, None where it cannot be read."""


class ProjectNames:
    """The outlines of a project's files. Imports of packages in `ignored` do not count."""

    def __init__(
        self,
        files: Files,
        ignored: frozenset[str],
        resolver: Resolver,
        remembered: Remembered | None,
    ) -> None:
        self._files = files
        self._ignored = ignored
        self._resolver = resolver
        self._remembered = remembered
        self._outlines: dict[str, Outline] = {}
        self._callers: Callers | None = None
        # The definitions on which results rest, of files that have changed since.
        self._before: dict[str, Definitions] = {}

    def leading_to(self, paths: Iterable[str]) -> frozenset[str]:
        """The files whose analysis may lead into one of these; these among them. Nobody calls into
        notebooks and the like."""
        return self._search().of(paths)

    def affected_by(self, edits: Mapping[str, Edit]) -> frozenset[str]:
        """The files whose analysis may lead to what was edited."""
        return self._search().affected_by(edits)

    def definitions(self, path: str) -> Definitions:
        """The definitions at the top level of a file."""
        return definitions(self._files.text(path))

    def edited(self, path: str, before: Definitions) -> Edit | None:
        """What an edit of a file, which once held these definitions, changed: None where more than
        bodies of them, or one of a function that importing files may call for what it does."""
        if self._files.load(path) is None:
            return None
        found = edit(before, self.definitions(path))
        if found is None or self._search().runs_at_import(path, found.mentions_changed):
            return None
        return found

    def note(self, path: str, source: str) -> None:
        """Notes what a file held before it changes, unless it changed already."""
        if path not in self._before:
            self._before[path] = definitions(source.encode("utf-8", "surrogatepass"))

    def edited_since(self, path: str) -> Edit | None:
        """What changed in a file since that was noted, as `edited` tells."""
        before = self._before.pop(path, None)
        return None if before is None else self.edited(path, before)

    def changed(self, path: str) -> None:
        """Takes in that a file holds something else than before."""
        self._outlines.pop(path, None)
        self._callers = None

    def files_changed(self) -> None:
        """Takes in that there are other files, or that they import others."""
        self._callers = None

    def _search(self) -> Callers:
        if self._callers is None:
            outlines = {path: self._outline(path) for path in self._files.modules()}
            classes = self._files.classes(next(iter(outlines), ""))
            self._callers = Callers(outlines, self._resolver, classes.may_be_imported, classes)
        return self._callers

    def _outline(self, path: str) -> Outline:
        known = self._outlines.get(path)
        if known is None and self._remembered is not None:
            known = self._remembered.outline(path)
        if known is None:
            known = outline(self._files.text(path), self._ignored)
            if self._remembered is not None:
                self._remembered.keep_outline(path, known)
        self._outlines[path] = known
        return known

"""Texts that stand in for a file: what an editor holds, or standard input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from jaxlint.project.file_systems.files import FileSystem, Overlay


class Checking(Protocol):
    """A session, as far as drafts are concerned."""

    def changed(self, path: str) -> object:
        """Takes in that the text of a file changed."""


S = TypeVar("S", bound=Checking)


class Drafts(Generic[S]):
    """The session of the last draft. The next text of the same file gets the same session, so that
    results that do not depend on the change stay known."""

    def __init__(self) -> None:
        self._last: tuple[str, Overlay, S] | None = None

    def session(
        self, path: str, source: str | bytes, files: FileSystem, begin: Callable[[FileSystem], S]
    ) -> S:
        """A session in which a file holds this text, and all others what `files` holds; `begin`
        makes a new one."""
        if self._last is None or self._last[0] != path:
            overlay = Overlay(files, path, source)
            self._last = path, overlay, begin(overlay)
        _, overlay, session = self._last
        if overlay.replace(source):
            session.changed(path)
        return session

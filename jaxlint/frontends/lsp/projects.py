"""What is known of the projects that an editor shows files of, kept from one edit to the next."""

from __future__ import annotations

import os
from collections.abc import Callable

from jaxlint.base.errors import JaxlintError
from jaxlint.base.explanation import Explanation
from jaxlint.base.slotted import replace
from jaxlint.frontends.lsp.documents import Documents, News
from jaxlint.project.ignore import excluded
from jaxlint.session import Report, Session
from jaxlint.settings import Configuration, Settings


class Projects:
    """Checks open documents. Of what an edit does not touch, nothing is read or traced again.

    `complaints` are the errors in configuration files, by the directory that they concern.
    """

    def __init__(self) -> None:
        self.documents = Documents()
        self.complaints: dict[str, str] = {}
        self._open: dict[str, str] = {}
        self._configuration = Configuration(files=self.documents)
        self._settings: dict[str, Settings] = {}
        self._sessions: dict[Settings, Session] = {}
        # Open documents whose report may be another one now.
        self._outdated: set[str] = set()
        # Open documents of which something was shown.
        self._seen: set[str] = set()

    # -- what the editor says ---------------------------------------------------------------------

    def put(self, path: str, text: str) -> None:
        """Opens a document or changes its text."""
        news = self.documents.put(path, text)
        if path not in self._open:
            self._open[path] = self.documents.identity(path)
            for session in self._sessions.values():
                session.ask([path])
            # What was shown elsewhere because this was not open is shown here now.
            self._outdated.update(self._open)
        self._outdated.add(path)
        self._take(news)

    def close(self, path: str) -> None:
        """Closes a document."""
        if self._open.pop(path, None) is None:
            return
        self._outdated.discard(path)
        self._seen.discard(path)
        for session in self._sessions.values():
            session.dismiss(path)
        self._outdated.update(self._open)
        self._take(self.documents.close(path))
        if not self._open:
            self._renew()

    def look(self) -> None:
        """Takes in what has changed on the disk."""
        self._take(self.documents.news())

    def outdated(self) -> list[str]:
        """The open documents that should be checked, those that were edited last first."""
        return [path for path in reversed(self._open) if path in self._outdated]

    # -- what the editor gets ---------------------------------------------------------------------

    def check(
        self,
        path: str,
        is_stale: Callable[[], bool],
        show: Callable[[Report], None] = lambda report: None,
    ) -> Report | None:
        """The report on an open document; None if it was found meanwhile that nobody wants it.
        What the document itself tells is shown first, if nothing was so far."""
        settings = self._near(os.path.dirname(path))
        if excluded(settings.exclude).covers(path):
            self._outdated.discard(path)
            return Report(path)
        session = self._session(settings)
        file = self.documents.identity(path)
        entries = session.entries_for(path)
        if path not in self._seen and not all(map(session.known, entries)):
            show(session.glance(path))
        self._seen.add(path)
        for entry in sorted(entries, key=lambda entry: entry != file):
            if is_stale():
                return None
            session.examine(entry)
        report = session.check(path)
        self._outdated.discard(path)
        return report

    def why(self, path: str, line: int, column: int) -> Explanation | None:
        """Why a value in an open document is what it is, None where nothing is to be said."""
        settings = self._near(os.path.dirname(path))
        if path not in self._open or excluded(settings.exclude).covers(path):
            return None
        try:
            return self._session(settings).why(path, line, column)
        except JaxlintError:
            return None

    # -- inside -----------------------------------------------------------------------------------

    def _take(self, news: News) -> None:
        if news.structure:
            self._renew()
            return
        dropped = {
            one
            for session in self._sessions.values()
            for file in news.files
            for one in session.changed(file, patient=True)
        }
        for path, file in self._open.items():
            if path not in self._outdated and dropped:
                sessions = self._sessions.values()
                entries = {one for session in sessions for one in session.entries_for(path)}
                if not dropped.isdisjoint({file, *entries}):
                    self._outdated.add(path)

    def _renew(self) -> None:
        """Forgets everything: modules may be elsewhere now, settings may be others."""
        self.documents.forget()
        self._configuration = Configuration(files=self.documents)
        self._sessions.clear()
        self._outdated.update(self._open)

    def _near(self, directory: str) -> Settings:
        """The settings for a directory, the last good ones while they are wrong."""
        try:
            settings = self._settings[directory] = self._configuration.near(directory)
        except JaxlintError as error:
            self.complaints[directory] = str(error)
            return self._settings.get(directory, Settings())
        self.complaints.pop(directory, None)
        return settings

    def _session(self, settings: Settings) -> Session:
        session = self._sessions.get(settings)
        if session is None:
            try:
                session = Session(settings, self.documents)
            except JaxlintError as error:
                self.complaints[settings.base] = str(error)
                plain = replace(
                    settings, selections=(), file_ignores=(), severities=(), baseline=""
                )
                session = Session(plain, self.documents)
            session.ask(self._open)
            self._sessions[settings] = session
        return session

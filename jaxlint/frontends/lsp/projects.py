"""What is known of the projects that an editor shows files of, kept from one edit to the next."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from jaxlint.apply.rounds import settled
from jaxlint.apply.text import Wanted
from jaxlint.base.dataclass import replace
from jaxlint.base.errors import Interrupted, JaxlintError
from jaxlint.base.explanation import Explanation, Mark
from jaxlint.base.finding import Finding
from jaxlint.frontends.lsp.documents import Documents, News
from jaxlint.frontends.lsp.interim import Elsewhere, elsewhere, interim
from jaxlint.frontends.lsp.preferences import Preferences, nearest
from jaxlint.project.ignore import excluded
from jaxlint.results.report import quotable
from jaxlint.session.session import Report, Session, Stop
from jaxlint.settings import Configuration, Settings
from jaxlint.syntax.formats.documents import is_document

T = TypeVar("T")
# How long the answer to a question may take, in seconds: what is known by then is shown.
_MOST_WAIT = 3.0


class Projects:
    """Checks open documents. Of what an edit does not touch, nothing is read or traced again.

    `complaints` are the errors in configuration files, by the directory that they concern.
    """

    def __init__(self) -> None:
        self.documents = Documents()
        self.complaints: dict[str, str] = {}
        self._open: dict[str, str] = {}
        self._preferences: Mapping[str, Preferences] = {}
        # By the folder of the editor, empty for what is in none.
        self._configurations: dict[str, Configuration] = {}
        self._settings: dict[str, Settings] = {}
        self._sessions: dict[Settings, Session] = {}
        # Open documents whose report may be another one now.
        self._outdated: set[str] = set()
        # What other files found in open documents when they were last checked in full.
        self._elsewhere: dict[str, Elsewhere] = {}
        # The marks of open documents that are not outdated.
        self._marks: dict[str, tuple[Mark, ...]] = {}

    # -- what the editor says ---------------------------------------------------------------------

    def prefer(self, preferences: Mapping[str, Preferences]) -> None:
        """Takes in what the editor wants in its folders, and elsewhere under the empty name."""
        self._preferences = preferences
        self._settings.clear()
        self.complaints.clear()
        self._renew()

    def put(self, path: str, text: str) -> None:
        """Opens a document or changes its text."""
        news = self.documents.put(path, text)
        if path not in self._open:
            self._open[path] = self.documents.identity(path)
            for session in self._sessions.values():
                session.ask([path])
            # What was shown elsewhere because this was not open is shown here now.
            self._outdate(self._open)
        self._outdate([path])
        self._take(news)

    def holds(self, path: str, text: str) -> bool:
        """Whether a document is open with this text."""
        return path in self._open and self.documents.source(path) == text

    def close(self, path: str) -> None:
        """Closes a document."""
        if self._open.pop(path, None) is None:
            return
        self._outdated.discard(path)
        self._elsewhere.pop(path, None)
        self._marks.pop(path, None)
        for session in self._sessions.values():
            session.dismiss(path)
        self._outdate(self._open)
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
        is_stale: Stop,
        show: Callable[[Report], None] = lambda report: None,
    ) -> Report | None:
        """The report on an open document; None if it was found meanwhile that nobody wants it.
        What the document itself tells now is shown first, with what the files that lead to it
        told before: to examine those takes longer."""
        settings = self._near(os.path.dirname(path))
        if is_document(path) or excluded(settings.exclude).covers(path):
            # What an editor shows of a notebook's file is JSON.
            self._outdated.discard(path)
            return Report(path)
        session = self._session(settings)
        file = self.documents.identity(path)
        source = quotable(self.documents.source(path), path)
        known = self._elsewhere.get(path)
        is_new = known is None or not session.known(file)
        try:
            own = session.glance(path, is_stale)
            if is_new:
                show(interim(source, own, known))
            # Which other files lead here takes a while to find.
            for entry in session.entries_for(path):
                session.examine(entry, is_stale)
        except Interrupted:
            return None
        report = session.check(path)
        self._elsewhere[path] = elsewhere(source, report, own)
        self._outdated.discard(path)
        return report

    def why(self, path: str, line: int, column: int, stop: Stop) -> Explanation | None:
        """Why a value in an open document is what it is, as far as there is time to find out; None
        where nothing is to be said. Raises Interrupted once `stop` says so."""
        return self._told(path, lambda it, until: it.why(path, line, column, until), stop)

    def marks(self, path: str, stop: Stop) -> tuple[Mark, ...]:
        """What names in an open document are in traced code, as far as there is time to find out.
        Raises Interrupted once `stop` says so."""
        if path not in self._marks:
            marks = self._told(path, lambda it, until: it.marks(path, until), stop)
            self._marks[path] = marks or ()
        return self._marks[path]

    def fixed_text(self, path: str, text: str, wanted: Wanted, stop: Stop) -> str:
        """The text of an open document after all fixes that are wanted. Raises Interrupted once
        `stop` says so."""

        def check(changed: str) -> Iterable[Finding]:
            self.put(path, changed)
            report = self.check(path, stop)
            if report is None:
                raise Interrupted
            return report.findings

        try:
            return settled(text, check, wanted, path).text
        finally:
            self.put(path, text)

    # -- inside -----------------------------------------------------------------------------------

    def _told(self, path: str, ask: Callable[[Session, Stop], T], stop: Stop) -> T | None:
        """What a session answers about an open document, None where it cannot."""
        settings = self._near(os.path.dirname(path))
        if path not in self._open or is_document(path) or excluded(settings.exclude).covers(path):
            return None
        until = time.monotonic() + _MOST_WAIT
        try:
            told = ask(self._session(settings), lambda: stop() or time.monotonic() > until)
        except JaxlintError:
            told = None
        if stop():
            raise Interrupted
        return told

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
                    self._outdate([path])

    def _outdate(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._outdated.add(path)
            self._marks.pop(path, None)

    def _renew(self) -> None:
        """Forgets everything: modules may be elsewhere now, settings may be others."""
        self.documents.forget()
        self._configurations.clear()
        self._sessions.clear()
        self._elsewhere.clear()
        self._outdate(self._open)

    def _near(self, directory: str) -> Settings:
        """The settings for a directory, the last good ones while they are wrong."""
        try:
            settings = self._settings[directory] = self._configuration(directory).near(directory)
        except JaxlintError as error:
            self.complaints[directory] = str(error)
            return self._settings.get(directory, Settings())
        self.complaints.pop(directory, None)
        return settings

    def _configuration(self, directory: str) -> Configuration:
        """Where settings for a directory come from. Raises SettingsError."""
        folder = nearest(list(self._preferences), directory)
        if folder not in self._configurations:
            preferences = self._preferences.get(folder, Preferences())
            self._configurations[folder] = preferences.configuration(self.documents)
        return self._configurations[folder]

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

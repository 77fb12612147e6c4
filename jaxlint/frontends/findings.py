"""What flake8 is to report on its files: the part of the plugin that needs the analysis."""

from __future__ import annotations

import gc
import io
import json
import os
import tokenize
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import replace
from jaxlint.base.printable import one_line
from jaxlint.base.runtime import garbage
from jaxlint.cache import runs
from jaxlint.cache.files import Shelf
from jaxlint.cache.folder import Folder, default_directory
from jaxlint.frontends.workers import Workers
from jaxlint.project.file_systems.snapshot import Snapshot
from jaxlint.project.plugins import plugin_files
from jaxlint.session.session import Report, Session, load_registry
from jaxlint.settings import Configuration, Selection, Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

# A line counted from 1, a column counted from 0, a code and a message.
Row = tuple[int, int, str, str]


def judge(directory: str) -> None:
    """Raises SettingsError where the settings for a directory are wrong."""
    settings = Configuration().near(directory)
    if any(one.select or one.extend_select or one.ignore for one in settings.selections):
        load_registry().resolve(settings.selections)


class Findings:
    """What is found in the files of one run of flake8."""

    def __init__(self, options: argparse.Namespace | None, files: Sequence[str]) -> None:
        self._asked = tuple(files)
        self._sessions: dict[Settings, Session] = {}
        selectors: tuple[str, ...] = ()
        if options is not None:
            selectors = (*(options.select or ()), *(options.extend_select or ()))
        # The rules are not imported before something is traced, if nobody names one.
        known = [one for one in selectors if load_registry().selects(one)]
        self._selection = Selection(extend_select=tuple(known))
        self._noqa = options is None or not options.disable_noqa
        self._files = Snapshot(noting=True)
        self._configuration = Configuration(files=self._files)
        self._folder = Folder(default_directory())
        self._shelf = Shelf(self._folder, self._files)

    def rows(self, filename: str, text: str) -> list[Row]:
        """What is found in a file that holds, as flake8 read it, this text."""
        session = self._session(filename)
        try:
            is_saved = _as_flake8_reads(session.files.read(filename)) == text
        except OSError:
            is_saved = False
        report = session.check(filename) if is_saved else session.check_source(text, filename)
        return _rows(session, report)

    def all_rows(self, key: Sequence[str]) -> dict[str, list[Row]]:
        """What is found in every file of the run, by as many processes as are worth it, as far
        as it is not in the cache. The cache gets it under this key."""
        # The run depends on the settings here too: they may be wrong.
        self._configuration.near(os.curdir)
        sessions = [self._session(path) for path in self._asked]
        work = list(zip(sessions, self._asked, strict=True))
        found: dict[str, list[Row]] = {}
        is_sound = not (plugin_files() and load_registry().warnings)
        with garbage.paused(), Workers(0) as workers:
            workers.start(self._asked, work)
            for session, path in work:
                workers.await_entries(session, path)
                report = session.check(path)
                found[path] = _rows(session, report)
                is_sound = is_sound and not (report.crashed or report.problems)
        kept = [session.keep() for session in self._sessions.values()]
        if is_sound and all(kept):
            runs.save(self._folder, key, self._files, [["out", json.dumps(found)]], 0)
        self._sessions.clear()
        # What is left is not worth a look of the collector in each process that flake8 forks.
        gc.freeze()
        return found

    def _session(self, filename: str) -> Session:
        settings = self._configuration.near(os.path.dirname(filename))
        session = self._sessions.get(settings)
        if session is None:
            layered = replace(
                settings,
                selections=(*settings.selections, self._selection),
                noqa="file" if self._noqa else "none",
                # flake8 has no place for them.
                writes_fixes=False,
            )
            session = Session(layered, self._files, shelf=self._shelf)
            self._sessions[settings] = session
            session.ask(self._asked)
        return session


def _rows(session: Session, report: Report) -> list[Row]:
    # flake8 fails for whatever it shows.
    return [
        (finding.line, finding.column - 1, finding.code, one_line(finding.message))
        for finding in report.findings
        if session.settings.fails_for(finding)
    ]


def _as_flake8_reads(data: bytes) -> str:
    """The text that flake8 makes of a file: what cannot be decoded, it takes for Latin-1."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeError):
        text = data.decode("latin-1")
    text = text.removeprefix("\ufeff").removeprefix("\xef\xbb\xbf")
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)

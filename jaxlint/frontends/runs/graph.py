"""One run of `jaxlint graph`: trace the files, and show what traced code reaches."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.printable import one_line
from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.frontends.runs.check import CLEAN, FAILED
from jaxlint.frontends.runs.options import Streams
from jaxlint.frontends.workers import Workers
from jaxlint.project.discovery import discover
from jaxlint.project.file_systems.files import DISK, FileSystem, Problem
from jaxlint.project.ignore import Exclude, excluded
from jaxlint.report import graph
from jaxlint.session.session import Session
from jaxlint.settings import Configuration, Settings

FORMS: Mapping[str, Callable[[Survey], str]] = {
    "text": graph.text,
    "json": graph.as_json,
    "dot": graph.dot,
    "mermaid": graph.mermaid,
}


@slotted(frozen=True)
class Options:
    """What the command line says about a run."""

    paths: tuple[str, ...] = (os.curdir,)
    output_format: str = "text"
    configuration: Configuration = field(default_factory=Configuration)
    jobs: int = 0


@slotted()
class Run:
    """A run under way. `sessions` holds one session for each set of settings in use."""

    options: Options
    streams: Streams
    files: FileSystem = DISK
    sessions: dict[Settings, Session] = field(default_factory=dict)
    failed: bool = False

    def execute(self) -> int:
        """Traces everything and returns the exit code. Raises JaxlintError for bad settings."""
        configuration = self.options.configuration
        asked = self._discover(configuration)
        work = [(self._session(configuration, path), path) for path in asked]
        for session in self.sessions.values():
            session.ask(asked)
        with Workers(self.options.jobs) as workers:
            workers.start(asked, work)
            for session, path in work:
                workers.await_entries(session, path)
                self._note_crashes(session, path)
            survey = merged(
                session.reach([path for one, path in work if one is session])
                for session in self.sessions.values()
            )
        files = frozenset(map(self.files.identity, asked))
        self.streams.out.write(FORMS[self.options.output_format](survey.reaching(files)))
        self.streams.out.flush()
        return FAILED if self.failed else CLEAN

    def _discover(self, configuration: Configuration) -> tuple[str, ...]:
        def exclude(path: str) -> Exclude:
            directory = path if os.path.isdir(path) else os.path.dirname(path)
            return excluded(configuration.near(directory).exclude)

        chosen = configuration.near(os.curdir).run
        found = discover(
            self.options.paths,
            self.files,
            exclude=exclude,
            force_exclude=chosen.force_exclude,
            respect_gitignore=chosen.respect_gitignore,
        )
        for problem in found.problems:
            self._complain(problem)
        return tuple(found.files)

    def _session(self, configuration: Configuration, path: str) -> Session:
        settings = configuration.near(os.path.dirname(path))
        session = self.sessions.get(settings)
        if session is None:
            session = self.sessions[settings] = Session(settings, self.files, surveys="calls")
        return session

    def _note_crashes(self, session: Session, path: str) -> None:
        """A file on which jaxlint fails is missing in the graph."""
        file = self.files.identity(path)
        crash = session.examine(file).crash if file in session.entries_for(path) else None
        if crash is not None:
            self._complain(Problem(path, crash.message))

    def _complain(self, problem: Problem) -> None:
        self.failed = True
        line = one_line(f"{problem.filename}: {problem.message}")
        self.streams.err.write(f"jaxlint: error: {line}\n")

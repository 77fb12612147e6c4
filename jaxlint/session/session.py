"""The core: settings and files go in, a report on each comes out. Prints nothing, exits never.

The entries of one file are traced through whatever they reach, by themselves: what is found
depends on no other file that is checked, nor on the order. A report gathers what was found from
all files whose tracing reaches the one that is reported on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from jaxlint.base.dataclass import replace
from jaxlint.base.errors import reason
from jaxlint.base.own_codes import UNUSED_SUPPRESSION
from jaxlint.base.runtime import garbage
from jaxlint.base.runtime.crash import attempt
from jaxlint.base.runtime.stack import roomy
from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.project.file_systems.files import DISK, FileSystem, Problem
from jaxlint.project.project import Universe
from jaxlint.registry.loading import load_registry
from jaxlint.results.merge import Examined
from jaxlint.results.report import Report
from jaxlint.session.drafts import Drafts
from jaxlint.session.examination import Examination, release
from jaxlint.session.projects import Projects
from jaxlint.session.reports import Reporter
from jaxlint.session.selected import Selected
from jaxlint.session.surveys import Surveys, completed
from jaxlint.settings import Settings

if TYPE_CHECKING:
    from jaxlint.base.explanation import Explanation, Mark
    from jaxlint.baseline import Baseline
    from jaxlint.cache.files import Shelf
    from jaxlint.engine.machine.project import Context
    from jaxlint.registry.registry import Registry
    from jaxlint.session.overrides import Overrides

# The rules, the engine and the parser are most of jaxlint's start-up time: they are imported
# when a file needs them.

__all__ = ["Report", "Session", "load_registry"]

T = TypeVar("T")
# Whether nobody waits for an answer any more.
Stop = Callable[[], bool]


class Session:
    """Checks files with one set of settings.

    A finding is shown in one of the files that are asked for: those given to `ask`, and the file
    that is being checked. It depends on what the files of the project hold, and on nothing
    else. Raises UnknownRuleError or SettingsError for a selector that names no rule.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        files: FileSystem = DISK,
        registry: Registry | None = None,
        surveys: Surveys = False,
        shelf: Shelf | None = None,
    ) -> None:
        self.surveys = surveys
        self.settings = settings or Settings()
        self.files = files
        self._selected = Selected(self.settings, registry)
        self._projects = Projects(self.settings, files, None if surveys else shelf)
        parts = (self.settings, self._projects, self._selected)
        self._examination = Examination(*parts, surveys)
        self._reporter = Reporter(*parts, self._examination)
        self._drafts: Drafts[Session] = Drafts()
        if self.settings.baseline:
            _ = self.baseline

    def __getstate__(self) -> tuple[Any, ...]:
        """What another process has to know to examine files as this session does."""
        # A baseline is for the reports, which are made here.
        settings = replace(self.settings, baseline="")
        return settings, self.files, self.surveys, self._projects.state()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        settings, files, surveys, projects = state
        Session.__init__(self, settings, files, surveys=surveys)
        self._projects.restore(projects)

    @property
    def registry(self) -> Registry:
        """All rules."""
        return self._selected.registry

    @cached_property
    def baseline(self) -> Baseline | None:
        """The findings that are known, and not reported."""
        if not self.settings.baseline:
            return None
        # Runs without a baseline need none of this.
        from jaxlint.baseline import read

        return read(self.settings.baseline, self.files)

    @property
    def overrides(self) -> Overrides | None:
        """The overrides of findings by the settings, None where there are none."""
        return self._selected.overrides

    def ask(self, paths: Iterable[str], named: Iterable[str] = ()) -> None:
        """Names files that findings are wanted for, before any is checked. Those in `named`
        are looked at for errors of syntax whatever they hold."""
        self._projects.asked |= {self.files.identity(path): path for path in paths}
        self._projects.named.update(map(self.files.identity, named))

    def dismiss(self, path: str) -> None:
        """Takes back that findings are wanted for a file."""
        self._projects.asked.pop(self.files.identity(path), None)

    def changed(self, path: str, patient: bool = False) -> set[str]:
        """Takes in that the text of a file changed. Gives the files that will be examined again;
        results that depend on none of them are kept. With `patient`, the results that depend on a
        file that cannot be parsed are kept until it can, as they were before."""
        self._reporter.forget()
        file = self.files.identity(path)
        affected = self._projects.changed(file, patient)
        universe = self.project(file)
        naming = self._examination.naming({file, universe.shown(file)}) - affected
        # Where in the file that is which they speak of may have changed.
        if naming and (not patient or universe.load(file) is not None):
            affected |= naming
        self._examination.forget(affected)
        return affected

    def check(self, path: str) -> Report:
        """The report on a file. One that cannot be read is a problem, not an exception."""
        judged = self.settings.noqa != "none" and self._selected.is_on(UNUSED_SUPPRESSION, path)
        file = self.files.identity(path)
        if not judged and attempt(lambda: self._projects.is_silent(file, path)) is True:
            return self._new(Report(path))
        try:
            source = self.files.source(file)
        except OSError as error:
            return Report(path, problems=(Problem(path, reason(error)),))
        return self._new(self._reported(source, path))

    def glance(self, path: str, stop: Stop = lambda: False) -> Report:
        """The report on a file from the tracing that starts in it, which is there before that from
        all files that import it. Raises OSError, and Interrupted once `stop` says so."""
        from jaxlint.dataflow.budget import interruptible

        with interruptible(stop):
            return self._new(self._reported(self.files.source(path), path, own=True))

    def check_source(self, source: str | bytes, path: str) -> Report:
        """The report on source text, as if it stood in the file `path`. Raises nothing."""
        session = self if self._holds(path, source) else self._with_draft(path, source)
        session._projects.named.add(self.files.identity(path))
        report = self._new(session._reported(source, path))
        return replace(report, survey=session.survey([path])) if self.surveys else report

    def _holds(self, path: str, source: str | bytes) -> bool:
        try:
            return self.files.source(path) == source
        except OSError:
            return False

    def _with_draft(self, path: str, source: str | bytes) -> Session:
        draft = self._drafts.session(path, source, self.files, self._draft)
        draft._projects.asked = {**self._projects.asked}
        return draft

    def _draft(self, files: FileSystem) -> Session:
        settings = replace(self.settings, baseline="")
        return Session(settings, files, self._selected.given, self.surveys)

    def stale(self) -> int:
        """How many known findings are in none of the files that were checked."""
        if self.baseline is None:
            return 0
        # A rule that no longer exists finds nothing either.
        active = self._selected.codes
        return self.baseline.stale(lambda code: code in active or not self.registry.selects(code))

    def entries_for(self, path: str) -> list[str]:
        """The files to examine before this one is checked: tracing that starts there may reach
        it."""
        return self._examination.entries(self.files.identity(path))

    def project(self, file: str) -> Universe:
        """The project that a file, given by its identity, belongs to."""
        return self._projects.of(file)

    def examine(self, file: str, stop: Stop | None = None) -> Examined:
        """Traces the entries of one file, given by its identity. Raises Interrupted once `stop`
        says so."""
        if stop is None:
            return self._examination.examine(file)
        from jaxlint.dataflow.budget import interruptible

        with interruptible(stop):
            return self._examination.examine(file)

    def known(self, file: str) -> bool:
        """Whether a file need not be examined, because this was done before."""
        return self._examination.known(file)

    def timings(self) -> dict[str, float]:
        """The seconds that it took to examine each file whose result was not known."""
        return self._examination.timings()

    def keep(self) -> bool:
        """Writes the results to the cache, and tells whether all of them can be relied on."""
        return self._examination.keep()

    def adopt(self, examined: Mapping[str, Examined]) -> None:
        """Takes over the results of other processes, by file."""
        self._examination.adopt(examined)
        self._reporter.adopted()

    def alone_with(self, project: Universe) -> Session:
        """A session for one project, which knows what this one does of it."""
        alone = Session(self.settings, self.files, self.registry, self.surveys)
        alone._projects.take(self._projects, project)
        return alone

    def survey(self, paths: Iterable[str]) -> Survey:
        """What is traced in these files, and where it cannot be seen."""
        return completed(self, list(paths))

    def reach(self, paths: Iterable[str]) -> Survey:
        """The surveys of all files whose tracing may reach these."""
        wanted = {one for path in paths for one in self.entries_for(path)}
        examined = (self.examine(file).survey for file in sorted(wanted))
        return merged(one for one in examined if one is not None)

    def why(
        self, path: str, line: int, column: int | None = None, stop: Stop = lambda: False
    ) -> Explanation:
        """What the tracer knows of the values at a place, and why; less of it if `stop` says so
        meanwhile. Raises PlaceError."""
        from jaxlint.session.questions import explained

        about = (path, line, column, stop)
        return self._answer(path, lambda one, context, file: explained(one, context, file, *about))

    def marks(self, path: str, stop: Stop = lambda: False) -> tuple[Mark, ...]:
        """The parameters and assigned names of a file that are traced, or known, in traced code;
        fewer of them if `stop` says so meanwhile. Raises PlaceError for a file that cannot be
        read."""
        from jaxlint.session.questions import marked

        return self._answer(path, lambda one, context, file: marked(one, context, file, path, stop))

    def _answer(self, path: str, ask: Callable[[Universe, Callable[[], Context], str], T]) -> T:
        file = self.files.identity(path)
        universe = self.project(file)
        with garbage.rounds(release):
            return roomy(lambda: ask(universe, partial(self._projects.context, universe), file))

    def _reported(self, source: str | bytes, path: str, own: bool = False) -> Report:
        return self._reporter.report(source, path, self.files.identity(path), own)

    def _new(self, report: Report) -> Report:
        """A report without the findings that are known."""
        return report if self.baseline is None else self.baseline.without_known(report)

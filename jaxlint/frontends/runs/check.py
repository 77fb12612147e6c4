"""One run of `jaxlint check`: find the files, check them, print, and say how it went."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, TextIO

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import reason
from jaxlint.base.finding import Finding
from jaxlint.base.printable import one_line
from jaxlint.base.runtime.crash import attempt
from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.base.text import SourceText
from jaxlint.frontends.runs import documents
from jaxlint.frontends.runs.options import STDIN, Options, Streams
from jaxlint.frontends.runs.progress import Progress
from jaxlint.frontends.verify_options import Request
from jaxlint.frontends.workers import Workers
from jaxlint.project.discovery import Discovery, discover
from jaxlint.project.file_systems.files import FileSystem, Problem, is_file
from jaxlint.project.ignore import Exclude, excluded
from jaxlint.project.plugins import plugin_files
from jaxlint.report.formats import table, text
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.results.report import quotable
from jaxlint.session.session import Report, Session, load_registry
from jaxlint.settings import Configuration, Settings, VerifySettings

if TYPE_CHECKING:
    from jaxlint.cache.files import Shelf
    from jaxlint.cache.folder import Folder
    from jaxlint.cache.runs import Said
    from jaxlint.frontends.pools.dask_client import Cluster
    from jaxlint.frontends.runs.fixing import FixedRun

CLEAN, FOUND, FAILED = 0, 1, 2


@slotted()
class Run:
    """A run under way. `sessions` holds one session for each set of settings in use."""

    options: Options
    streams: Streams
    files: FileSystem = field(init=False)
    said: Said = field(default_factory=list)
    sessions: dict[Settings, Session] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    surveys: list[Survey] = field(default_factory=list)
    silenced: list[Report] = field(default_factory=list)
    cluster: Cluster | None = None
    fixed: FixedRun | None = None
    # Where what fixes leave of standard input goes; findings make way for it.
    results: TextIO = field(init=False)
    # The files that are checked, each with the session that does it.
    pairs: list[tuple[Session, str]] = field(default_factory=list)
    asked: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    checked: int = 0
    failed: bool = False

    def __post_init__(self) -> None:
        self.files = self.options.files
        self.results = self.streams.out
        if self.options.fixing is not None:
            # Most runs need none of this.
            from jaxlint.frontends.runs.fixing import FixedRun

            self.fixed = FixedRun(self.options.fixing, self.files)
            self.files = self.fixed.files
            if STDIN in self.options.paths:
                self.streams = replace(self.streams, out=self.streams.err)

    def execute(self) -> int:
        """Checks everything and returns the exit code. Raises JaxlintError for bad settings, and
        for a cluster that cannot be used."""
        begun = time.perf_counter()
        code = self._executed()
        if self.options.timing:
            self._print_timing(time.perf_counter() - begun)
        return code

    def _executed(self) -> int:
        if self.options.dask is None:
            return self._execute()
        # Linting without a cluster needs none of this.
        from jaxlint.frontends.pools.dask_client import Cluster

        with Cluster(self.options.dask) as self.cluster:
            return self._execute()

    def _execute(self) -> int:
        configuration = self.options.configuration
        warnings = load_registry().warnings if plugin_files() else []
        self._warn(warnings)
        # The selectors are judged even if there turns out to be nothing to check.
        self._session(configuration.near(os.curdir))
        form = self._form()
        reports: Iterable[Report] = self._reports(configuration)
        if self.fixed is not None:
            reports = self.fixed.settle(list(reports), self.sessions.values, self._again)
        if self.options.verify is not None:
            reports = self._verified(self.options.verify, list(reports), configuration)
        for report in reports:
            self.checked += 1
            self.failed |= report.crashed
            self._complain(report.problems)
            if self.options.silencing is not None:
                self.silenced.append(report)
                continue
            if self.fixed is not None and self.fixed.is_silent:
                continue
            self.findings.extend(report.findings)
            self.surveys += [report.survey] if report.survey is not None else []
            self._print("" if self.options.statistics else form.add(report))
        found = any(self._counts(one, configuration) for one in self.findings)
        if self.fixed is not None:
            self._complain([*self.fixed.problems, *self.fixed.save()])
            found = found or self.fixed.found
        code = FOUND if found and not self.options.exit_zero else CLEAN
        code = FAILED if self.failed else code
        if self.options.silencing is not None:
            self.options.silencing.carry_out(self.silenced, self._say, self._complain)
            code = FAILED if self.failed else code
        else:
            self._finish(form, code)
        if self.options.cache is not None:
            # What fails here is no matter of what was found.
            attempt(partial(self._keep, self.options.cache, code, bool(warnings)))
        return code

    def _counts(self, finding: Finding, configuration: Configuration) -> bool:
        """Whether a finding changes the exit code."""
        return configuration.near(os.path.dirname(finding.filename)).fails_for(finding)

    def _keep(self, cache: Folder, code: int, is_doubtful: bool) -> None:
        """Has the cache take in what was found, and what was said if the run may be repeated."""
        kept = [session.keep() for session in self.sessions.values()]
        options = self.options
        special = options.verify or options.explain_silence or options.silencing or options.timing
        repeats = not special and STDIN not in options.paths
        if repeats and all(kept) and not is_doubtful and not self.failed and options.arguments:
            from jaxlint.cache import runs

            runs.save(cache, options.arguments, options.files, self.said, code)

    def _reports(self, configuration: Configuration) -> Iterator[Report]:
        paths = [path for path in self.options.paths if path != STDIN]
        if STDIN in self.options.paths:
            yield from self._standard_input(configuration)
        discovery = self._discover(paths, configuration)
        self._complain(discovery.problems)
        self._warn(f"no Python files found in {path}" for path in discovery.empty)
        self.asked = tuple(discovery.files)
        self.named = tuple(path for path in paths if is_file(self.files, path))
        for session in self.sessions.values():
            session.ask(self.asked, self.named)
        progress = Progress(self.streams.err, self.options.quiet)
        settings = [configuration.near(os.path.dirname(path)) for path in discovery.files]
        with Workers(self.options.jobs, self.cluster) as workers:
            sessions = [self._session(one) for one in settings]
            self.pairs = list(zip(sessions, discovery.files, strict=True))
            workers.start(self.asked, self.pairs)
            for number, (session, path) in enumerate(self.pairs, 1):
                progress.step(number, len(self.pairs), path)
                workers.await_entries(session, path)
                report = session.check(path)
                progress.clear()
                yield report
        if self.options.explain_silence:
            self._survey()

    def _survey(self) -> None:
        """Gathers what the sessions know of the traced code in the files that each checked."""
        for session in self.sessions.values():
            own = [path for checked, path in self.pairs if checked is session]
            self.surveys += [session.survey(own)] if own else []

    def _verified(
        self, request: Request, reports: list[Report], configuration: Configuration
    ) -> list[Report]:
        # Linting alone needs none of this.
        from jaxlint.frontends.runs.verify import Verifier

        def near(filename: str) -> VerifySettings:
            return configuration.near(os.path.dirname(filename)).verify

        progress = Progress(self.streams.err, self.options.quiet, "verifying")
        unsaved = {self.options.stdin_filename} if STDIN in self.options.paths else ()
        verifier = Verifier(
            request, load_registry(), self._say, progress, frozenset(unsaved), self.cluster
        )
        verified = [self._severe(it, configuration) for it in verifier.verified(reports, near)]
        if verifier.dropped:
            self._say(f"refuted and left out: {verifier.dropped}")
        return verified

    def _severe(self, report: Report, configuration: Configuration) -> Report:
        """The report with the severities of the settings, whatever a verdict says of a finding."""
        overrides = self._session(configuration.near(os.path.dirname(report.filename))).overrides
        if overrides is None:
            return report
        return replace(report, findings=tuple(map(overrides.severe, report.findings)))

    def _say(self, line: str) -> None:
        if not self.options.quiet:
            self._remark(f"jaxlint: {one_line(line)}\n")

    def _standard_input(self, configuration: Configuration) -> Iterator[Report]:
        name = self.options.stdin_filename
        settings = configuration.near(os.path.dirname(name))
        chosen = configuration.near(os.curdir).run
        documents.refuse(name, chosen.markdown)
        if chosen.force_exclude and excluded(settings.exclude).covers(name):
            return
        try:
            data = self.streams.stdin.read()
        except OSError as error:
            self._complain([Problem("standard input", reason(error))])
            return
        session = self._session(settings)
        if self.fixed is None:
            yield session.check_source(data, name)
        else:
            yield self.fixed.settle_source(session, data, name)

    def _discover(self, paths: Sequence[str], configuration: Configuration) -> Discovery:
        def exclude(path: str) -> Exclude:
            directory = os.path.dirname(path) if is_file(self.files, path) else path
            return excluded(configuration.near(directory).exclude)

        chosen = configuration.near(os.curdir).run
        found = discover(
            paths,
            self.files,
            exclude=exclude,
            force_exclude=chosen.force_exclude,
            respect_gitignore=chosen.respect_gitignore,
            endings=documents.endings(chosen.markdown),
        )
        return documents.wanted(found, chosen.markdown)

    def _again(self) -> list[Report]:
        """The reports on all files once more."""
        return [session.check(path) for session, path in self.pairs]

    def _session(self, settings: Settings) -> Session:
        session = self.sessions.get(settings)
        if session is None:
            layered = replace(settings, noqa="all" if self.options.noqa else "none")
            if self.options.silencing is not None and self.options.silencing.baseline:
                # What is written does not depend on what was known.
                layered = replace(layered, baseline="")
            surveys = self.options.explain_silence
            cache = self.options.cache
            shelf = None if cache is None or surveys else self._shelf(cache)
            session = Session(layered, self.files, surveys=surveys, shelf=shelf)
            session.ask(self.asked, self.named)
            self.sessions[settings] = session
        return session

    def _shelf(self, cache: Folder) -> Shelf:
        # A run without a cache needs none of this.
        from jaxlint.cache.files import Shelf

        return Shelf(cache, self.options.files)

    def _form(self) -> Formatter:
        # Few formats ask for rules, and not every run has them at hand.
        scene = RunContext(
            lambda code: load_registry().find(code),
            self._source,
            colour=self.options.colour,
            unsafe_fixes=self.options.unsafe_fixes,
        )
        return table.load(self.options.output_format)(scene)

    def _source(self, path: str) -> SourceText | None:
        """What a file holds, for formats that quote from other files than the finding's."""
        try:
            return quotable(self.files.read(path), path)
        except OSError:
            return None

    def _finish(self, form: Formatter, code: int) -> None:
        """Prints what can only be printed at the end."""
        if self.fixed is not None:
            self.results.write(self.fixed.shown())
        is_silent = self.fixed is not None and self.fixed.is_silent
        survey = merged(self.surveys) if self.options.explain_silence else None
        if is_silent:
            self.results.flush()
        elif self.options.statistics:
            self._print_statistics(survey)
        else:
            self._print(form.end(RunResult(code, self.findings, self.problems, survey)))
        self.streams.out.flush()
        if form.is_for_people and not self.options.quiet:
            self._summarise()
            self._remark(documents.left_out(self.asked, self.files))
        if survey is not None and not form.holds_survey:
            from jaxlint.report import silence

            self._remark(silence.text(survey))

    def _summarise(self) -> None:
        """Says how much was found, how much is known, and what was done or can be done about it."""
        is_silent = self.fixed is not None and self.fixed.is_silent
        if not is_silent:
            self._remark(text.summary(self.findings, self.checked))
        self._remark(self._known())
        if self.fixed is not None:
            self._remark(self.fixed.summary())
        if not is_silent:
            self._remark(text.fixable(self.findings, unsafe=self.options.unsafe_fixes))

    def _known(self) -> str:
        """What is to be said about findings that are known."""
        sessions = self.sessions.values()
        used = [(one.baseline, one.stale()) for one in sessions if one.baseline is not None]
        if not used:
            return ""
        # Runs without a baseline need none of this.
        from jaxlint.baseline import summary

        return summary(used, partial(is_file, self.files))

    def _print_timing(self, elapsed: float) -> None:
        # Few runs need this.
        from jaxlint.report import timing

        traced: dict[str, float] = {}
        for session in self.sessions.values():
            traced |= session.timings()
        self._remark(timing.text(elapsed, self.checked, traced))

    def _print_statistics(self, survey: Survey | None) -> None:
        counts = text.counts(self.findings)
        if self.options.output_format == "json":
            from jaxlint.report.formats import json

            self._print(json.statistics(counts, survey))
        else:
            self._print(text.statistics(counts))

    def _print(self, words: str) -> None:
        if words:
            self.said.append(["out", words])
            self.streams.out.write(words)

    def _remark(self, words: str) -> None:
        if words:
            self.said.append(["err", words])
            self.streams.err.write(words)

    def _complain(self, problems: Sequence[Problem]) -> None:
        for problem in problems:
            self.failed = True
            self.problems.append(problem)
            line = one_line(f"{problem.filename}: {problem.message}")
            self._remark(f"jaxlint: error: {line}\n")

    def _warn(self, warnings: Iterator[str] | Sequence[str]) -> None:
        for warning in warnings:
            self._say(f"warning: {warning}")

"""The core: settings and files go in, a report on each comes out. Prints nothing, exits never.

The entries of one file are traced through whatever they reach, by themselves: what is found
depends on no other file that is checked, nor on the order. A report gathers what was found from
all files whose tracing reaches the one that is reported on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from jaxlint.base import garbage
from jaxlint.base.crash import Crash, attempt
from jaxlint.base.dataclass import replace
from jaxlint.base.errors import reason
from jaxlint.base.finding import Confidence, Finding
from jaxlint.base.own_codes import (
    INCOMPLETE_ANALYSIS,
    INTERNAL_ERROR,
    MALFORMED_SUPPRESSION,
    SYNTAX_ERROR,
    UNUSED_SUPPRESSION,
    Meta,
)
from jaxlint.base.stack import roomy
from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.base.text import Span
from jaxlint.project.files import DISK, FileSystem, Overlay, Problem
from jaxlint.project.ignore import excluded
from jaxlint.project.plugins import plugin_files
from jaxlint.project.project import Universe
from jaxlint.project.requirements import declared_jax
from jaxlint.project.roots import project_root
from jaxlint.registry.loading import load_registry
from jaxlint.results.merge import Examined, Gathered, Located, Place, Ran, Site, rank, traced
from jaxlint.results.report import Report, incomplete, is_python, own_finding, quotable
from jaxlint.session.fixes import Fixes
from jaxlint.session.surveys import Surveys, completed
from jaxlint.settings import Settings
from jaxlint.syntax.formats.documents import broken_in, is_document

if TYPE_CHECKING:
    from jaxlint.base.explanation import Explanation, Mark
    from jaxlint.base.own_codes import Meta
    from jaxlint.baseline import Baseline
    from jaxlint.cache.files import Results, Shelf
    from jaxlint.engine.machine.project import Context
    from jaxlint.facts import Fact
    from jaxlint.knowledge import lookup
    from jaxlint.project.file_facts import Contents
    from jaxlint.registry.registry import Index, Registry
    from jaxlint.rule import Rule
    from jaxlint.session.overrides import Overrides
    from jaxlint.syntax import ir

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
        self._given = registry
        self._shelf = shelf
        self._asked: dict[str, str] = {}
        # The files that are wanted by name, not because they are in a directory.
        self._named: set[str] = set()
        self._universes: dict[str | None, Universe] = {}
        self._results: dict[str | None, Results] = {}
        self._told: dict[tuple[str, str], Contents] = {}
        # The project's directory for each directory that was asked about.
        self._roots: dict[str, str | None] = {}
        self._newest: dict[str | None, lookup.Supported] = {}
        self._examined: dict[str, Examined] = {}
        # By the entries of a file, those of which something came.
        self._tellings: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._last: tuple[tuple[str, ...], Gathered] | None = None
        # The file that was last checked with a source of its own, and the session that knows it.
        self._draft: tuple[str, Overlay, Session] | None = None
        if self.settings.names_rules:
            _ = self._active
        _ = self.overrides
        if self.settings.baseline:
            _ = self.baseline

    def __getstate__(self) -> tuple[Any, ...]:
        """What another process has to know to examine files as this session does."""
        # What is known is for the reports, which are made here.
        settings = replace(self.settings, baseline="")
        known = (self._asked, self._named, self._universes, self._roots, self._newest)
        return (settings, self.files, self.surveys, *known)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        settings, files, surveys, *known = state
        Session.__init__(self, settings, files, surveys=surveys)
        self._asked, self._named, self._universes, self._roots, self._newest = known

    @property
    def registry(self) -> Registry:
        """The rules that there are."""
        return self._given or load_registry()

    @cached_property
    def baseline(self) -> Baseline | None:
        """The findings that are known, and not reported."""
        if not self.settings.baseline:
            return None
        # Runs without a baseline need none of this.
        from jaxlint.baseline import read

        return read(self.settings.baseline, self.files)

    @cached_property
    def _active(self) -> frozenset[str]:
        return self.registry.resolve(self.settings.selections)

    @cached_property
    def _index(self) -> Index:
        return self.registry.index(self._active, self.registry.chosen(self.settings.selections))

    @cached_property
    def overrides(self) -> Overrides | None:
        """What the settings make of findings, None where they leave them as they are."""
        settings = self.settings
        if not (settings.file_ignores or settings.severities or settings.fixes):
            return None
        from jaxlint.session.overrides import Overrides

        return Overrides(self.settings, self.registry)

    @cached_property
    def _traces(self) -> bool:
        """Whether anything that is on has to do with tracing."""
        return bool(self._index) or self.settings.asks_for(INCOMPLETE_ANALYSIS)

    def _is_on(self, meta: Meta, path: str) -> bool:
        """Whether one of our own codes is on in a file."""
        if self.overrides is not None and meta.code in self.overrides.ignored(path):
            return False
        return meta.code in self._active if self.settings.names_rules else meta.default

    def _own(self, meta: Meta, path: str, *words: Any) -> Finding:
        finding = own_finding(meta, path, *words)
        return finding if self.overrides is None else self.overrides.severe(finding)

    def ask(self, paths: Iterable[str], named: Iterable[str] = ()) -> None:
        """Names files that findings are wanted for, before any is checked. Those in `named`
        are looked at for errors of syntax whatever they hold."""
        self._asked |= {self.files.identity(path): path for path in paths}
        self._named.update(map(self.files.identity, named))

    def dismiss(self, path: str) -> None:
        """Takes back that findings are wanted for a file."""
        self._asked.pop(self.files.identity(path), None)

    def changed(self, path: str, patient: bool = False) -> set[str]:
        """Takes in that a file that is there holds something else than before. Gives the files
        that will be examined again; what depends on none of it is kept. With `patient`, what
        depends on a file that cannot be parsed is kept until it can, as it was before."""
        file = self.files.identity(path)
        self._last = None
        self._tellings.clear()
        affected = {file}
        for universe in self._universes.values():
            affected |= universe.changed(file, patient)
        for one in affected:
            self._examined.pop(one, None)
        return affected

    def check(self, path: str) -> Report:
        """The report on a file. One that cannot be read is a problem, not an exception."""
        judged = self.settings.noqa != "none" and self._is_on(UNUSED_SUPPRESSION, path)
        if not judged and attempt(lambda: self._is_silent(path)) is True:
            return self._new(Report(path))
        try:
            source = self.files.source(self.files.identity(path))
        except OSError as error:
            return Report(path, problems=(Problem(path, reason(error)),))
        return self._new(self._reported(source, path))

    def glance(self, path: str) -> Report:
        """The report on a file as far as tracing that starts in it tells, which is there before
        that in all files that import it. Raises OSError."""
        return self._new(self._reported(self.files.source(path), path, own=True))

    def _new(self, report: Report) -> Report:
        """A report without the findings that are known."""
        return report if self.baseline is None else self.baseline.without_known(report)

    def stale(self) -> int:
        """How many findings that are known no file has any more that was checked."""
        if self.baseline is None:
            return 0
        # A rule that no longer exists finds nothing either.
        return self.baseline.stale(
            lambda code: code in self._active or not self.registry.selects(code)
        )

    def _is_silent(self, path: str) -> bool:
        """Whether nothing is to be said about a file, whatever else it holds."""
        file = self.files.identity(path)
        universe = self.project(file)
        universe.add(file, path)
        if file in self._named or universe.mentions(file) or file in universe.unreadable:
            return False
        return not universe.entries_for(file, self._asked)

    def check_source(self, source: str | bytes, path: str) -> Report:
        """The report on source text, as if it stood in the file `path`. Raises nothing."""
        session = self if self._holds(path, source) else self._with_draft(path, source)
        session._named.add(self.files.identity(path))
        report = self._new(session._reported(source, path))
        return replace(report, survey=session.survey([path])) if self.surveys else report

    def _with_draft(self, path: str, source: str | bytes) -> Session:
        """A session in which a file holds this source. For the next source of the same file it
        is the same one."""
        if self._draft is None or self._draft[0] != path:
            files = Overlay(self.files, path, source)
            settings = replace(self.settings, baseline="")
            session = Session(settings, files, self._given, self.surveys)
            self._draft = path, files, session
        _, files, session = self._draft
        if files.replace(source):
            session.changed(path)
        session._asked = {**self._asked}
        return session

    def _holds(self, path: str, source: str | bytes) -> bool:
        try:
            return self.files.source(path) == source
        except OSError:
            return False

    def entries_for(self, path: str) -> list[str]:
        """The files to examine before this one is checked: tracing that starts there may reach
        it."""
        file = self.files.identity(path)
        universe = self.project(file)
        return universe.entries_for(file, self._asked)

    def examine(self, file: str) -> Examined:
        """Traces the entries of one file, given by its identity."""
        if not self.known(file):
            begun = perf_counter()
            with garbage.rounds(_release):
                outcome = roomy(lambda: attempt(lambda: self._examine(file)))
            examined = outcome if isinstance(outcome, Examined) else Examined(crash=outcome)
            noted = self.project(file).answers.take_new()
            seconds = perf_counter() - begun
            self._examined[file] = replace(examined, noted=noted, seconds=seconds)
        return self._examined[file]

    def timings(self) -> dict[str, float]:
        """How long it took to examine each file that was not known, in seconds."""
        return {file: one.seconds for file, one in self._examined.items() if one.seconds}

    def known(self, file: str) -> bool:
        """Whether a file need not be examined, because this was done before."""
        if file not in self._examined:
            universe = self.project(file)
            results = self._results.get(universe.root)
            found = None if results is None else results.recall(file, universe)
            if found is None:
                return False
            self._examined[file] = found
        return True

    def keep(self) -> bool:
        """Has the cache take in what was found, and tells whether all of it can be relied on."""
        if not self._results:
            return True
        examined: dict[str | None, dict[str, Examined]] = {root: {} for root in self._results}
        for file, one in self._examined.items():
            examined[self.project(file).root][file] = one
        kept = [
            results.save(self._universes[root], examined[root])
            for root, results in self._results.items()
        ]
        return all(kept)

    def alone_with(self, project: Universe) -> Session:
        """A session for one project, which knows what this one does of it."""
        alone = Session(self.settings, self.files, self.registry, self.surveys)
        alone._universes = {project.root: project}
        alone._roots = {at: root for at, root in self._roots.items() if root == project.root}
        self._newest_jax(project.root)
        alone._newest = {at: one for at, one in self._newest.items() if at == project.root}
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
        return self._ask(path, lambda one, context, file: explained(one, context, file, *about))

    def marks(self, path: str, stop: Stop = lambda: False) -> tuple[Mark, ...]:
        """What the parameters and assigned names of a file are that traced code comes to; less of
        it if `stop` says so meanwhile. Raises PlaceError for a file that cannot be read."""
        from jaxlint.session.questions import marked

        return self._ask(path, lambda one, context, file: marked(one, context, file, path, stop))

    def _ask(self, path: str, ask: Callable[[Universe, Callable[[], Context], str], T]) -> T:
        file = self.files.identity(path)
        universe = self.project(file)
        with garbage.rounds(_release):
            return roomy(lambda: ask(universe, partial(self._context, universe), file))

    def adopt(self, examined: Mapping[str, Examined]) -> None:
        """Takes over what other processes found, by file."""
        self._examined |= examined
        self._tellings.clear()

    def _reported(self, source: str | bytes, path: str, own: bool = False) -> Report:
        outcome = attempt(lambda: self._report(source, path, own))
        if isinstance(outcome, Report):
            return outcome
        return self._crashed(outcome, source, path)

    def _crashed(
        self, crash: Crash, source: str | bytes, path: str, found: tuple[Finding, ...] = ()
    ) -> Report:
        """The report on a file on which jaxlint failed, with what was found until then."""
        problems: tuple[Problem, ...] = ()
        if self._is_on(INTERNAL_ERROR, path):
            help = "this is a defect of jaxlint: report it"
            found = (self._own(INTERNAL_ERROR, path, 1, 1, crash.message, help), *found)
        else:
            problems = (Problem(path, crash.message),)
        return Report(path, found, problems, quotable(source, path) if found else None, True)

    def _report(self, source: str | bytes, path: str, own: bool) -> Report:
        file = self.files.identity(path)
        universe = self.project(file)
        universe.add(file, path)
        entries = universe.entries_for(file, self._asked)
        looked_at = bool(entries) or file in self._named or universe.mentions(file)
        entries = [it for it in entries if it == file or not own]
        if looked_at and file not in entries and self._is_broken(file, path, source, universe):
            entries = [file, *entries]
        crash = None
        if file in entries:
            here = self.examine(file)
            crash = here.crash
            if here.problem is not None:
                if not self._is_on(SYNTAX_ERROR, path):
                    return Report(path)
                place = (here.problem.line, here.problem.column)
                finding = self._own(SYNTAX_ERROR, path, *place, here.problem.message)
                return Report(path, (finding,), source=quotable(source, path))
        found: tuple[Finding, ...] = ()
        places: tuple[Place, ...] = ()
        if (not self.settings.names_rules or self._traces) and (
            telling := self._telling(tuple(entries))
        ):
            gathered = self._gathered(telling)
            found = gathered.shown(file, path, self._asked)
            if not self._is_on(INCOMPLETE_ANALYSIS, path):
                found = tuple(one for one in found if one.code != INCOMPLETE_ANALYSIS.code)
            places = tuple(gathered.places(file))
        shown = self._unsuppressed(found, places, source, path)
        if self.overrides is not None:
            shown = self.overrides.applied(shown, path)
        if looked_at and is_document(file) and self._is_on(SYNTAX_ERROR, path):
            broken = (self._own(SYNTAX_ERROR, path, *one) for one in broken_in(source, path))
            shown = tuple(sorted((*shown, *broken), key=Finding.sort_key))
        if crash is not None:
            return self._crashed(crash, source, path, shown)
        return Report(path, shown, source=quotable(source, path) if shown else None)

    def _is_broken(self, file: str, path: str, source: str | bytes, universe: Universe) -> bool:
        """Whether this Python's own parser finds errors in a file in which no tracing starts."""
        if not self._is_on(SYNTAX_ERROR, path):
            return False
        results = self._results.get(universe.root)
        if results is not None and results.is_python(file):
            return False
        if not is_python(source, path):
            return True
        if results is not None:
            results.keep_python(file)
        return False

    def _telling(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        """The files among these of which something came. Files that import each other have the
        same entries."""
        known = self._tellings.get(entries)
        if known is None:
            found = tuple(entry for entry in entries if self.examine(entry).is_telling)
            known = self._tellings[entries] = found
        return known

    def _gathered(self, entries: tuple[str, ...]) -> Gathered:
        """What was found from these files. Files that import each other have the same."""
        if self._last is None or self._last[0] != entries:
            examined = (self.examine(entry) for entry in entries)
            self._last = entries, Gathered(examined, self._index)
        return self._last[1]

    def project(self, file: str) -> Universe:
        """The project that a file, given by its identity, belongs to."""
        directory = os.path.dirname(file)
        if directory not in self._roots:
            self._roots[directory] = project_root(file, self.files)
        root = self._roots[directory]
        universe = self._universes.get(root)
        if universe is None:
            universe = self._begun(root)
            self._universes[root] = universe
            for one, path in self._asked.items():
                universe.add(one, path)
        return universe

    def _begun(self, root: str | None) -> Universe:
        from jaxlint.knowledge import models

        if plugin_files():
            # Models of plugins count among the libraries.
            load_registry()
        sources = [self.files.identity(one) for one in self.settings.src]
        exclude = excluded(self.settings.exclude)
        declared = {name.partition(".")[0] for name, _ in self.settings.transforms}
        known = sorted(declared | models.libraries())
        results = None
        if self._shelf is not None and not self.surveys:
            results = self._shelf.results(self.settings, root, declared_jax(root, self.files))
            self._results[root] = results
        return Universe(root, self.files, sources, exclude, known, results, self._told)

    def _examine(self, file: str) -> Examined:
        from jaxlint.syntax import ir

        universe = self.project(file)
        module = universe.parsed(file)
        if module is None:
            return Examined()
        if not isinstance(module, ir.Module):
            return Examined(problem=module)
        if not (self._traces or self.surveys):
            return Examined()
        context = self._context(universe)
        from jaxlint.dataflow import memo

        try:
            return self._found(module, context)
        finally:
            # Fixes have asked questions about data flow too.
            memo.forget()
            context.dismantle()
            universe.examined(file)

    def _context(self, universe: Universe) -> Context:
        from jaxlint.engine.machine.project import Context

        return Context(
            universe,
            dict(self.settings.transforms),
            self.settings.framework_methods,
            newest_jax=self._newest_jax(universe.root),
            root=universe.root,
        )

    def _found(self, module: ir.Module, context: Context) -> Examined:
        found: dict[tuple[str, Span, str], Located] = {}
        fixes = Fixes()
        least = self.settings.min_confidence
        result = attempt(lambda: traced(module, context, least is Confidence.LOW, self.surveys))
        crash = result if isinstance(result, Crash) else None
        survey, facts = (None, context.standing()) if isinstance(result, Crash) else result
        for fact in facts:
            judged = attempt(partial(self._judged, fact, least))
            if isinstance(judged, Crash):
                crash = crash or judged
                continue
            for rule, one in judged:
                key = (one.sites[0].file, one.finding.span, one.finding.code)
                if self.settings.writes_fixes:
                    fixes.add(key, rule, fact)
                if key not in found or rank(one.finding) < rank(found[key].finding):
                    found[key] = one
        located = [fixes.given(key, one) for key, one in found.items()]
        if context.cuts:
            located.append(incomplete(module, context.cuts))
        return Examined(tuple(located), frozenset(context.traced), crash, survey)

    def _judged(self, fact: Fact, least: Confidence) -> list[tuple[Rule, Located]]:
        """What the rules say of a fact, each finding with its rule."""
        if not fact.confidence.reaches(least):
            return []
        fact.settle()
        return [
            (rule, self._located(finding, fact))
            for rule, check in self._index.checks(type(fact))
            for finding in check(fact)
        ]

    def _newest_jax(self, root: str | None) -> lookup.Supported:
        """The newest JAX that code is for: what the settings say, else the project."""
        from jaxlint.knowledge import lookup

        if self.settings.target_jax is not None:
            return lookup.Supported(self.settings.target_jax)
        if root not in self._newest:
            self._newest[root] = lookup.supported(declared_jax(root, self.files))
        return self._newest[root]

    def _located(self, finding: Finding, fact: Fact) -> Located:
        sites = [Site(module.file, module.source.path, span) for module, span in fact.sites()]
        sites[0] = Site(sites[0].file, finding.filename, finding.span)
        ignored = self.settings.noqa != "none" and len(sites) > 1
        if ignored:
            from jaxlint.syntax.comments import suppressions

            comments = suppressions(fact.module.source)
            ignored = comments.covers(finding.line, finding.code, finding.name, True)
        if not ignored and len(sites) > 1 and self.overrides is not None:
            # Another machine need not be in the same directory.
            path = finding.filename
            origin = path if os.path.isabs(path) else sites[0].file
            ignored = finding.code in self.overrides.ignored(origin)
        return Located(finding, tuple(sites), ignored, fact.eager_in, fact.subjects(), fact.cells())

    def _unsuppressed(
        self,
        findings: tuple[Finding, ...],
        places: Collection[Place],
        source: str | bytes,
        path: str,
    ) -> tuple[Finding, ...]:
        """The findings that no comment asks to be silent about, and those about comments;
        `places` are all that comments might be for."""
        if self.settings.noqa == "none":
            return findings
        data = source if isinstance(source, bytes) else source.encode(errors="replace")
        data = data.lower()
        is_ours = b"jaxlint" in data
        if not is_ours and b"noqa" not in data:
            return findings
        malformed = is_ours and self._is_on(MALFORMED_SUPPRESSION, path)
        unused = self._is_on(UNUSED_SUPPRESSION, path)
        if not (findings or malformed or unused):
            return findings
        # Few files hold what this is about.
        from jaxlint.suppression.judging import unsuppressed

        ran = None
        noqa = self.settings.noqa == "all"
        if unused:
            ignored = frozenset() if self.overrides is None else self.overrides.ignored(path)
            ran = Ran(places, self._active - ignored, noqa)
        return unsuppressed(
            findings, quotable(source, path), self.registry, noqa=noqa, malformed=malformed, ran=ran
        )


def _release() -> None:
    from jaxlint.syntax import places

    places.release()

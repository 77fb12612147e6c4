"""The core: settings and files go in, a report on each comes out. Prints nothing, exits never.

The entries of one file are traced through whatever they reach, by themselves: what is found
depends on no other file that is checked, nor on the order. A report gathers what was found from
all files whose tracing reaches the one that is reported on.
"""

from __future__ import annotations

import ast
import gc
import io
import os
import tokenize
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeVar

from jaxlint.base.finding import Because, Confidence, Finding, Severity
from jaxlint.base.reach import Survey, merged
from jaxlint.base.text import SourceText, Span
from jaxlint.knowledge import lookup, models
from jaxlint.meta import INTERNAL_ERROR, SYNTAX_ERROR, Meta
from jaxlint.project.discovery import reason
from jaxlint.project.files import DISK, FileSystem, Overlay, Problem
from jaxlint.project.ignore import Exclude
from jaxlint.project.modules import project_root
from jaxlint.project.requirements import declared_jax
from jaxlint.project.universe import Universe
from jaxlint.registry import MODEL_GROUP, PLUGIN_GROUP, Registry, Subjects, install_models, rules_in
from jaxlint.settings import Settings
from jaxlint.syntax import ir
from jaxlint.syntax.comments import suppressions
from jaxlint.syntax.parse import SyntaxProblem

if TYPE_CHECKING:
    from jaxlint.engine.context import Context
    from jaxlint.engine.facts import Fact

T = TypeVar("T")
_FRAMES = 4


@dataclass(frozen=True, slots=True)
class Report:
    """What is to be said about one file.

    `source` is there to quote from, if there are findings and the file is text. `crashed` tells
    that jaxlint failed on the file, even where the finding that says so is ignored. `survey` is
    about the traced code in text that stands in no file, where the session makes surveys.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: SourceText | None = None
    crashed: bool = False
    survey: Survey | None = None


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception that nobody expected, in words."""

    message: str


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a finding may be shown; `file` is the identity of `filename`."""

    file: str
    filename: str
    span: Span


@dataclass(frozen=True, slots=True)
class Located:
    """A finding and where it may be shown, the best place first. `ignored` tells that a comment
    at that place asks to be silent about it; `eager_in` names the function that must not be
    traced from elsewhere for it to be true; `subjects` are the places that it is about."""

    finding: Finding
    sites: tuple[Site, ...]
    ignored: bool = False
    eager_in: str = ""
    subjects: Subjects = frozenset()


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of tracing the entries of one file; `survey` where the session makes them.

    `traced` are the functions of other files that ran in traced code, by file and name.
    """

    located: tuple[Located, ...] = ()
    traced: frozenset[tuple[str, str]] = frozenset()
    crash: Crash | None = None
    survey: Survey | None = None


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
        surveys: bool = False,
    ) -> None:
        self.surveys = surveys
        self.settings = settings or Settings()
        self.files = files
        self.registry = registry or load_registry()
        self._active = self.registry.resolve(self.settings.selections)
        self._index = self.registry.index(self._active)
        self._asked: dict[str, str] = {}
        self._universes: dict[str | None, Universe] = {}
        # The project's directory for each directory that was asked about.
        self._roots: dict[str, str | None] = {}
        self._newest: dict[str | None, lookup.Supported] = {}
        self._examined: dict[str, Examined] = {}

    def ask(self, paths: Iterable[str]) -> None:
        """Names files that findings are wanted for, before any is checked."""
        self._asked |= {self.files.identity(path): path for path in paths}

    def check(self, path: str) -> Report:
        """The report on a file. One that cannot be read is a problem, not an exception."""
        try:
            source = self.files.source(path)
        except OSError as error:
            return Report(path, problems=(Problem(path, reason(error)),))
        return self._reported(source, path)

    def check_source(self, source: str | bytes, path: str) -> Report:
        """The report on source text, as if it stood in the file `path`. Raises nothing."""
        session = self
        if not self._holds(path, source):
            files = Overlay(self.files, path, source)
            session = Session(self.settings, files, self.registry, self.surveys)
            session._asked = {**self._asked}
        report = session._reported(source, path)
        return replace(report, survey=session.survey([path])) if self.surveys else report

    def _holds(self, path: str, source: str | bytes) -> bool:
        try:
            return self.files.source(path) == source
        except OSError:
            return False

    def entries_for(self, path: str) -> list[str]:
        """The files to examine before this one is checked: tracing that starts there may reach
        it."""
        file = self.files.identity(path)
        universe = self._universe(file)
        return universe.entries_for(file)

    def examine(self, file: str) -> Examined:
        """Traces the entries of one file, given by its identity."""
        known = self._examined.get(file)
        if known is None:
            with _collector_paused():
                outcome = attempt(lambda: self._examine(file))
            known = outcome if isinstance(outcome, Examined) else Examined(crash=outcome)
            self._examined[file] = known
        return known

    def survey(self, paths: Iterable[str]) -> Survey:
        """What is traced in these files, and where it cannot be seen."""
        asked = list(paths)
        return self.reach(asked).within(frozenset(map(self.files.identity, asked)))

    def reach(self, paths: Iterable[str]) -> Survey:
        """The surveys of all files whose tracing may reach these."""
        wanted = {one for path in paths for one in self.entries_for(path)}
        examined = (self.examine(file).survey for file in sorted(wanted))
        return merged(one for one in examined if one is not None)

    def adopt(self, examined: Mapping[str, Examined]) -> None:
        """Takes over what other processes found, by file."""
        self._examined |= examined

    def _reported(self, source: str | bytes, path: str) -> Report:
        outcome = attempt(lambda: self._report(source, path))
        if isinstance(outcome, Report):
            return outcome
        return self._crashed(outcome, source, path)

    def _crashed(self, crash: Crash, source: str | bytes, path: str) -> Report:
        if INTERNAL_ERROR.code not in self._active:
            return Report(path, problems=(Problem(path, crash.message),), crashed=True)
        finding = _finding(
            INTERNAL_ERROR, path, 1, 1, crash.message, "this is a defect of jaxlint: report it"
        )
        return Report(path, (finding,), source=_quotable(source, path), crashed=True)

    def _report(self, source: str | bytes, path: str) -> Report:
        file = self.files.identity(path)
        universe = self._universe(file)
        universe.add(file, path)
        entries = universe.entries_for(file)
        if file not in entries and SYNTAX_ERROR.code in self._active and not _is_python(source):
            entries = [file, *entries]
        if file in entries:
            problem = universe.parsed(file)
            if isinstance(problem, SyntaxProblem):
                if SYNTAX_ERROR.code not in self._active:
                    return Report(path)
                place = (problem.line, problem.column)
                finding = _finding(SYNTAX_ERROR, path, *place, problem.message)
                return Report(path, (finding,), source=_quotable(source, path))
        if not self._index and not self.surveys:
            return Report(path)
        examined = {entry: self.examine(entry) for entry in entries}
        crash = examined[file].crash if file in examined else None
        if crash is not None:
            return self._crashed(crash, source, path)
        traced = frozenset().union(*(one.traced for one in examined.values()))
        located = (one for each in examined.values() for one in each.located)
        spoken = self._index.spoken((one.finding.code, one.subjects) for one in located)
        found = _best(
            finding
            for one in examined.values()
            for finding in self._shown(one, file, path, traced, spoken)
        )
        shown = self._unsuppressed(found, source, path)
        return Report(path, shown, source=_quotable(source, path) if shown else None)

    def _universe(self, file: str) -> Universe:
        """The project that a file belongs to."""
        directory = os.path.dirname(file)
        if directory not in self._roots:
            self._roots[directory] = project_root(file, self.files)
        root = self._roots[directory]
        universe = self._universes.get(root)
        if universe is None:
            base = self.settings.base
            sources = [self.files.identity(os.path.join(base, one)) for one in self.settings.src]
            exclude = Exclude(self.settings.exclude, base)
            declared = {name.partition(".")[0] for name, _ in self.settings.transforms}
            known = sorted(declared | models.libraries())
            universe = Universe(root, self.files, sources, exclude, known)
            self._universes[root] = universe
            for one, path in self._asked.items():
                universe.add(one, path)
        return universe

    def _examine(self, file: str) -> Examined:
        # The engine is much of jaxlint's start-up time, so it is imported when a file needs it.
        from jaxlint.engine.context import Context

        universe = self._universe(file)
        module = universe.parsed(file)
        if not isinstance(module, ir.Module):
            return Examined()
        context = Context(
            universe,
            dict(self.settings.transforms),
            self.settings.framework_methods,
            newest_jax=self._newest_jax(universe.root),
        )
        found: dict[tuple[str, Span, str], Located] = {}
        least = self.settings.min_confidence
        survey, facts = self._traced(module, context, least is Confidence.LOW)
        for fact in facts:
            if not fact.confidence.reaches(least):
                continue
            fact.settle()
            for _, check in self._index.checks(type(fact)):
                for finding in check(fact):
                    one = self._located(finding, fact)
                    key = (one.sites[0].file, finding.span, finding.code)
                    if key not in found or _rank(finding) < _rank(found[key].finding):
                        found[key] = one
        return Examined(tuple(found.values()), frozenset(context.traced), survey=survey)

    def _newest_jax(self, root: str | None) -> lookup.Supported:
        """The newest JAX that code is for: what the settings say, else the project."""
        if self.settings.target_jax is not None:
            return lookup.Supported(self.settings.target_jax)
        if root not in self._newest:
            self._newest[root] = lookup.supported(declared_jax(root, self.files))
        return self._newest[root]

    def _traced(
        self, module: ir.Module, context: Context, guesses: bool
    ) -> tuple[Survey | None, list[Fact]]:
        """What the engine finds in a file and its imports."""
        if self.surveys:
            from jaxlint.engine.survey import surveyed

            return surveyed(module, context, guesses)
        from jaxlint.engine.run import analyse

        return None, analyse(module, context, guesses)

    def _located(self, finding: Finding, fact: Fact) -> Located:
        sites = [Site(module.file, module.source.path, span) for module, span in fact.sites()]
        sites[0] = Site(sites[0].file, finding.filename, finding.span)
        ignored = self.settings.noqa != "none" and len(sites) > 1
        if ignored:
            comments = suppressions(fact.module.source)
            ignored = comments.covers(finding.line, finding.code, finding.name, True)
        return Located(finding, tuple(sites), ignored, fact.eager_in, fact.subjects())

    def _shown(
        self,
        examined: Examined,
        file: str,
        path: str,
        traced: frozenset[tuple[str, str]],
        spoken: Mapping[str, Subjects],
    ) -> Iterator[Finding]:
        """The findings that are to be shown in a file."""
        for one in examined.located:
            if one.eager_in and (one.sites[0].file, one.eager_in) in traced:
                continue
            if not one.subjects.isdisjoint(spoken.get(one.finding.code, ())):
                continue
            files = [site.file for site in one.sites]
            shown = (n for n, name in enumerate(files) if name == file or name in self._asked)
            at = next(shown, None)
            if at is None or files[at] != file:
                continue
            if at == 0:
                yield replace(one.finding, filename=path)
            elif not one.ignored:
                yield _moved(one, one.sites[at], path)

    def _unsuppressed(
        self, findings: tuple[Finding, ...], source: str | bytes, path: str
    ) -> tuple[Finding, ...]:
        """The findings that no comment asks to be silent about."""
        if not findings or self.settings.noqa == "none":
            return findings
        comments = suppressions(_quotable(source, path))
        on_lines = self.settings.noqa == "all"
        return tuple(
            finding
            for finding in findings
            if not comments.covers(finding.line, finding.code, finding.name, on_lines)
        )


def _moved(one: Located, site: Site, path: str) -> Finding:
    """A finding shown at a call that leads to it; where it happens is its first reason."""
    finding, origin = one.finding, one.sites[0]
    place = f"{origin.filename}:{origin.span.line}:{origin.span.column}"
    because = tuple(_from(step, origin, site) for step in finding.because)
    trail = tuple(_from(step, origin, site) for step in finding.trail)
    first = Because(origin.span, "it happens here", origin.filename)
    begins = bool(trail) and (trail[0].span, trail[0].filename) == (first.span, first.filename)
    happens = () if begins else (first,)
    return replace(
        finding,
        filename=path,
        span=site.span,
        message=f"{finding.message} (in {place})",
        because=(*happens, *because)[:3],
        trail=(*happens, *trail),
        doubt=None if finding.doubt is None else _from(finding.doubt, origin, site),
    )


def _from(step: Because, origin: Site, site: Site) -> Because:
    """A step of the reason as seen from another file than that of the finding."""
    filename = step.filename or origin.filename
    return replace(step, filename="" if filename == site.filename else filename)


def _rank(finding: Finding) -> tuple[int, int, str]:
    """Of two findings at one place with one code, the one that promises more comes first."""
    severity = list(Severity).index(finding.severity)
    confidence = list(Confidence).index(finding.confidence)
    return severity, confidence, finding.message


@cache
def load_registry() -> Registry:
    """The built-in rules and those of plugins; models of libraries that plugins bring count from
    here on.

    An entry point of the group `jaxlint.rules` names a package of rule modules, one of
    `jaxlint.models` a package of models. One that cannot be used becomes a warning of the registry.
    """
    registry = Registry(rules_in("jaxlint.rules"))
    _load(registry, PLUGIN_GROUP, "rule", lambda package: registry.add(rules_in(package)))
    _load(registry, MODEL_GROUP, "model", install_models)
    return registry


def _load(registry: Registry, group: str, kind: str, use: Callable[[str], None]) -> None:
    for plugin in sorted(entry_points(group=group), key=lambda plugin: plugin.name):
        outcome = attempt(partial(use, plugin.value))
        if isinstance(outcome, Crash):
            message = f"{kind} plugin {plugin.name!r} is left out: {outcome.message}"
            registry.warnings.append(message)


def attempt(action: Callable[[], T]) -> T | Crash:
    """What the action returns, or the words for the exception it raised.

    This is the one place at which jaxlint catches exceptions that it does not expect.
    """
    try:
        return action()
    except Exception as error:
        return Crash(_describe(error))


def _describe(error: Exception) -> str:
    """The exception and the innermost functions it came through, innermost first."""
    frames = [
        f"{frame.f_globals.get('__name__', '?')}.{frame.f_code.co_name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    trail = " < ".join(reversed(frames[-_FRAMES:]))
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    if isinstance(error, RecursionError):
        return f"the code is nested too deep to be analysed ({what}; at {trail})"
    return f"{what} (at {trail})"


def _best(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorted, and one finding for each code and place: the strongest."""
    first: dict[tuple[Span, str], Finding] = {}
    for finding in sorted(findings, key=_rank):
        first.setdefault((finding.span, finding.code), finding)
    return tuple(sorted(first.values(), key=Finding.sort_key))


def _finding(
    meta: Meta, path: str, line: int, column: int, message: str, help: str = ""
) -> Finding:
    span = Span(line, column, line, column)
    return Finding(path, span, meta.code, meta.name, meta.severity, message, help)


def _is_python(source: str | bytes) -> bool:
    """Whether this Python's own parser takes the source: the cheap test.

    Source that it does not take may still be good: written for a newer Python, or deep.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _quotable(source: str | bytes, path: str) -> SourceText:
    """The text of a file that may not be decodable, with what is not replaced."""
    if isinstance(source, str):
        return SourceText(path, source)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeError):
        # No such encoding, or one that is not for text.
        text = source.decode("utf-8", "replace")
    return SourceText(path, text)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A file's syntax tree is many live objects: a collector that runs meanwhile scans them
    again and again. What is left of the file is collected as soon as it runs again.

    Over flax, with parsing as the unit of time: one collection for each file costs 0.08, a
    collector that always runs 0.18. None at all peaks at 1.8 times the memory, and freezing what
    is imported saves nothing that can be measured.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

"""The core: settings and files go in, a report on each comes out. Prints nothing, exits never.

The entries of one file are traced through whatever they reach, by themselves: what is found
depends on no other file that is checked, nor on the order. A report gathers what was found from
all files whose tracing reaches the one that is reported on.
"""

from __future__ import annotations

import ast
import io
import os
import tokenize
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeVar

from jaxlint.base import collector
from jaxlint.base.finding import Confidence, Finding
from jaxlint.base.reach import Survey, merged
from jaxlint.base.text import SourceText, Span
from jaxlint.gathering import Crash, Examined, Gathered, Located, Site, rank
from jaxlint.knowledge import lookup, models
from jaxlint.meta import INTERNAL_ERROR, SYNTAX_ERROR, Meta
from jaxlint.project.discovery import reason
from jaxlint.project.files import DISK, FileSystem, Overlay, Problem
from jaxlint.project.ignore import Exclude
from jaxlint.project.modules import project_root
from jaxlint.project.requirements import declared_jax
from jaxlint.project.universe import Universe
from jaxlint.registry import MODEL_GROUP, PLUGIN_GROUP, Registry, install_models, rules_in
from jaxlint.settings import Settings
from jaxlint.syntax import ir, places
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
        self._last: tuple[tuple[str, ...], Gathered] | None = None

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
            with collector.rounds(places.release):
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
            own = self.examine(file)
            if own.problem is not None:
                if SYNTAX_ERROR.code not in self._active:
                    return Report(path)
                place = (own.problem.line, own.problem.column)
                finding = _finding(SYNTAX_ERROR, path, *place, own.problem.message)
                return Report(path, (finding,), source=_quotable(source, path))
            if own.crash is not None:
                return self._crashed(own.crash, source, path)
        if not self._index:
            return Report(path)
        found = self._gathered(tuple(entries)).shown(file, path, self._asked)
        shown = self._unsuppressed(found, source, path)
        return Report(path, shown, source=_quotable(source, path) if shown else None)

    def _gathered(self, entries: tuple[str, ...]) -> Gathered:
        """What was found from these files. Files that import each other have the same."""
        if self._last is None or self._last[0] != entries:
            examined = (self.examine(entry) for entry in entries)
            self._last = entries, Gathered(examined, self._index)
        return self._last[1]

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
        if isinstance(module, SyntaxProblem):
            return Examined(problem=module)
        if module is None or not (self._index or self.surveys):
            return Examined()
        context = Context(
            universe,
            dict(self.settings.transforms),
            self.settings.framework_methods,
            newest_jax=self._newest_jax(universe.root),
        )
        try:
            return self._found(module, context)
        finally:
            context.dismantle()
            universe.examined(file)

    def _found(self, module: ir.Module, context: Context) -> Examined:
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
                    if key not in found or rank(finding) < rank(found[key].finding):
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

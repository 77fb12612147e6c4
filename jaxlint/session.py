"""The core: settings and a file go in, a report comes out. Prints nothing, exits never."""

from __future__ import annotations

import ast
import gc
import io
import tokenize
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points
from typing import TypeVar

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText, Span
from jaxlint.meta import INTERNAL_ERROR, SYNTAX_ERROR, Meta
from jaxlint.project.discovery import reason
from jaxlint.project.files import DISK, FileSystem, Problem
from jaxlint.registry import PLUGIN_GROUP, Registry, rules_in
from jaxlint.settings import Settings
from jaxlint.syntax import ir

T = TypeVar("T")
_FRAMES = 4


@dataclass(frozen=True, slots=True)
class Report:
    """What is to be said about one file.

    `source` is there to quote from, if there are findings and the file is text. `crashed` tells
    that jaxlint failed on the file, even where the finding that says so is ignored.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: SourceText | None = None
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception that nobody expected, in words."""

    message: str


class Session:
    """Checks files, one at a time, with one set of settings.

    Raises UnknownRuleError or SettingsError for a selector that names no rule.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        files: FileSystem = DISK,
        registry: Registry | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.files = files
        self.registry = registry or load_registry()
        self._active = self.registry.resolve(self.settings.selections)
        self._index = self.registry.index(self._active)

    def check(self, path: str) -> Report:
        """The report on a file. One that cannot be read is a problem, not an exception."""
        try:
            data = self.files.read(path)
        except OSError as error:
            return Report(path, problems=(Problem(path, reason(error)),))
        return self.check_source(data, path)

    def check_source(self, source: str | bytes, path: str) -> Report:
        """The report on source text, as if it stood in the file `path`. Raises nothing."""
        with _collector_paused():
            outcome = attempt(lambda: self._report(source, path))
        if isinstance(outcome, Report):
            return outcome
        if INTERNAL_ERROR.code not in self._active:
            return Report(path, problems=(Problem(path, outcome.message),), crashed=True)
        finding = _finding(
            INTERNAL_ERROR, path, 1, 1, outcome.message, "this is a defect of jaxlint: report it"
        )
        return Report(path, (finding,), source=_quotable(source, path), crashed=True)

    def _report(self, source: str | bytes, path: str) -> Report:
        # The parser and the engine are most of jaxlint's start-up time, so each is imported when
        # a file needs it; `jaxlint.syntax.parse` in turn loads its parser at the first parse.
        from jaxlint.syntax.parse import mentions_jax, parse

        data = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
        if not mentions_jax(data) and (SYNTAX_ERROR.code not in self._active or _is_python(source)):
            return Report(path)
        module = parse(source, path)
        if not isinstance(module, ir.Module):
            if SYNTAX_ERROR.code not in self._active:
                return Report(path)
            finding = _finding(SYNTAX_ERROR, path, module.line, module.column, module.message)
            return Report(path, (finding,), source=_quotable(source, path))
        if not self._index:
            return Report(path)
        from jaxlint.engine.run import analyse

        found = _ordered(
            finding
            for fact in analyse(module)
            for _, check in self._index.checks(type(fact))
            for finding in check(fact)
        )
        shown = self._unsuppressed(found, module.source)
        return Report(path, shown, source=module.source if shown else None)

    def _unsuppressed(
        self, findings: tuple[Finding, ...], source: SourceText
    ) -> tuple[Finding, ...]:
        """The findings that no comment asks to be silent about."""
        if not findings or self.settings.noqa == "none":
            return findings
        from jaxlint.syntax.comments import suppressions

        comments = suppressions(source)
        on_lines = self.settings.noqa == "all"
        return tuple(
            finding
            for finding in findings
            if not comments.covers(finding.line, finding.code, finding.name, on_lines)
        )


@cache
def load_registry() -> Registry:
    """The built-in rules and those of plugins.

    An entry point of the group `jaxlint.rules` names a package of rule modules. One that cannot
    be used becomes a warning of the registry.
    """
    registry = Registry(rules_in("jaxlint.rules"))
    for plugin in sorted(entry_points(group=PLUGIN_GROUP), key=lambda plugin: plugin.name):
        outcome = attempt(partial(_add_plugin, registry, plugin.value))
        if isinstance(outcome, Crash):
            registry.warnings.append(f"rule plugin {plugin.name!r} is left out: {outcome.message}")
    return registry


def _add_plugin(registry: Registry, package: str) -> None:
    registry.add(rules_in(package))


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


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorted, and one finding for each code and place."""
    first: dict[tuple[Span, str], Finding] = {}
    for finding in sorted(findings, key=Finding.sort_key):
        first.setdefault((finding.span, finding.code), finding)
    return tuple(first.values())


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

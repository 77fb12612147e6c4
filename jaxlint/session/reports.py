"""The reports on files: findings from all entries that reach a file, less those silenced there."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from jaxlint.base.finding import Finding
from jaxlint.base.own_codes import (
    INCOMPLETE_ANALYSIS,
    INTERNAL_ERROR,
    MALFORMED_SUPPRESSION,
    SYNTAX_ERROR,
    UNUSED_SUPPRESSION,
)
from jaxlint.base.runtime.crash import Crash, attempt
from jaxlint.project.file_systems.files import Problem
from jaxlint.results.merge import Gathered, Place, Ran
from jaxlint.results.report import Report, is_python, quotable
from jaxlint.syntax.formats.documents import broken_in, is_document

if TYPE_CHECKING:
    from jaxlint.project.project import Universe
    from jaxlint.session.examination import Examination
    from jaxlint.session.projects import Projects
    from jaxlint.session.selected import Selected
    from jaxlint.settings import Settings


class Reporter:
    """Makes reports of the results of an examination. It keeps the last merge of results: files
    that import each other have the same entries."""

    def __init__(
        self,
        settings: Settings,
        projects: Projects,
        selected: Selected,
        examination: Examination,
    ) -> None:
        self._settings = settings
        self._projects = projects
        self._selected = selected
        self._examination = examination
        # For the entries of a file, those that have findings, or anything else to tell.
        self._tellings: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._last: tuple[tuple[str, ...], Gathered] | None = None

    def forget(self) -> None:
        """Drops all that is known, after a file changed."""
        self._last = None
        self._tellings.clear()

    def adopted(self) -> None:
        """Takes into account that other processes had results."""
        self._tellings.clear()

    def report(self, source: str | bytes, path: str, file: str, own: bool = False) -> Report:
        """The report on a text. With `own`, tracing that starts in other files is left out."""
        outcome = attempt(lambda: self._report(source, path, file, own))
        if isinstance(outcome, Report):
            return outcome
        return self._crashed(outcome, source, path)

    def _crashed(
        self, crash: Crash, source: str | bytes, path: str, found: tuple[Finding, ...] = ()
    ) -> Report:
        """The report on a file on which jaxlint failed, with the findings until then."""
        problems: tuple[Problem, ...] = ()
        if self._selected.is_on(INTERNAL_ERROR, path):
            help = "this is a defect of jaxlint: report it"
            words = (1, 1, crash.message, help)
            found = (self._selected.own_finding(INTERNAL_ERROR, path, *words), *found)
        else:
            problems = (Problem(path, crash.message),)
        return Report(path, found, problems, quotable(source, path) if found else None, True)

    def _report(self, source: str | bytes, path: str, file: str, own: bool) -> Report:
        universe = self._projects.of(file)
        universe.add(file, path)
        entries = universe.entries_for(file, self._projects.asked)
        named = file in self._projects.named
        looked_at = bool(entries) or named or universe.mentions(file)
        here_only = [it for it in entries if it == file]
        entries = here_only if own else self._examination.entries(file)
        if looked_at and file not in entries and self._is_broken(file, path, source, universe):
            entries = [file, *entries]
        crash = None
        if file in entries:
            here = self._examination.examine(file)
            crash = here.crash
            if here.problem is not None:
                if not self._selected.is_on(SYNTAX_ERROR, path):
                    return Report(path)
                words = (here.problem.line, here.problem.column, here.problem.message)
                finding = self._selected.own_finding(SYNTAX_ERROR, path, *words)
                return Report(path, (finding,), source=quotable(source, path))
        found, places = self._found(tuple(entries), file, path)
        shown = self._unsuppressed(found, places, source, path, own)
        if self._selected.overrides is not None:
            shown = self._selected.overrides.applied(shown, path)
        if looked_at and is_document(file) and self._selected.is_on(SYNTAX_ERROR, path):
            broken = (
                self._selected.own_finding(SYNTAX_ERROR, path, *one)
                for one in broken_in(source, path)
            )
            shown = tuple(sorted((*shown, *broken), key=Finding.sort_key))
        if crash is not None:
            return self._crashed(crash, source, path, shown)
        return Report(path, shown, source=quotable(source, path) if shown else None)

    def _found(
        self, entries: tuple[str, ...], file: str, path: str
    ) -> tuple[tuple[Finding, ...], tuple[Place, ...]]:
        """The findings in a file from these entries, and the places where findings might be."""
        if self._settings.names_rules and not self._selected.needs_tracing:
            return (), ()
        telling = self._telling(entries)
        if not telling:
            return (), ()
        gathered = self._gathered(telling)
        found = gathered.shown(file, path, self._projects.asked)
        if not self._selected.is_on(INCOMPLETE_ANALYSIS, path):
            found = tuple(one for one in found if one.code != INCOMPLETE_ANALYSIS.code)
        return found, tuple(gathered.places(file))

    def _is_broken(self, file: str, path: str, source: str | bytes, universe: Universe) -> bool:
        """Whether this Python's own parser finds errors in a file in which no tracing starts."""
        if not self._selected.is_on(SYNTAX_ERROR, path):
            return False
        results = self._projects.results.get(universe.root)
        if results is not None and results.is_python(file):
            return False
        if not is_python(source, path):
            return True
        if results is not None:
            results.keep_python(file)
        return False

    def _telling(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these entries whose examination has anything to tell."""
        known = self._tellings.get(entries)
        if known is None:
            found = tuple(it for it in entries if self._examination.examine(it).is_telling)
            known = self._tellings[entries] = found
        return known

    def _gathered(self, entries: tuple[str, ...]) -> Gathered:
        """The merged results of these entries."""
        if self._last is None or self._last[0] != entries:
            examined = (self._examination.examine(entry) for entry in entries)
            self._last = entries, Gathered(examined, self._selected.index)
        return self._last[1]

    def _unsuppressed(
        self,
        findings: tuple[Finding, ...],
        places: Collection[Place],
        source: str | bytes,
        path: str,
        own: bool,
    ) -> tuple[Finding, ...]:
        """The findings that no comment suppresses, and those about comments; `places` are all that
        comments might be for, unless these are the file's own alone."""
        if self._settings.noqa == "none":
            return findings
        data = source if isinstance(source, bytes) else source.encode(errors="replace")
        data = data.lower()
        is_ours = b"jaxlint" in data
        if not is_ours and b"noqa" not in data:
            return findings
        malformed = is_ours and self._selected.is_on(MALFORMED_SUPPRESSION, path)
        unused = not own and self._selected.is_on(UNUSED_SUPPRESSION, path)
        if not (findings or malformed or unused):
            return findings
        # Few files have comments of this kind.
        from jaxlint.suppression.judging import unsuppressed

        noqa = self._settings.noqa == "all"
        ran = None
        if unused:
            ran = Ran(places, self._selected.codes - self._selected.ignored(path), noqa)
        text, registry = quotable(source, path), self._selected.registry
        return unsuppressed(findings, text, registry, noqa=noqa, malformed=malformed, ran=ran)

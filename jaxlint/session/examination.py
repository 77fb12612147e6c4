"""The examination of files: each file's entries are traced once, and rules judge the facts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Confidence, Finding
from jaxlint.base.runtime import garbage
from jaxlint.base.runtime.crash import Crash, attempt
from jaxlint.base.runtime.stack import roomy
from jaxlint.base.text import Span
from jaxlint.results.merge import Examined, Located, Site, rank, speaks_of, traced
from jaxlint.results.report import incomplete
from jaxlint.session.fixes import Fixes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxlint.engine.machine.project import Context
    from jaxlint.facts import Fact
    from jaxlint.rule import Rule
    from jaxlint.session.projects import Projects
    from jaxlint.session.selected import Selected
    from jaxlint.session.surveys import Surveys
    from jaxlint.settings import Settings
    from jaxlint.syntax import ir

# For so many files at most, those that lead into each are looked for one by one.
_MOST_APART = 16


class Examination:
    """The results of the files that were examined, by the identity of each file."""

    def __init__(
        self, settings: Settings, projects: Projects, selected: Selected, surveys: Surveys
    ) -> None:
        self._settings = settings
        self._projects = projects
        self._selected = selected
        self._surveys = surveys
        self._examined: dict[str, Examined] = {}

    def examine(self, file: str) -> Examined:
        """Traces the entries of one file, unless its result is known."""
        if not self.known(file):
            begun = perf_counter()
            with garbage.rounds(release):
                outcome = roomy(lambda: attempt(lambda: self._examine(file)))
            examined = outcome if isinstance(outcome, Examined) else Examined(crash=outcome)
            noted = self._projects.of(file).answers.take_new()
            seconds = perf_counter() - begun
            self._examined[file] = replace(examined, noted=noted, seconds=seconds)
        return self._examined[file]

    def entries(self, file: str) -> list[str]:
        """The files whose results the report on a file needs: those from which tracing may reach
        it. Which these are is looked into where files would be examined for this one alone."""
        universe, asked = self._projects.of(file), self._projects.asked
        found = universe.entries_for(file, asked)
        certain = {one for one in found if one == file or one in asked}
        if self._surveys or all(one in certain or self.known(one) for one in found):
            return found
        wanted = asked if file in asked and len(asked) > _MOST_APART else (file,)
        certain |= universe.names.leading_to(wanted)
        return [one for one in found if one in certain or self.known(one)]

    def known(self, file: str) -> bool:
        """Whether the result of a file is known, from this run or from the cache."""
        if file not in self._examined:
            universe = self._projects.of(file)
            results = self._projects.results.get(universe.root)
            found = None if results is None else results.recall(file, universe)
            if found is None:
                return False
            self._examined[file] = found
        return True

    def naming(self, names: set[str]) -> set[str]:
        """The files with findings that say something of a file of one of these names."""
        return {file for file, one in self._examined.items() if speaks_of(one.located, names)}

    def timings(self) -> dict[str, float]:
        """The seconds that it took to examine each file whose result was not known."""
        return {file: one.seconds for file, one in self._examined.items() if one.seconds}

    def keep(self) -> bool:
        """Writes the results to the cache, and tells whether all of them can be relied on."""
        caches = self._projects.results
        if not caches:
            return True
        examined: dict[str | None, dict[str, Examined]] = {root: {} for root in caches}
        for file, one in self._examined.items():
            examined[self._projects.of(file).root][file] = one
        kept = [
            results.save(self._projects.at(root), examined[root])
            for root, results in caches.items()
        ]
        return all(kept)

    def adopt(self, examined: Mapping[str, Examined]) -> None:
        """Takes over the results of other processes."""
        self._examined |= examined

    def forget(self, files: Iterable[str]) -> None:
        """Drops the results of files, which will be examined again."""
        for file in files:
            self._examined.pop(file, None)

    def _examine(self, file: str) -> Examined:
        from jaxlint.syntax import ir

        universe = self._projects.of(file)
        module = universe.parsed(file)
        if module is None:
            return Examined()
        if not isinstance(module, ir.Module):
            return Examined(problem=module)
        if not (self._selected.needs_tracing or self._surveys):
            return Examined()
        context = self._projects.context(universe, self._selected.detections)
        from jaxlint.dataflow import memo

        try:
            return self._found(module, context)
        finally:
            # Fixes have asked questions about data flow too.
            memo.settle()
            context.dismantle()
            universe.examined(file)

    def _found(self, module: ir.Module, context: Context) -> Examined:
        found: dict[tuple[str, Span, str], Located] = {}
        fixes = Fixes()
        least = self._settings.min_confidence
        result = attempt(lambda: traced(module, context, least is Confidence.LOW, self._surveys))
        crash = result if isinstance(result, Crash) else None
        survey, facts = (None, context.standing()) if isinstance(result, Crash) else result
        for fact in facts:
            judged = attempt(partial(self._judged, fact, least))
            if isinstance(judged, Crash):
                crash = crash or judged
                continue
            for rule, one in judged:
                key = (one.sites[0].file, one.finding.span, one.finding.code)
                if self._settings.writes_fixes:
                    fixes.add(key, rule, fact)
                if key not in found or rank(one.finding) < rank(found[key].finding):
                    found[key] = one
        located = [fixes.given(key, one) for key, one in found.items()]
        if context.cuts:
            located.append(incomplete(module, context.cuts))
        return Examined(tuple(located), frozenset(context.traced), crash, survey)

    def _judged(self, fact: Fact, least: Confidence) -> list[tuple[Rule, Located]]:
        """The findings of the rules from a fact, each with its rule."""
        if not fact.confidence.reaches(least):
            return []
        fact.settle()
        return [
            (rule, self._located(finding, fact))
            for rule, check in self._selected.index.checks(type(fact))
            for finding in check(fact)
        ]

    def _located(self, finding: Finding, fact: Fact) -> Located:
        sites = [Site(module.file, module.source.path, span) for module, span in fact.sites()]
        sites[0] = Site(sites[0].file, finding.filename, finding.span)
        ignored = self._settings.noqa != "none" and len(sites) > 1
        if ignored:
            from jaxlint.syntax.comments import suppressions

            comments = suppressions(fact.module.source)
            ignored = comments.covers(finding.line, finding.code, finding.name, True)
        overrides = self._selected.overrides
        if not ignored and len(sites) > 1 and overrides is not None:
            # Another machine need not be in the same directory.
            path = finding.filename
            origin = path if os.path.isabs(path) else sites[0].file
            ignored = finding.code in overrides.ignored(origin)
        return Located(finding, tuple(sites), ignored, fact.eager_in, fact.subjects(), fact.cells())


def release() -> None:
    """Gives back the memory of parsed places between rounds of garbage collection."""
    from jaxlint.syntax import places

    places.release()

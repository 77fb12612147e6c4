"""Surveys of whole files: what was traced, what else is written there, and why that was not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Protocol

from jaxlint.base.dataclass import replace
from jaxlint.base.surveys.spot import Spot
from jaxlint.base.text import Span

if TYPE_CHECKING:
    from jaxlint.base.surveys.call_graph import Survey
    from jaxlint.base.surveys.coverage import Broken, Coverage
    from jaxlint.base.surveys.silence import Silence
    from jaxlint.project.file_systems.files import FileSystem
    from jaxlint.project.project import Universe
    from jaxlint.results.merge import Examined

# Whether surveys are made: of everything, or of functions and calls in traced code alone.
Surveys = bool | Literal["calls"]
# Most runs need none of what is imported below.


class Examiner(Protocol):
    """What is asked of a session."""

    files: FileSystem

    def reach(self, paths: Iterable[str]) -> Survey:
        """The surveys of all files whose tracing may reach these."""

    def survey(self, paths: Iterable[str]) -> Survey:
        """What is traced in these files, and where it cannot be seen."""

    def entries_for(self, path: str) -> list[str]:
        """The files whose tracing may reach a file."""

    def examine(self, file: str) -> Examined:
        """What came of tracing a file."""

    def project(self, file: str) -> Universe:
        """The project that a file belongs to."""


def silence(session: Examiner, paths: Iterable[str]) -> Silence:
    """Why tracing did not reach what it did not reach of these files. The session is one that
    makes surveys; `reason(path, line)` of the result tells of a single place."""
    from jaxlint.base.surveys.coverage import Coverage
    from jaxlint.base.surveys.unreached import silence

    return silence(session.survey(paths).coverage or Coverage())


def completed(session: Examiner, paths: list[str]) -> Survey:
    """The survey of these files, those included that nothing was traced of."""
    from jaxlint.base.surveys.coverage import Coverage, united

    asked = {session.files.identity(path): path for path in paths}
    survey = session.reach(paths).within(frozenset(asked))
    known = survey.coverage or Coverage(asked=frozenset(asked))
    there = {one.file for one in known.inventories}
    others = {one: one for path in paths for one in session.entries_for(path)}
    found = [_apart(session, file, path, there) for file, path in sorted((others | asked).items())]
    return replace(survey, coverage=united([known, *found]))


def _apart(session: Examiner, file: str, path: str, there: set[str]) -> Coverage:
    """What the survey of a file does not have."""
    from jaxlint.base.surveys.coverage import Broken, Coverage
    from jaxlint.engine.queries.inventory import inventory
    from jaxlint.syntax import ir

    universe = session.project(file)
    entries = session.entries_for(path)
    examined = session.examine(file) if file in entries else None
    broken: list[Broken] = []
    if examined is not None and examined.crash is not None:
        broken = [Broken(file, _start(universe.shown(file), file), examined.crash.message)]
    if file in there:
        return Coverage(broken=frozenset(broken))
    module = universe.parsed(file)
    if not isinstance(module, ir.Module):
        reason = "it cannot be read" if module is None else module.message
        broken.append(Broken(file, _start(universe.shown(file), file), reason))
        return Coverage(broken=frozenset(broken))
    top = universe.name(file).partition(".")[0]
    return Coverage(
        frozenset({inventory(module, top)}),
        broken=frozenset(broken),
        aside=frozenset() if entries else frozenset({file}),
    )


def _start(path: str, file: str) -> Spot:
    return Spot(path, Span(1, 1, 1, 1), file)

"""What came of tracing files, gathered for the reports on those that it reached.

A finding is about the file in which it happens, and shown in one that was asked for: there, or
at a call that leads there.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.finding import Because, Confidence, Finding, Severity
from jaxlint.base.runtime.crash import Crash
from jaxlint.base.surveys.call_graph import Survey
from jaxlint.base.text import Span
from jaxlint.project.dependencies import Noted
from jaxlint.syntax.formats.documents import is_document

if TYPE_CHECKING:
    from jaxlint.engine.machine.project import Context
    from jaxlint.facts import Fact
    from jaxlint.registry.index import Index, Subjects
    from jaxlint.syntax import ir
    from jaxlint.syntax.parse import SyntaxProblem


@slotted(frozen=True)
class Site:
    """A place where a finding may be shown; `file` is the identity of `filename`."""

    file: str
    filename: str
    span: Span


class Place(NamedTuple):
    """A line that a rule has something to say about."""

    line: int
    code: str
    name: str


class Ran(NamedTuple):
    """What comments are judged by: all places that they might be for, and the codes of the rules
    that looked for them. Without `noqa`, somebody else answers for `# noqa` on lines."""

    places: Collection[Place]
    active: Collection[str]
    noqa: bool


@slotted(frozen=True)
class Located:
    """A finding and where it may be shown, the best place first. `ignored` tells that a comment
    at that place asks to be silent about it; `eager_in` names the function that must not be
    traced from elsewhere for it to be true; `subjects` are the places that it is about. `cells` are
    those of the notebook that it comes from: the first line of each, and its number."""

    finding: Finding
    sites: tuple[Site, ...]
    ignored: bool = False
    eager_in: str = ""
    subjects: Subjects = frozenset()
    cells: tuple[tuple[int, int], ...] = ()

    def here(self) -> Finding:
        """The finding where it happens, with the steps that are in a notebook in its cells."""
        if not self.cells or is_document(self.sites[0].file):
            return self.finding
        one = self.finding
        return replace(
            one,
            because=tuple(map(self._in_cell, one.because)),
            trail=tuple(map(self._in_cell, one.trail)),
            doubt=None if one.doubt is None else self._in_cell(one.doubt),
        )

    def call(self) -> Because | None:
        """The outermost call in another file that leads to where it happens, if there is one."""
        if len(self.sites) < 2:
            return None
        site = self.sites[-1]
        return self._in_cell(Because(site.span, "this leads here", site.filename))

    def _in_cell(self, step: Because) -> Because:
        """A step in another file, with the lines of its cell if that is a notebook."""
        if not self.cells or not step.filename or not is_document(step.filename):
            return step
        at = bisect(self.cells, step.span.line, key=itemgetter(0))
        first, cell = self.cells[at - 1] if at else (1, 0)
        line = max(1, step.span.line - first + 1)
        end_line = step.span.end_line + line - step.span.line
        return replace(step, span=replace(step.span, line=line, end_line=end_line), cell=cell)


@slotted(frozen=True)
class Examined:
    """What came of tracing the entries of one file; `survey` where the session makes them.

    `traced` are the functions of other files that ran in traced code, by file and name. `problem`
    is why the file cannot be read. `noted` is what was asked about the project meanwhile, and
    `seconds` is how long it took.
    """

    located: tuple[Located, ...] = ()
    traced: frozenset[tuple[str, str]] = frozenset()
    crash: Crash | None = None
    survey: Survey | None = None
    problem: SyntaxProblem | None = None
    noted: Noted | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def is_telling(self) -> bool:
        """Whether there is anything in it that a report may say or be silent for."""
        return bool(self.located or self.traced)


def speaks_of(located: Any, names: Collection[str]) -> bool:
    """Whether findings, or the data that they are kept as, say anything of a file that goes by one
    of these names."""
    text = repr(located) if located else ""
    return any(name in text for name in names)


class Gathered:
    """What was found from several files, by the files in which it may be shown."""

    def __init__(self, examined: Iterable[Examined], index: Index) -> None:
        self._chosen = index.chosen
        examined = list(examined)
        traced = frozenset[tuple[str, str]]().union(*(one.traced for one in examined))
        located = [one for each in examined for one in each.located]
        spoken = index.spoken((one.finding.code, one.subjects) for one in located)
        self._by_file: dict[str, list[Located]] = {}
        for one in located:
            if one.eager_in and (one.sites[0].file, one.eager_in) in traced:
                continue
            if not one.subjects.isdisjoint(spoken.get(one.finding.code, ())):
                continue
            for file in dict.fromkeys(site.file for site in one.sites):
                self._by_file.setdefault(file, []).append(one)

    def shown(self, file: str, path: str, asked: Collection[str]) -> tuple[Finding, ...]:
        """The findings to be shown in a file that goes by `path`, where `asked` are the other
        files that findings may be shown in. Sorted, the strongest for each code and place."""
        return _grouped(self._shown(file, path, asked))

    def places(self, file: str) -> Iterator[Place]:
        """Where the findings are that would be shown in a file if it were the only one."""
        for one in self._by_file.get(file, ()):
            at = next(n for n, site in enumerate(one.sites) if site.file == file)
            if at == 0 or not one.ignored:
                yield Place(one.sites[at].span.line, one.finding.code, one.finding.name)

    def _shown(
        self, file: str, path: str, asked: Collection[str]
    ) -> Iterator[tuple[Finding, Because | None]]:
        """The findings, and the call in another file that leads to each."""
        for one in self._by_file.get(file, ()):
            if one.finding.minor and one.finding.code not in self._chosen:
                continue
            files = [site.file for site in one.sites]
            at = next(n for n, name in enumerate(files) if name == file or name in asked)
            if files[at] != file:
                continue
            if at == 0:
                yield replace(one.here(), filename=path), one.call()
            elif not one.ignored:
                yield _moved(one, one.sites[at], path), None


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
        fix=None,
    )


def _from(step: Because, origin: Site, site: Site) -> Because:
    """A step of the reason as seen from another file than that of the finding."""
    filename = step.filename or origin.filename
    return replace(step, filename="" if filename == site.filename else filename)


def rank(finding: Finding) -> tuple[bool, int, int, str]:
    """Of two findings at one place with one code, the one that promises more comes first."""
    severity = list(Severity).index(finding.severity)
    confidence = list(Confidence).index(finding.confidence)
    return bool(finding.minor), severity, confidence, finding.message


def _grouped(found: Iterable[tuple[Finding, Because | None]]) -> tuple[Finding, ...]:
    """Sorted, and one finding for each code and place: the strongest, with the calls in other files
    that lead to the others."""
    groups: dict[tuple[Span, str], list[tuple[Finding, Because | None]]] = {}
    for one in found:
        groups.setdefault((one[0].span, one[0].code), []).append(one)
    return tuple(sorted(map(_strongest, groups.values()), key=Finding.sort_key))


def _strongest(group: list[tuple[Finding, Because | None]]) -> Finding:
    """Of findings at one place the one that promises most, by a call of a module rather than of a
    notebook."""

    def strength(one: tuple[Finding, Because | None]) -> Any:
        *promise, message = rank(one[0])
        return promise, one[1] is not None and one[1].cell > 0, message, _key(one[1])

    best, own = min(group, key=strength)
    reasons = (*best.because, *best.trail)
    told = {_key(step)[:3] for step in reasons}
    if own is not None and any(step.filename == own.filename for step in reasons):
        told.add(_key(own)[:3])
    calls = {_key(call): call for _, call in group if call is not None}
    places = [call for place, call in calls.items() if place[:3] not in told]
    return replace(best, places=tuple(sorted(places, key=_key)))


def _key(call: Because | None) -> tuple[str, int, int, int]:
    """By what calls are sorted, and none comes first."""
    if call is None:
        return ("", 0, 0, 0)
    return call.filename, call.cell, call.span.line, call.span.column


def traced(
    module: ir.Module, context: Context, guesses: bool, surveys: bool | str
) -> tuple[Survey | None, list[Fact]]:
    """What the engine finds in a file and its imports, with a survey where one is made."""
    if surveys:
        from jaxlint.engine.queries.call_graph import surveyed

        return surveyed(module, context, guesses, surveys == "calls")
    from jaxlint.engine.queries.analyse import analyse

    return None, analyse(module, context, guesses)

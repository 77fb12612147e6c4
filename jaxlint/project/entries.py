"""Which files tracing may start in that reaches a file, as far as imports tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from jaxlint.project.file_facts import Contents
from jaxlint.project.graph import ImportGraph
from jaxlint.project.modules import Resolver


class Entries:
    """The files in which tracing may start. `telling` are those that take something from JAX, and
    `read` gives what a file tells."""

    def __init__(
        self,
        graph: ImportGraph,
        telling: Set[str],
        resolver: Resolver,
        read: Callable[[str], Contents],
    ) -> None:
        self._graph = graph
        self._telling = telling
        self._resolver = resolver
        self._read = read
        self._relevant: int | None = None
        self._known: dict[int, list[str]] = {}

    def changed(self) -> None:
        """Takes in that there are other files, or that they import others."""
        self._relevant = None

    def of(self, path: str, leading: ImportGraph) -> list[str]:
        """The files in which tracing may start that reaches a file, in order; `leading` are the
        ways from file to file."""
        if self._relevant is None:
            self._relevant = relevant(self._graph, self._telling, self._resolver)
            self._known.clear()
        around = leading.importing(behind_classes(path, self._graph, self._read))
        wanted = around & self._relevant
        known = self._known.get(wanted)
        if known is None:
            known = self._known[wanted] = list(self._graph.files_of(wanted))
        return known


def behind_classes(path: str, graph: ImportGraph, read: Callable[[str], Contents]) -> set[str]:
    """A file and those that define what its classes derive from: code that knows these alone may
    be given objects of the classes."""
    found = {path}
    pending = [path]
    while pending:
        one = pending.pop()
        bases = {base for _, *named in read(one).classes for base in named}
        for other in graph.imported(one) - found:
            if any(own in bases for own, *_ in read(other).classes):
                found.add(other)
                pending.append(other)
    return found


def relevant(graph: ImportGraph, telling: Iterable[str], resolver: Resolver) -> int:
    """The files from which tracing may start: those that take from JAX, and those that import one
    that does. What the tables speak for is not followed."""
    from jaxlint.knowledge import lookup

    own = graph.set_of(telling)
    importing = graph.files_of(graph.importing(telling) & ~own)
    return own | graph.set_of(
        path for path in importing if not lookup.hides_source(resolver.name(path))
    )

"""Which files tracing may start in that reaches a file, as far as imports tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jaxlint.project.file_facts import Contents
from jaxlint.project.graph import ImportGraph
from jaxlint.project.modules import Resolver


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

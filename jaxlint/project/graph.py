"""Which files of a project import which, and the files whose traced code may reach a file.

Sets of files are numbers with a bit for each file, in the order of their names: files that
import each other share theirs, and whatever is asked about every file stays linear in files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.project.imports import Import
from jaxlint.project.modules import Place, Resolver


@slotted()
class _Closed:
    """What the files of a graph import and what imports them, directly or through others."""

    files: list[str]
    numbers: dict[str, int]
    imports: list[int] = field(default_factory=list)
    importers: list[int] = field(default_factory=list)


class ImportGraph:
    """The imports among the files of a project, by identity."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._imports: dict[str, frozenset[str]] = {}
        # By directory, module and level of an import.
        self._run: dict[tuple[str, str, int], tuple[Place | None, list[str]]] = {}
        self._imported: set[str] = set()
        self._closed: _Closed | None = None

    def add(self, path: str, imports: Iterable[Import]) -> frozenset[str]:
        """Takes in the imports of a file, and tells which files they are."""
        found = frozenset(self._files_run(path, imports)) - {path}
        self._imports[path] = found
        self._imported |= found
        self._closed = None
        return found

    def _files_run(self, path: str, imports: Iterable[Import]) -> Iterator[str]:
        beside = os.path.dirname(path)
        for one in imports:
            key = (beside, one.module, one.level)
            known = self._run.get(key)
            if known is None:
                known = self._run[key] = _run(self._resolver, path, one.module, one.level)
            place, files = known
            yield from files
            if place is not None and place.directory is not None:
                for name in one.names:
                    inner = self._resolver.submodule(place, name)
                    if inner is not None and inner.path is not None:
                        yield inner.path

    def joined(self, more: Mapping[str, Iterable[str]]) -> ImportGraph:
        """A graph of the same files, where some lead to others as if they imported them."""
        made = ImportGraph(self._resolver)
        made._imports = {
            path: found.union(more.get(path, ())) for path, found in self._imports.items()
        }
        return made

    def is_imported(self, path: str) -> bool:
        """Whether any other file imports a file."""
        return path in self._imported

    def imported(self, path: str) -> frozenset[str]:
        """The files that a file itself imports."""
        return self._imports.get(path, frozenset())

    def importers(self, path: str) -> int:
        """The files that import a file, directly or through others; the file is one of them."""
        closed = self._close()
        return closed.importers[closed.numbers[path]] if path in closed.numbers else 0

    def imports(self, path: str) -> int:
        """The files that a file imports, directly or through others; the file is one of them."""
        closed = self._close()
        return closed.imports[closed.numbers[path]] if path in closed.numbers else 0

    def importing(self, paths: Iterable[str]) -> int:
        """The files that import one of these."""
        found = 0
        for path in paths:
            found |= self.importers(path)
        return found

    def set_of(self, paths: Iterable[str]) -> int:
        """These files, as far as they are in the graph."""
        numbers = self._close().numbers
        found = 0
        for path in paths:
            if path in numbers:
                found |= 1 << numbers[path]
        return found

    def files_of(self, files: int) -> Iterator[str]:
        """The files of a set, in order."""
        names = self._close().files
        while files:
            lowest = files & -files
            yield names[lowest.bit_length() - 1]
            files ^= lowest

    def _close(self) -> _Closed:
        if self._closed is None:
            self._closed = _closed(self._imports)
        return self._closed


def _run(resolver: Resolver, path: str, module: str, level: int) -> tuple[Place | None, list[str]]:
    """Where the module of an import is, and the files that importing it runs: its own and those of
    the packages around it."""
    if not level and resolver.is_unknown(os.path.dirname(path), module):
        return None, []
    place = resolver.find(path, module, level)
    if place is None:
        return None, []
    parts = [] if level else module.split(".")
    around = (resolver.find(path, ".".join(parts[:end])) for end in range(1, len(parts)))
    return place, [one.path for one in (place, *around) if one is not None and one.path is not None]


def _closed(imports: dict[str, frozenset[str]]) -> _Closed:
    files = sorted(frozenset(imports).union(*imports.values()))
    numbers = {path: number for number, path in enumerate(files)}
    edges = [[numbers[one] for one in imports.get(path, ())] for path in files]
    circles = circles_of(edges)
    circle_of = [0] * len(files)
    for number, circle in enumerate(circles):
        for file in circle:
            circle_of[file] = number
    down = [sum(1 << file for file in circle) for circle in circles]
    up = list(down)
    outside = [
        {circle_of[other] for file in circle for other in edges[file]} - {number}
        for number, circle in enumerate(circles)
    ]
    # What a circle imports comes before it.
    for number, others in enumerate(outside):
        for other in others:
            down[number] |= down[other]
    for number in reversed(range(len(circles))):
        for other in outside[number]:
            up[other] |= up[number]
    return _Closed(files, numbers, [down[one] for one in circle_of], [up[one] for one in circle_of])


def circles_of(edges: list[list[int]]) -> list[list[int]]:
    """The strongly connected components of a graph, each behind all that it leads to.

    Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.
    """
    circles: list[list[int]] = []
    order = [0] * len(edges)
    lowest = [0] * len(edges)
    open_: list[int] = []
    is_open = [False] * len(edges)
    position = [0] * len(edges)
    met = 0
    for start in range(len(edges)):
        if order[start]:
            continue
        trail: list[tuple[int, Iterator[int]]] = []
        following: int | None = start
        while following is not None or trail:
            if following is not None:
                met += 1
                order[following] = lowest[following] = met
                position[following] = len(open_)
                open_.append(following)
                is_open[following] = True
                trail.append((following, iter(edges[following])))
            node, others = trail[-1]
            following = None
            for other in others:
                if not order[other]:
                    following = other
                    break
                if is_open[other]:
                    lowest[node] = min(lowest[node], order[other])
            if following is None:
                trail.pop()
                if trail:
                    above = trail[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == order[node]:
                    at = position[node]
                    circles.append(open_[at:])
                    for one in open_[at:]:
                        is_open[one] = False
                    del open_[at:]
    return circles

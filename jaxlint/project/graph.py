"""Which files of a project import which, and the files whose traced code may reach a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from jaxlint.project.imports import Import
from jaxlint.project.modules import Place, Resolver


class ImportGraph:
    """The imports among the files of a project, by identity."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._imports: dict[str, frozenset[str]] = {}
        self._importers: dict[str, set[str]] = {}

    def add(self, path: str, imports: Iterable[Import]) -> None:
        """Takes in the imports of a file."""
        found = frozenset(self._imported(path, imports)) - {path}
        self._imports[path] = found
        for target in found:
            self._importers.setdefault(target, set()).add(path)

    def importers(self, path: str) -> frozenset[str]:
        """The files that import a file, directly or through others; the file is one of them."""
        return _reached([path], self._importers)

    def is_imported(self, path: str) -> bool:
        """Whether any other file imports a file."""
        return path in self._importers

    def imports(self, path: str) -> frozenset[str]:
        """The files that a file imports, directly or through others; the file is one of them."""
        return _reached([path], self._imports)

    def _imported(self, path: str, imports: Iterable[Import]) -> Iterable[str]:
        find = self._resolver.find
        for one in imports:
            place = find(path, one.module, one.level)
            if place is None:
                continue
            yield from self._files_of(place)
            if not one.level:
                # Importing a module runs the packages around it.
                parts = one.module.split(".")
                for end in range(1, len(parts)):
                    yield from self._files_of(find(path, ".".join(parts[:end])))
            for name in one.names:
                yield from self._files_of(self._resolver.submodule(place, name))

    @staticmethod
    def _files_of(place: Place | None) -> Iterable[str]:
        return () if place is None or place.path is None else (place.path,)


def _reached(
    start: Iterable[str], edges: dict[str, frozenset[str]] | dict[str, set[str]]
) -> frozenset[str]:
    found = set(start)
    pending = deque(found)
    while pending:
        for following in edges.get(pending.popleft(), ()):
            if following not in found:
                found.add(following)
                pending.append(following)
    return frozenset(found)

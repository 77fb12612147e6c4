"""Where modules are: from the name in an import statement to the file that Python would run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from jaxlint.base.dataclass import slotted
from jaxlint.base.file_stats import upwards
from jaxlint.project.file_systems.files import FileSystem
from jaxlint.project.roots import INSTALLED

INIT = "__init__.py"
_SOURCES = "src"
STANDARD_LIBRARY: frozenset[str] = sys.stdlib_module_names


@slotted(frozen=True)
class Place:
    """Where a module is: `path` is its file, `directory` that of a package.

    A namespace package has no file.
    """

    path: str | None
    directory: str | None = None


class Resolver:
    """Finds modules for the files of one project, as Python would with the project's sources on
    its path.

    An absolute import is looked for, in this order, in the directories `sources`; where the
    packages around the importing file begin; in `src` and in the project's root; beside the
    file. The standard library is never looked for, and for an installed package none of those
    installed with it. Paths are identities of `files`.

    Files without a project may import each other's packages: those around the files `together`,
    the nearest first.
    """

    def __init__(
        self,
        root: str | None,
        files: FileSystem,
        sources: Sequence[str] = (),
        together: Iterable[str] = (),
    ) -> None:
        self.root = root
        self._files = files
        self._sources = tuple(sources)
        around, name = os.path.split(root or "")
        self._only = name if os.path.basename(around) in INSTALLED else None
        self._kinds: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._packages: dict[str, str] = {}
        self._places: dict[tuple[str, str], Place | None] = {}
        self._found: dict[tuple[str, str, int], Place | None] = {}
        self._searched: dict[str, list[str]] = {}
        self._bases: dict[tuple[str, str], list[str]] = {}
        around_packages = {
            base
            for directory in map(os.path.dirname, together)
            if (base := self._outside_packages(directory)) != directory
        }
        self._together = sorted(around_packages)

    def find(self, importer: str, module: str, level: int = 0) -> Place | None:
        """The module that `importer` means by a dotted name behind `level` dots."""
        beside = os.path.dirname(importer)
        key = (beside, module, level)
        if key not in self._found:
            self._found[key] = self._find(beside, module, level)
        return self._found[key]

    def is_unknown(self, beside: str, module: str) -> bool:
        """Whether no file in a directory can mean anything of ours by an absolute name."""
        top = module.partition(".")[0]
        return top in STANDARD_LIBRARY or not self._bases_of(beside, top)

    def _find(self, beside: str, module: str, level: int) -> Place | None:
        if level:
            base = beside
            for _ in range(level - 1):
                base = os.path.dirname(base)
            return self._below(base, module) if module else self._package(base)
        top = module.partition(".")[0]
        if not top or top in STANDARD_LIBRARY or (self._only and top != self._only):
            return None
        namespace = None
        for base in self._bases_of(beside, top):
            found = self._below(base, module)
            if found is not None and found.path is not None:
                return found
            # A plain directory counts where no module and no package is found.
            namespace = namespace or found
        return namespace

    def _bases_of(self, beside: str, top: str) -> list[str]:
        """The directories around a file that hold anything of this name."""
        key = (beside, top)
        known = self._bases.get(key)
        if known is None:
            known = self._bases[key] = [
                base
                for base in self._search(beside)
                if self._kind(path := os.path.join(base, top)) == "directory"
                or self._kind(f"{path}.py") == "file"
            ]
            known += [
                base
                for base in self._nearest_first(beside)
                if base not in known and self._kind(os.path.join(base, top, INIT)) == "file"
            ]
        return known

    def _nearest_first(self, directory: str) -> list[str]:
        """The directories with packages of files without a project, the nearest first."""
        if not self._together:
            return []
        above = [*upwards(directory)]

        def distance(base: str) -> int:
            shared = {*upwards(base)}
            return next((at for at, one in enumerate(above) if one in shared), len(above))

        return sorted(self._together, key=distance)

    def submodule(self, place: Place, name: str) -> Place | None:
        """A module of a package."""
        return None if place.directory is None else self._below(place.directory, name)

    def name(self, path: str) -> str:
        """The dotted name of a file: what its packages call it."""
        known = self._names.get(path)
        if known is None:
            known = self._names[path] = self._name(path)
        return known

    def _name(self, path: str) -> str:
        directory, file = os.path.split(path)
        package = self._package_name(directory)
        if file == INIT:
            return package
        name = os.path.splitext(file)[0]
        return f"{package}.{name}" if package else name

    def _package_name(self, directory: str) -> str:
        """The dotted name of the package in a directory, empty where there is none."""
        known = self._packages.get(directory)
        if known is None:
            known = ""
            if self._kind(os.path.join(directory, INIT)) == "file":
                above, known = os.path.split(directory)
                outer = self._package_name(above) if above and known else ""
                known = f"{outer}.{known}" if outer else known
            self._packages[directory] = known
        return known

    def _search(self, beside: str) -> list[str]:
        """The directories that absolute imports of the files in a directory start from."""
        known = self._searched.get(beside)
        if known is None:
            found = [*self._sources, self._outside_packages(beside)]
            if self.root is not None:
                found += [os.path.join(self.root, _SOURCES), self.root]
            known = self._searched[beside] = list(dict.fromkeys([*found, beside]))
        return known

    def _outside_packages(self, directory: str) -> str:
        for above in upwards(directory):
            directory = above
            if self._kind(os.path.join(above, INIT)) != "file":
                break
        return directory

    def _below(self, base: str, module: str) -> Place | None:
        """The module of a dotted name whose first part is in a directory."""
        key = (base, module)
        if key not in self._places:
            self._places[key] = self._look(base, module)
        return self._places[key]

    def _look(self, base: str, module: str) -> Place | None:
        parts = module.split(".")
        if any(self._is_module(os.path.join(base, *parts[:end])) for end in range(1, len(parts))):
            return None
        path = os.path.join(base, *parts)
        package = self._package(path)
        if package is not None and package.path is not None:
            return package
        if self._kind(f"{path}.py") == "file":
            return Place(f"{path}.py")
        return package

    def _is_module(self, path: str) -> bool:
        """Whether a file hides a plain directory of its name."""
        init = self._kind(os.path.join(path, INIT))
        return init != "file" and self._kind(f"{path}.py") == "file"

    def _package(self, directory: str) -> Place | None:
        if self._kind(directory) != "directory":
            return None
        init = os.path.join(directory, INIT)
        return Place(init if self._kind(init) == "file" else None, directory)

    def _kind(self, path: str) -> str:
        known = self._kinds.get(path)
        if known is None:
            try:
                known = self._files.kind(path)
            except OSError:
                known = "missing"
            self._kinds[path] = known
        return known

"""The modules of one project: all of them by name, each parsed when somebody asks for it."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from jaxlint.knowledge import lookup
from jaxlint.project.discovery import discover
from jaxlint.project.files import FileSystem
from jaxlint.project.graph import ImportGraph
from jaxlint.project.ignore import Exclude
from jaxlint.project.imports import Import, imports_in
from jaxlint.project.modules import INIT, Place, Resolver
from jaxlint.project.relevance import JAX_LIKE, takes_jax
from jaxlint.syntax import ir
from jaxlint.syntax.parse import SyntaxProblem, parse

# How much parsed source is kept, in bytes: its nodes take some twenty-five times as much.
MOST_SOURCE = 8_000_000
# At the margin: a registering decorator or call, an attribute or an item that is set.
_ACTS = re.compile(
    rb"^(?:@[\w.]*\bregister\b|[\w.]+\.(?:add|append|register|setdefault|update)\("
    rb"|[\w.]+\.\w+[ \t]*=[^=]|[\w.]+\[[^\]\n]*\][ \t]*=[^=])",
    re.MULTILINE,
)

_X64 = (b"enable_x64", b"ENABLE_X64")


class Universe:
    """The modules around the files that are checked, by the identities of their files.

    `root` is the project's directory; without one, only what is imported is looked at, and
    the files that `add` names. `sources` are the directories that absolute imports start from,
    `libraries` packages whose functions trace as JAX's do.
    """

    def __init__(
        self,
        root: str | None,
        files: FileSystem,
        sources: Sequence[str] = (),
        exclude: Exclude | None = None,
        libraries: Iterable[str] = (),
    ) -> None:
        self.root = root
        self._libraries = JAX_LIKE.union(libraries)
        self._words = sorted(map(str.encode, self._libraries), key=len)
        self._files = files
        self._exclude = exclude or Exclude()
        self._resolver = Resolver(root, files, sources)
        self._graph = ImportGraph(self._resolver)
        self._known: dict[str, bool] = {}
        self._acting: dict[str, bool] = {}
        self._relevant: dict[str, bool] = {}
        self._searched = False
        self._x64: set[str] = set()
        self._names: dict[str, str] = {}
        self._parsed: OrderedDict[str, ir.Module | SyntaxProblem | None] = OrderedDict()
        self._held = 0
        self._sizes: dict[str, int] = {}

    # -- what the engine asks ---------------------------------------------------------------------

    def find(self, importer: str, module: str, level: int = 0) -> Place | None:
        """The module that a file means by a dotted name behind `level` dots."""
        return self._resolver.find(importer, module, level)

    def submodule(self, place: Place, name: str) -> Place | None:
        """A module of a package."""
        return self._resolver.submodule(place, name)

    def name(self, path: str) -> str:
        """The dotted name of a file."""
        return self._resolver.name(path)

    def load(self, path: str) -> ir.Module | None:
        """The parsed file, None where it cannot be read."""
        module = self.parsed(path)
        return module if isinstance(module, ir.Module) else None

    def acts(self, path: str) -> bool:
        """Whether the source of a file looks as if importing it changes what other modules hold."""
        known = self._acting.get(path)
        if known is None:
            known = self._acting[path] = _ACTS.search(self._data(path)) is not None
        return known

    def uses_x64(self, path: str) -> bool:
        """Whether 64-bit numbers may be switched on where a file is used: by one that imports it,
        by what that imports, or for all tests."""
        self._search()
        if not self._x64 or any(os.path.basename(one) == "conftest.py" for one in self._x64):
            return bool(self._x64)
        around = self._graph.importers(path)
        return any(not self._x64.isdisjoint(self._graph.imports(one)) for one in around)

    # -- what the session asks --------------------------------------------------------------------

    def add(self, path: str, shown: str) -> None:
        """Takes in a file and the name that it goes by in findings."""
        self._names[path] = shown
        self._read(path)

    def shown(self, path: str) -> str:
        """The name of a file in findings."""
        known = self._names.get(path)
        if known is None:
            below = os.path.relpath(path)
            known = path if below.startswith(os.pardir) else below
            self._names[path] = known
        return known

    def parsed(self, path: str) -> ir.Module | SyntaxProblem | None:
        """The parsed file, what is wrong with it, or None for one that is not there."""
        if path in self._parsed:
            self._parsed.move_to_end(path)
            return self._parsed[path]
        try:
            source = self._files.source(path)
        except OSError:
            return self._keep(path, None, 0)
        module = parse(source, self.shown(path))
        if isinstance(module, ir.Module):
            module.file = path
        return self._keep(path, module, len(source))

    def examined(self, path: str) -> None:
        """Tells that a file itself is done with: what nobody follows into is not kept."""
        followed = self._graph.is_imported(path) and not lookup.is_modelled(self.name(path))
        if not followed and path in self._parsed:
            del self._parsed[path]
            self._held -= self._sizes.pop(path)

    def entries_for(self, path: str) -> list[str]:
        """The files in which tracing may start that reaches a file, in order."""
        if self._files.kind(path) != "missing":
            # Nobody imports what has not been saved yet.
            self._search()
        self._read(path)
        return sorted(one for one in self._graph.importers(path) if self._is_relevant(one))

    # -- inside -----------------------------------------------------------------------------------

    def _keep(
        self, path: str, module: ir.Module | SyntaxProblem | None, size: int
    ) -> ir.Module | SyntaxProblem | None:
        self._parsed[path] = module
        self._sizes[path] = size
        self._held += size
        while self._held > MOST_SOURCE and len(self._parsed) > 1:
            oldest, _ = self._parsed.popitem(last=False)
            self._held -= self._sizes.pop(oldest)
        return module

    def _search(self) -> None:
        """Reads the imports of every file of the project, once."""
        if self._searched or self.root is None:
            return
        self._searched = True
        found = discover([self.root], self._files, exclude=lambda _: self._exclude)
        for path in found.files:
            self._read(self._files.identity(path))

    def _read(self, path: str) -> None:
        if path in self._known:
            return
        data = self._data(path)
        imports = imports_in(data)
        self._known[path] = self._is_telling(path, data, imports)
        if any(name in data for name in _X64):
            self._x64.add(path)
        self._graph.add(path, imports)

    def _data(self, path: str) -> bytes:
        try:
            return self._files.read(path)
        except OSError:
            return b""

    def _is_telling(self, path: str, data: bytes, imports: Sequence[Import]) -> bool:
        """Whether a file takes something from JAX, or a library that traces as JAX does."""
        if not any(name in data for name in self._words):
            return False
        name = self._resolver.name(path)
        package = name if os.path.basename(path) == INIT else name.rpartition(".")[0]
        return takes_jax(data, imports, package, self._libraries)

    def _is_relevant(self, path: str) -> bool:
        """Whether tracing may start in a file: it takes from JAX, or imports one that does."""
        known = self._relevant.get(path)
        if known is None:
            known = self._known.get(path, False) or self._imports_relevant(path)
            self._relevant[path] = known
        return known

    def _imports_relevant(self, path: str) -> bool:
        if lookup.is_modelled(self.name(path)):
            # What the tables speak for is not followed.
            return False
        imported: Iterable[str] = self._graph.imports(path)
        for one in imported:
            self._read(one)
        return any(self._known.get(one, False) for one in imported)

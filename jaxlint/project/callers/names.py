"""What the names of statements mean in other files, and which statements mention what."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jaxlint.knowledge import lookup
from jaxlint.project.callers.outlines import QUOTES, Outline, Statement
from jaxlint.project.modules import INIT, Place, Resolver

CONFTEST = "conftest.py"
# A name that a file defines: the file, and the name.
Node = tuple[str, str]


class Located(NamedTuple):
    """A statement and its file."""

    file: str
    statement: Statement


class _Module(NamedTuple):
    """A module as a value: its file, or the directory of a package without one."""

    path: str
    directory: str | None


class _From(NamedTuple):
    """What is imported from a module by a name: what the module has of that name, or else a module
    of the package."""

    module: _Module
    name: str


_Value = Node | _Module | _From


class Names:
    """The statements of a project by what they define and mention."""

    def __init__(self, outlines: Mapping[str, Outline], resolver: Resolver) -> None:
        self._outlines = outlines
        self._resolver = resolver
        # What imports bind: names of other files, and modules.
        self._bound: dict[str, dict[str, list[_Value]]] = {}
        self._stars: dict[str, list[str]] = {}
        self._meant: dict[tuple[str, str], tuple[frozenset[Node], frozenset[str]]] = {}
        self.statements: dict[str, list[Located]] = {}
        self.defining: defaultdict[Node, list[Located]] = defaultdict(list)
        # The statements that mention a name, and those of them that do more than put something
        # into what it stands for; those that mention a module as a value.
        self.mentioning: defaultdict[Node, list[Located]] = defaultdict(list)
        self.reading: defaultdict[Node, list[Located]] = defaultdict(list)
        self.using_module: defaultdict[str, list[Located]] = defaultdict(list)
        for file, one in outlines.items():
            self._bind(file, one)
            self.statements[file] = [Located(file, statement) for statement in one.statements]
            for located in self.statements[file]:
                for name in located.statement.defines:
                    self.defining[file, name].append(located)
        for file in outlines:
            for located in self.statements[file]:
                self._note(located)
        # The modules that are values somewhere, by the names of other files that they have too.
        self._passing: defaultdict[Node, list[str]] = defaultdict(list)
        for path in self.using_module:
            for name in self._words(path):
                for node in self.meant(path, name):
                    if node[0] != path:
                        self._passing[node].append(path)

    def meant(self, file: str, name: str) -> frozenset[Node]:
        """What a name in a file may mean: `module.function` and the like, in all files where it
        is imported on the way."""
        return self._meaning(file, name)[0]

    def using_module_of(self, node: Node) -> Iterator[Located]:
        """The statements in which a module is a value that has this name: it may be asked for
        any."""
        for path in (node[0], *self._passing.get(node, ())):
            yield from self.using_module.get(path, ())

    def is_a(self, node: Node, *kinds: str) -> bool:
        """Whether a name is defined by a statement of one of these kinds."""
        return any(one.statement.kind in kinds for one in self.defining.get(node, ()))

    def mentions_any(self, located: Located, words: frozenset[str]) -> bool:
        """Whether a statement mentions an attribute, or something imported, of one of these
        names."""
        file, statement = located
        called = {
            word
            for one in self._outlines[file].imports
            for name, word in zip(one.names, one.bound, strict=False)
            if name in words
        }
        return any(
            not words.isdisjoint(parts[1:]) or parts[0] in called
            for parts in (name.split(".") for name in statement.names)
        )

    # -- inside -----------------------------------------------------------------------------------

    def _bind(self, file: str, outline: Outline) -> None:
        bound: defaultdict[str, list[_Value]] = defaultdict(list)
        stars = [] if not outline.is_open else list(self._fixtures(file))
        for one in outline.imports:
            if not one.level and lookup.hides_source(one.module):
                continue
            if not one.names:
                for word in one.bound:
                    top = one.module.partition(".")[0]
                    whole = top if word == top else one.module
                    place = self._resolver.find(file, whole)
                    if place is not None:
                        bound[word].append(_module(place))
                continue
            place = self._resolver.find(file, one.module, one.level)
            if place is None:
                continue
            for name, word in zip(one.names, one.bound, strict=True):
                if name == "*":
                    stars += [place.path] if place.path else []
                    continue
                bound[word].append(_From(_module(place), name))
        self._bound[file] = dict(bound)
        self._stars[file] = stars

    def _words(self, path: str) -> Iterator[str]:
        """The names that a module has by its imports."""
        yield from self._bound.get(path, ())
        for star in self._stars.get(path, ()):
            for located in self.statements.get(star, ()):
                yield from located.statement.defines
            yield from self._bound.get(star, ())

    def _fixtures(self, file: str) -> Iterator[str]:
        """The files whose fixtures a test may name as a parameter."""
        directory = os.path.dirname(file)
        while True:
            path = os.path.join(directory, CONFTEST)
            if path in self._outlines and path != file:
                yield path
            above = os.path.dirname(directory)
            if above == directory:
                return
            directory = above

    def _note(self, located: Located) -> None:
        file, statement = located
        # A definition says its own name; a function may also assign names of its module.
        own = statement.defines[:1] if statement.kind == "function" else statement.defines
        seen: set[Node] = set()
        reads: set[Node] = set()
        modules: set[str] = set()
        # A function that fills a registry is not the one that is asked for what is in it.
        is_function = statement.kind == "function"
        filled = statement.changed if is_function else statement.only_filled
        unread = {name.partition(".")[0] for name in filled}
        for name in statement.names:
            plain = name.lstrip(QUOTES)
            nodes, held = self._meaning(file, plain)
            if plain == name:
                modules |= held
            seen |= nodes
            if name.partition(".")[0] not in unread:
                reads |= nodes
        for node in seen:
            if node[0] == file and node[1] in own:
                continue
            self.mentioning[node].append(located)
            if node in reads:
                self.reading[node].append(located)
        for path in modules:
            self.using_module[path].append(located)

    def _meaning(self, file: str, name: str) -> tuple[frozenset[Node], frozenset[str]]:
        """What a name may mean, and the modules that it may end with."""
        known = self._meant.get((file, name))
        if known is None:
            first, *rest = name.split(".")
            known = self._meant[file, name] = self._follow(file, first, tuple(rest))
        return known

    def _follow(
        self, file: str, first: str, rest: tuple[str, ...]
    ) -> tuple[frozenset[Node], frozenset[str]]:
        nodes: set[Node] = set()
        modules: set[str] = set()
        pending: list[tuple[_Value, tuple[str, ...]]] = [((file, first), rest)]
        seen: set[tuple[_Value, int]] = set()
        while pending:
            one, rest = pending.pop()
            if (one, len(rest)) in seen:
                continue
            seen.add((one, len(rest)))
            if isinstance(one, _Module):
                if rest:
                    pending.append((_From(one, rest[0]), rest[1:]))
                else:
                    modules.add(one.path)
                continue
            if isinstance(one, _From):
                pending += [(other, rest) for other in self._had(one)]
                continue
            path, name = one
            if one in self.defining:
                nodes.add(one)
            pending += [(other, rest) for other in self._bound.get(path, {}).get(name, ())]
            pending += [((star, name), rest) for star in self._stars.get(path, ())]
        return frozenset(nodes), frozenset(modules)

    def _had(self, one: _From) -> Iterator[_Value]:
        (path, directory), name = one
        yield path, name
        bound = self._bound.get(path, {}).get(name, ())
        if (path, name) in self.defining or any(other != one for other in bound):
            return
        inner = self._resolver.submodule(Place(path, directory), name)
        if inner is not None:
            yield _module(inner)


def _module(place: Place) -> _Module:
    path = place.path or place.directory or ""
    is_package = place.path is None or os.path.basename(place.path) == INIT
    return _Module(path, place.directory if is_package else None)

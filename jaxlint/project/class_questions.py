"""What the analysis asks about the classes of a project, and about who gives whom what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from jaxlint.base.test_files import is_of_tests
from jaxlint.project.class_members import ClassMembers, Contents, heirs
from jaxlint.project.dependencies import Answer, Answers, Question, pairs
from jaxlint.project.graph import ImportGraph
from jaxlint.project.modules import Resolver

ANSWERED = ("filling", "having", "heirs", "making", "registering", "storing")
"""The questions about classes whose answers may change with any file."""
_REGISTER = b"register"
_WORD = re.compile(rb"\b[A-Za-z_]\w*")


class ClassQuestions:
    """The classes of the files of a project, and who may meet whose."""

    def __init__(
        self,
        known: Mapping[str, Contents],
        root: str | None,
        graph: ImportGraph,
        resolver: Resolver,
        text: Callable[[str], bytes],
    ) -> None:
        self.members = ClassMembers(known, root)
        self._known = known
        self._root = root
        self._graph = graph
        self._resolver = resolver
        self._text = text
        self._packages: dict[str, str] = {}
        # The words of files that may register classes, by their files.
        self._registered: dict[str, frozenset[str]] = {}
        # Who leads where, by imports, by what code asks of objects and by what is registered.
        asking = self.members.asking()
        ways = {
            one: [it for it in others if self.may_meet(one, it)] for one, others in asking.items()
        }
        for one, contents in known.items():
            for other in graph.imported(one):
                if other in known and contents.fills(known[other]):
                    ways.setdefault(other, []).append(one)
        self.leading = graph.joined(ways)

    def heirs(self, path: str, name: str) -> list[tuple[str, str]]:
        """The classes that derive from a class of a file."""
        files = self._graph.files_of(self._graph.importers(path))
        return heirs(self._known, (it for it in files if it in self._known), name)

    def having(self, path: str, asked: str) -> list[tuple[str, str]]:
        """The classes whose objects have what code of a file asks of one, and may be given."""
        found = self.members.having(asked, is_of_tests(path, self._root))
        return [one for one in found if self.may_meet(path, one[0])]

    def may_meet(self, one: str, other: str) -> bool:
        """Whether code of a file may be given what another one makes: both are of one library, or
        some file imports both."""
        if self._package(one) == self._package(other):
            return True
        return bool(self._graph.importers(one) & self._graph.importers(other))

    def making(self, path: str, name: str) -> list[str]:
        """The files that call a class of a file."""
        importing = {path, *self._graph.files_of(self._graph.importers(path))}
        return [one for one in self.members.making(path, name) if one in importing]

    def storing(self, path: str, name: str, noted: Answers | None = None) -> list[str]:
        """The files that set an attribute of this name, perhaps of an object of this file's, or
        items of what they take from it under this name; the answer is `noted`."""
        importing = {*self._graph.files_of(self._graph.importers(path))}
        every = self.members.storing(name)
        found = [one for one in every if one in importing or self.may_meet(one, path)]
        if noted is not None:
            noted.note(Question("storing", path, name), tuple(found))
        return found

    def filling(self, path: str) -> list[str]:
        """The files that may register something in a file that they import, without tests."""
        files = self._graph.files_of(self._graph.importers(path))
        own = self._known.get(path)
        found = (one for one in files if one in self._known and self._fills(one, own))
        return sorted(one for one in found if one != path and not is_of_tests(one, self._root))

    def _fills(self, path: str, own: Contents | None) -> bool:
        known = self._known[path]
        return known.registers if own is None else known.fills(own)

    def registering(self, path: str, name: str, noted: Answers | None = None) -> list[str]:
        """The other files whose text names a class of a file, and a function that registers; the
        answer is `noted`."""
        files = self._graph.files_of(self._graph.importers(path))
        found = sorted(one for one in files if one != path and self._registers(one, name))
        if noted is not None:
            noted.note(Question("registering", path, name), tuple(found))
        return found

    def _registers(self, path: str, name: str) -> bool:
        words = self._registered.get(path)
        if words is None:
            data = self._text(path)
            found = _WORD.findall(data) if _REGISTER in data else ()
            words = self._registered[path] = frozenset(map(bytes.decode, found))
        return name in words

    def answer(self, kind: str, path: str, name: str) -> Answer:
        """What a question of one of these kinds is answered."""
        if kind == "heirs":
            return pairs(self.heirs(path, name))
        if kind == "having":
            return pairs(self.having(path, name))
        files = {"making": self.making, "registering": self.registering, "storing": self.storing}
        return tuple(self.filling(path) if kind == "filling" else files[kind](path, name))

    def may_be_imported(self, path: str) -> bool:
        """Whether a file is imported, or registers something, as plugins do that are imported by
        names which no text tells."""
        if self._graph.is_imported(path):
            return True
        own = self._known.get(path)
        if own is None:
            return False
        others = (self._known[one] for one in self._graph.imported(path) if one in self._known)
        return own.registers or any(map(own.fills, others))

    def _package(self, path: str) -> str:
        """The name that the modules of a library have in common."""
        known = self._packages.get(path)
        if known is None:
            known = self._packages[path] = self._resolver.name(path).partition(".")[0]
        return known

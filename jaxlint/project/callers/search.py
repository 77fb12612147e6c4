"""The files whose analysis may lead into others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto

from jaxlint.project.callers.changes import Changes
from jaxlint.project.callers.edits import Edit
from jaxlint.project.callers.names import Located, Names, Node
from jaxlint.project.callers.outlines import Outline
from jaxlint.project.callers.subclasses import Subclasses
from jaxlint.project.class_questions import ClassQuestions
from jaxlint.project.modules import Resolver


class Via(Enum):
    """How code may come to what a name stands for: by the name, because what it stands for holds
    something else, or because objects of a class that derives from it stand for its own."""

    NAME = auto()
    HOLDER = auto()
    SUBCLASS = auto()


class Callers:
    """The files of a project, by what their statements mention of each other."""

    def __init__(
        self,
        outlines: Mapping[str, Outline],
        resolver: Resolver,
        is_imported: Callable[[str], bool],
        classes: ClassQuestions,
    ) -> None:
        self._names = Names(outlines, resolver)
        self._changes = Changes(self._names, is_imported)
        self._subclasses = Subclasses(self._names, classes)
        self._found: dict[frozenset[str], frozenset[str]] = {}

    def of(self, files: Iterable[str]) -> frozenset[str]:
        """The files with a statement from which a chain of names leads to what one of these files
        defines; they are among them."""
        wanted = frozenset(files)
        known = self._found.get(wanted)
        if known is None:
            found = (one for file in wanted for one in self._names.statements.get(file, ()))
            known = self._found[wanted] = wanted | self._search().leading_to(found)
        return known

    def affected_by(self, edits: Mapping[str, Edit]) -> frozenset[str]:
        """The files with a statement from which a chain of names leads to a definition that one of
        these edits, by the files, changed."""
        nodes = ((file, name) for file, edit in edits.items() for name in edit.changed)
        found = (one for node in nodes for one in self._names.defining.get(node, ()))
        return self._search().leading_to(found)

    def runs_at_import(self, file: str, names: Iterable[str]) -> bool:
        """Whether importing a file of the project may call one of these functions of a file."""
        pending = [(file, name) for name in names]
        seen = set(pending)
        while pending:
            node = pending.pop()
            if node in self._changes.called_at_import:
                return True
            for other, statement in self._names.mentioning.get(node, ()):
                found = {(other, name) for name in statement.defines} - seen
                seen |= found
                pending += found
        return False

    def _search(self) -> _Search:
        return _Search(self._names, self._changes, self._subclasses)


class _Search:
    """One search, from what is defined back to those who may come to it."""

    def __init__(self, names: Names, changes: Changes, subclasses: Subclasses) -> None:
        self._names = names
        self._changes = changes
        self._subclasses = subclasses
        self._files: set[str] = set()
        self._statements: set[int] = set()
        self._reached: set[tuple[Via, Node]] = set()
        self._pending: list[tuple[Via, Node]] = []
        # Statements that may be given objects of classes from which names lead to the files.
        self._asking: list[Located] = []

    def leading_to(self, statements: Iterable[Located]) -> frozenset[str]:
        """The files from which a chain of names leads to these statements, theirs included."""
        names = self._names
        for located in statements:
            self._take(located)
        while self._pending or self._asking:
            while self._asking:
                self._take(self._asking.pop())
            if not self._pending:
                break
            via, node = self._pending.pop()
            found: Iterable[Located]
            if via is Via.NAME:
                found = names.mentioning.get(node, ())
            elif via is Via.HOLDER:
                found = names.reading.get(node, ())
            else:
                found = self._subclasses.given(node)
            for located in found:
                self._take(located)
            for located in names.using_module_of(node):
                self._take(located)
        return frozenset(self._files)

    def _take(self, located: Located) -> None:
        """Takes in a statement that leads to the files."""
        if id(located) in self._statements:
            return
        self._statements.add(id(located))
        self._files.add(located.file)
        for name in located.statement.defines:
            self._reach(Via.NAME, (located.file, name))
        for node in self._changes.of(located):
            self._reach(Via.HOLDER, node)
        for node in self._subclasses.stands_for(located):
            self._reach(Via.SUBCLASS, node)
        self._asking += self._subclasses.asking(located)

    def _reach(self, via: Via, node: Node) -> None:
        if (via, node) not in self._reached and (Via.NAME, node) not in self._reached:
            self._reached.add((via, node))
            self._pending.append((via, node))

"""Code that is given objects of classes that it does not name.

Where code calls methods of an object that nothing tells of, it may be given one of any class that
has them. Where a transform takes objects and a parameter is annotated with an abstract class, the
classes that derive from it stand in for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from jaxlint.knowledge.transforms import WRAPPERS
from jaxlint.project.callers.names import Located, Names, Node
from jaxlint.project.class_members import ALIKE, CALL, spelled
from jaxlint.project.class_questions import ClassQuestions

# The last names of the transforms that take objects with leaves that are no arrays.
_TAKES_OBJECTS = frozenset(
    name.rpartition(".")[2] for name, wrapper in WRAPPERS.items() if wrapper.lenient
)


class Subclasses:
    """The classes of a project by what they derive from."""

    def __init__(self, names: Names, classes: ClassQuestions) -> None:
        self._names = names
        self._classes = classes

    def asking(self, located: Located) -> list[Located]:
        """The statements with code that may be given objects of a class."""
        file, statement = located
        return self._asking[file, statement.defines[0]] if statement.kind == "class" else []

    @cached_property
    def _asking(self) -> defaultdict[Node, list[Located]]:
        by_word: dict[str, list[Located]] = {}
        for statements in self._names.statements.values():
            for located in statements:
                for word in located.statement.asks:
                    by_word.setdefault(word, []).append(located)
        found: defaultdict[Node, list[Located]] = defaultdict(list)
        for word, asking in by_word.items():
            kin = word if word.startswith(ALIKE) else ""
            methods = (CALL,) if kin else word.split(",")
            for node in self._classes.members.having(spelled(methods, (), kin), with_tests=True):
                may_meet = self._classes.may_meet
                found[node] += [one for one in asking if may_meet(one.file, node[0])]
        return found

    def stands_for(self, located: Located) -> Iterator[Node]:
        """The classes whose objects those of a class stand for: all that it derives from, if one
        of them leaves methods to others."""
        lineage: dict[Node, None] = {}
        pending = [located]
        while pending:
            file, statement = pending.pop()
            for base in statement.bases:
                for node in self._names.meant(file, base):
                    if node not in lineage:
                        lineage[node] = None
                        pending += self._names.defining[node]
        if any(one.statement.is_abstract for node in lineage for one in self._names.defining[node]):
            yield from lineage

    def given(self, node: Node) -> Iterator[Located]:
        """The statements that may be given an object that stands for one of this class."""
        for located in (*self._names.defining[node], *self._names.mentioning.get(node, ())):
            if id(located) in self._taking:
                yield located

    @cached_property
    def _taking(self) -> frozenset[int]:
        """The statements from which names lead to a transform that takes objects."""
        names = self._names
        pending = [
            located
            for statements in names.statements.values()
            for located in statements
            if names.mentions_any(located, _TAKES_OBJECTS)
        ]
        found = set(map(id, pending))
        while pending:
            file, statement = pending.pop()
            for name in statement.defines:
                for other in names.mentioning.get((file, name), ()):
                    if id(other) not in found:
                        found.add(id(other))
                        pending.append(other)
        return frozenset(found)

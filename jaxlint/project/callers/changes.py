"""What importing a file changes elsewhere: registries hold what their users have never named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property

from jaxlint.project.callers.names import Located, Names, Node


class Changes:
    """The names whose objects may come to hold what a statement defines or mentions, because the
    statement hands it to a function when its file is imported, or decorates it."""

    def __init__(self, names: Names, is_imported: Callable[[str], bool]) -> None:
        self._names = names
        self._is_imported = is_imported
        self._known: dict[int, frozenset[Node]] = {}
        self._called: dict[tuple[Node, bool], frozenset[Node]] = {}

    @cached_property
    def called_at_import(self) -> frozenset[Node]:
        """What the statements of imported files call, and the classes that keep those that derive
        from them."""
        found: set[Node] = set()
        for file, statements in self._names.statements.items():
            if self._is_imported(file):
                for _, statement in statements:
                    for name in statement.import_calls:
                        found |= self._names.meant(file, name)
                    for name in statement.bases:
                        found.update(filter(self._registers, self._names.meant(file, name)))
        return frozenset(found)

    def of(self, located: Located) -> frozenset[Node]:
        """The names of what a statement may put something into when it is run."""
        known = self._known.get(id(located))
        if known is None:
            # What nobody imports changes what it sees itself, and nothing else.
            found = self._find(located) if self._is_imported(located.file) else ()
            known = self._known[id(located)] = frozenset(found)
        return known

    def _find(self, located: Located) -> Iterator[Node]:
        names, (file, statement) = self._names, located
        # What is called for its result is hardly called for what it does.
        binds = statement.kind == "other" and bool(statement.defines)
        for name in statement.import_calls:
            is_method = "." in name and not binds
            for node in names.meant(file, name):
                if (is_method and names.is_a(node, "class")) or (
                    (is_method or statement.kind != "other") and node in self._holders
                ):
                    yield node
                # A method of a class may do what any of its methods does.
                yield from self._by_call(node, is_method)
        if statement.kind == "other":
            yield from self._stored_in(located)
        for name in statement.bases:
            for node in names.meant(file, name):
                if self._registers(node):
                    yield node
                    yield from self._by_call(node, whole=False)

    def _by_call(self, node: Node, whole: bool) -> frozenset[Node]:
        """What a call of a function may change, or of a class; with `whole` of its methods."""
        known = self._called.get((node, whole))
        if known is None:
            known = self._called[node, whole] = frozenset(self._follow(node, whole))
        return known

    def _follow(self, start: Node, whole: bool) -> Iterator[Node]:
        names = self._names
        pending = [(start, whole)]
        seen = {(start, whole)}
        while pending:
            node, whole = pending.pop()
            for located in names.defining.get(node, ()):
                file, statement = located
                if statement.kind == "other":
                    continue
                made = statement.kind == "class" and not whole
                for name in statement.constructor_changes if made else statement.changed:
                    yield from self._holders & names.meant(file, name)
                yield from self._stored_in(located)
                for name in statement.constructor_names if made else statement.names:
                    for one in names.meant(file, name):
                        if (one, False) not in seen:
                            seen.add((one, False))
                            pending.append((one, False))

    def _stored_in(self, located: Located) -> Iterator[Node]:
        """The names of what a statement assigns something in."""
        for name in located.statement.stored:
            for one in self._names.meant(located.file, name):
                if self._names.is_a(one, "class") or one in self._holders:
                    yield one

    def _registers(self, node: Node) -> bool:
        """Whether a class keeps the classes that derive from it."""
        return any(one.statement.registers for one in self._names.defining[node])

    @cached_property
    def _holders(self) -> frozenset[Node]:
        """The names of objects that may hold something: containers, what code of the project made,
        and other names of these."""
        names = self._names
        pending: list[Node] = []
        aliases: defaultdict[Node, list[Node]] = defaultdict(list)
        for file, statements in names.statements.items():
            for _, statement in statements:
                if statement.kind != "other":
                    continue
                own = [(file, name) for name in statement.defines]
                made = {one for name in statement.value_names for one in names.meant(file, name)}
                if statement.is_container or any(
                    names.is_a(one, "function", "class") for one in made
                ):
                    pending += own
                    continue
                for one in made:
                    aliases[one] += own
        found = set(pending)
        while pending:
            for other in aliases.get(pending.pop(), ()):
                if other not in found:
                    found.add(other)
                    pending.append(other)
        return frozenset(found)

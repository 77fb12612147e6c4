"""Which places name a function, as far as names tell."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.base.surveys.inventory import Definition, Inventory, Key, Reference

Place = tuple[Inventory, Reference]


class Mentions:
    """The places that name functions, in all files."""

    def __init__(self, inventories: list[Inventory]) -> None:
        tops = {one.top for one in inventories} | {".", ""}
        self._wanted = {it.short for one in inventories for it in one.definitions}
        self._owners = {it.owner for one in inventories for it in one.definitions if it.owner}
        self._aliases: dict[str, set[str]] = {}
        self._heirs: dict[str, set[str]] = {}
        # By the functions that a name certainly is, by imported names, attributes and callees.
        self._local: dict[Key, list[Place]] = {}
        self._imported: dict[str, list[Place]] = {}
        self._attributes: dict[str, list[Place]] = {}
        self._called: dict[str, list[Place]] = {}
        self._classes: dict[str, list[Place]] = {}
        for one in inventories:
            for alias in one.aliases:
                self._aliases.setdefault(alias.function, set()).add(alias.name)
            for heir, base in one.bases:
                self._heirs.setdefault(base, set()).add(heir)
            for reference in one.references:
                if reference.root in tops:
                    self._add(one, reference)

    def _add(self, inventory: Inventory, reference: Reference) -> None:
        place, name = (inventory, reference), reference.name
        if reference.call:
            self._called.setdefault(name, []).append(place)
        if reference.bound:
            return
        for number in reference.local:
            self._local.setdefault(Key(inventory.file, number), []).append(place)
        if reference.how == "attribute":
            if name in self._wanted:
                self._attributes.setdefault(name, []).append(place)
        elif reference.root and name in self._wanted:
            self._imported.setdefault(name, []).append(place)
        if name in self._owners and not reference.local:
            self._classes.setdefault(name, []).append(place)

    def of(self, key: Key, one: Definition) -> Iterator[Place]:
        """The places that name a function."""
        yield from self._local.get(key, ())
        if one.owner:
            yield from self._attributes.get(one.short, ())
            if one.short.startswith("__") and one.short.endswith("__"):
                for name in sorted(self.family(one.owner)):
                    yield from self._classes.get(name, ())
        elif not one.inside:
            for place in self._imported.get(one.short, ()):
                if place[0].file != key.file:
                    yield place
            for place in self._attributes.get(one.short, ()):
                if place[1].root:
                    yield place

    def by_alias(self, one: Definition) -> Iterator[Place]:
        """The calls of what goes by another name of a function."""
        for name in sorted(self._aliases.get(one.short, ())):
            yield from self._called.get(name, ())

    def family(self, owner: str) -> set[str]:
        """A class and those that derive from it, by their names."""
        found, pending = {owner}, [owner]
        while pending:
            fresh = self._heirs.get(pending.pop(), set()) - found
            found |= fresh
            pending += sorted(fresh)
        return found

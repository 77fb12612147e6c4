"""Which classes of a project have what code asks of an object, by the text of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.base.test_files import is_of_tests
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import MODULE_BASES

CALL = "__call__"
# How many letters a word has by which classes are found.
LEAST_WORD = 4
_BUILTIN = frozenset(
    name for kind in (dict, list, set, tuple, str, bytes, int, float, complex) for name in dir(kind)
)
# A class that has it gives its objects attributes that its text does not name.
_OPEN = "__getattr__"
# Methods of libraries' classes that run methods of those that derive from them, by last names.
_RUNNING = {base.rpartition(".")[2]: names for base, names in MODULE_BASES.items()}
# What decorators and bases of records give to their objects.
_OF_RECORDS = frozenset({"_asdict", "_replace", "replace"})
# What stands before the word that the names of classes end in, instead of the name of one.
ALIKE = "~"
Located = tuple[str, str]


class Contents(Protocol):
    """What a file tells of its classes and of what it calls (`file_facts.Contents`)."""

    @property
    def classes(self) -> tuple[tuple[str, ...], ...]:
        """Its classes in front of their bases."""

    @property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """Its classes in front of what their objects have."""

    @property
    def registers(self) -> bool:
        """Whether importing it seems to register something with another module."""

    def fills(self, other: Any) -> bool:
        """Whether importing it seems to register something with another file that it imports."""

    @property
    def called(self) -> tuple[str, ...]:
        """The last names of what is called."""

    @property
    def stored(self) -> tuple[str, ...]:
        """The names of attributes that are set on other objects than `self`."""


def heirs(known: Mapping[str, Contents], files: Iterable[str], name: str) -> list[Located]:
    """The classes of these files that name a class among their bases, each behind its file."""
    return [(file, own) for file in files for own, *bases in known[file].classes if name in bases]


def spelled(methods: Iterable[str], attributes: Iterable[str], kin: str) -> str:
    """What code asks of an object, in one word of a question. `kin` is the class that an annotation
    names, or `ALIKE` and what the names of classes end in; empty where nothing tells."""
    return f"{' '.join(sorted(methods))}|{' '.join(sorted(attributes))}|{kin}"


def is_common(name: str) -> bool:
    """Whether objects of many kinds have a method of this name."""
    return name in _BUILTIN or lookup.method(name) is not None


def _ends(name: str, word: str) -> bool:
    return name.lower().endswith(word)


def word_of(name: str) -> str:
    """What the names of classes end in whose objects may have this name."""
    return name.strip("_").replace("_", "").lower()


def _inherited(bases: Iterable[str]) -> frozenset[str]:
    """The methods that a class has from libraries and that run what it defines."""
    return frozenset[str]().union(*(_RUNNING.get(base, ()) for base in bases))


@slotted(frozen=True)
class _Names:
    """What objects of a class may have. `is_open`: there may be more attributes."""

    methods: frozenset[str]
    attributes: frozenset[str]
    is_open: bool


class ClassMembers:
    """The classes of a project by what their objects have. Bases go by their last names."""

    def __init__(self, known: Mapping[str, Contents], root: str | None) -> None:
        self._tests = {file for file in known if is_of_tests(file, root)}
        self._own: dict[str, list[tuple[str, frozenset[str], frozenset[str]]]] = {}
        self._bases: dict[Located, tuple[str, ...]] = {}
        self._all: dict[Located, _Names] = {}
        # By the names of what the text of a class says that it has, and of all that it has.
        self._having_itself: dict[str, list[Located]] = {}
        self._by_name: dict[str, list[Located]] = {}
        # The names of classes, by their last letters.
        self._by_end: dict[str, list[str]] = {}
        for file, contents in known.items():
            for own, *bases in contents.classes:
                self._bases[file, own] = tuple(bases)
            for own, *names in contents.members:
                at = names.index("")
                parts = frozenset(names[:at]), frozenset(names[at + 1 :])
                inherited = _inherited(self._bases.get((file, own), ()))
                parts = (parts[0] | inherited, parts[1])
                self._own.setdefault(own, []).append((file, *parts))
                for name in parts[0] | parts[1]:
                    self._having_itself.setdefault(name, []).append((file, own))
        for own in self._own:
            self._by_end.setdefault(own.lower()[-LEAST_WORD:], []).append(own)
        self._calling: dict[str, set[str]] = {}
        self._calling_words: dict[str, set[str]] = {}
        for file, contents in known.items():
            for name in contents.called:
                self._calling.setdefault(name, set()).add(file)
                self._calling_words.setdefault(word_of(name), set()).add(file)
        self._storing: dict[str, set[str]] = {}
        for file, contents in known.items():
            for name in contents.stored:
                self._storing.setdefault(name, set()).add(file)
        self._heirs: dict[str, list[Located]] = {}
        for one, bases_of in self._bases.items():
            for base in bases_of:
                self._heirs.setdefault(base, []).append(one)

    def asking(self) -> dict[str, set[str]]:
        """The files with classes whose objects code of a file may be given: it calls or sets what
        is named as their methods and attributes are, or calls what is named as classes are whose
        objects can be called."""
        found: dict[str, set[str]] = {}
        for own, places in self._own.items():
            for file, methods, attributes in places:
                callers = [
                    used.get(name, set())
                    for name in methods | attributes
                    if not is_common(name)
                    for used in (self._calling, self._storing)
                ]
                if CALL in methods:
                    callers.append(self._calling_like(own.lower()))
                for one in set[str]().union(*callers):
                    found.setdefault(one, set()).add(file)
        return found

    def making(self, path: str, name: str) -> list[str]:
        """The files that call a class of a file by its name, that file first, without tests."""
        found = self._calling.get(name, set()) - self._tests
        return sorted(found, key=lambda file: (file != path, file))

    def storing(self, name: str) -> list[str]:
        """The files that set an attribute of this name on other objects than `self`, no tests."""
        return sorted(self._storing.get(name, set()) - self._tests)

    def _calling_like(self, name: str) -> set[str]:
        """The files that call something whose name a class ends in, or one that derives from it."""
        words = (name[at:] for at in range(len(name) - LEAST_WORD + 1))
        return set[str]().union(*(self._calling_words.get(word, ()) for word in words))

    def having(self, asked: str, with_tests: bool) -> list[Located]:
        """The classes whose objects have what code asks for (`spelled`), each behind its file."""
        called, read, kin = asked.split("|")
        found = self._having(frozenset(called.split()), frozenset(read.split()), kin)
        return found if with_tests else [one for one in found if one[0] not in self._tests]

    def _having(self, called: frozenset[str], read: frozenset[str], kin: str) -> list[Located]:
        # What no class has comes from libraries.
        methods = frozenset(name for name in called if self._with(name))
        attributes = read | (called - methods)
        if kin.startswith(ALIKE):
            found = self._named(kin.removeprefix(ALIKE))
        elif kin and not self._is_protocol(kin):
            found = self._deriving((file, kin) for file, *_ in self._own.get(kin, ()))
        elif methods or attributes:
            names = methods or attributes
            found = self._with(min(names, key=lambda name: (len(self._with(name)), name)))
        else:
            return []
        return [one for one in found if self._has(one, methods, attributes)]

    def _named(self, word: str) -> list[Located]:
        """The classes whose names end in a word, and those that derive from them."""
        names = (own for own in self._by_end.get(word[-LEAST_WORD:], ()) if _ends(own, word))
        return self._deriving((file, own) for own in names for file, *_ in self._own[own])

    def _is_protocol(self, name: str) -> bool:
        places = [(file, name) for file, *_ in self._own.get(name, ())]
        return any("Protocol" in self._bases.get(one, ()) for one in places)

    def _with(self, name: str) -> list[Located]:
        """The classes that have a method or an attribute, or derive from one that has."""
        known = self._by_name.get(name)
        if known is None:
            known = self._by_name[name] = self._deriving(self._having_itself.get(name, ()))
        return known

    def _deriving(self, start: Iterable[Located]) -> list[Located]:
        """These classes, and those that derive from them."""
        found: dict[Located, None] = {}
        pending = [*start]
        while pending:
            one = pending.pop()
            if one not in found:
                found[one] = None
                pending += self._heirs.get(one[1], ())
        return sorted(found)

    def _has(self, one: Located, methods: frozenset[str], attributes: frozenset[str]) -> bool:
        names = self._all.get(one)
        if names is None:
            names = self._all[one] = self._names(one)
        known = names.attributes | names.methods
        # What is called may be a function that an attribute holds.
        return methods <= known and (names.is_open or attributes - _OF_RECORDS <= known)

    def _names(self, one: Located) -> _Names:
        methods, attributes = set[str](), set[str]()
        is_open = False
        for own in self._lineage(one):
            parts = [part for part in self._own.get(own[1], ()) if part[0] == own[0]]
            for _, named, others in parts:
                methods |= named
                attributes |= others
            known = {base for base in self._bases.get(own, ()) if base in self._own}
            is_open |= len(known) < len(self._bases.get(own, ()))
        return _Names(frozenset(methods), frozenset(attributes), is_open or _OPEN in methods)

    def _lineage(self, one: Located) -> Iterator[Located]:
        seen, pending = {one}, [one]
        while pending:
            found = pending.pop()
            yield found
            for base in self._bases.get(found, ()):
                for file, _, _ in self._own.get(base, ()):
                    if (file, base) not in seen:
                        seen.add((file, base))
                        pending.append((file, base))

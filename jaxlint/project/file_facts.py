"""What the text of a file tells without being parsed."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.project.imports import Import, imports_in
from jaxlint.project.modules import INIT, STANDARD_LIBRARY
from jaxlint.project.relevance import takes_jax
from jaxlint.project.transformed_methods import IN_BYTES

if TYPE_CHECKING:
    from jaxlint.project.callers.outlines import Outline

# At the margin: a registering decorator or call, an attribute or an item that is set.
_ACTS = re.compile(
    rb"^(?:@[\w.]*\bregister\b|[\w.]+\.(?:add|append|register|setdefault|update)\("
    rb"|[\w.]+\.\w+[ \t]*=[^=]|[\w.]+\[[^\]\n]*\][ \t]*=[^=])",
    re.MULTILINE,
)
# At the margin: a decorator or a call that registers something with what other modules read. Those
# of pytrees tell JAX alone.
_REGISTERS = re.compile(
    rb"^(?:@[\w.]*\bregister(?:_(?!pytree|dataclass|static|keypath)\w+)?\b(?!\w)"
    rb"|[\w.]+\.register\()",
    re.MULTILINE,
)
# Decorators at the margin, by their last words.
_DECORATOR = re.compile(rb"^@(?:\w+\.)*(\w+)", re.MULTILINE)
# An empty container at the margin, and how functions put something into one.
_EMPTY = re.compile(
    rb"^(\w+)[ \t]*(?::[^=\n]+)?=[ \t]*"
    rb"(?:\{\}|\[\]|(?:dict|list|(?:collections\.)?OrderedDict)\(\))[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_PUTS = rb"(?<![\w.])(?:%s)(?:\[[^\]\n]*\][ \t]*=(?!=)|\.(?:add|append|insert|setdefault|update)\()"
# What a function or class begins with at the margin, and a hook that runs for each class derived.
_BLOCK = re.compile(rb"^(?:async[ \t]+def|class|def)[ \t]+(\w+)", re.MULTILINE)
_HOOK = b"__init_subclass__"
# A class at the margin that derives from others.
_CLASS = re.compile(rb"^class[ \t]+(\w+)[ \t]*(?:\[[^\]\n]*\][ \t]*)?\(([^)]*)\)", re.MULTILINE)
_BASE = re.compile(rb"([A-Za-z_]\w*)[ \t\r\n]*(?=[\[,]|$)")
# What a class begins with at the margin, and where what is in it ends.
_HEAD = re.compile(rb"^class[ \t]+(\w+)", re.MULTILINE)
_END = re.compile(rb"\n(?=[^\s#)\]}'\"])")
# What objects of a class may have: its methods, its attributes, what methods give `self`.
_METHOD = re.compile(rb"\n[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)")
_ATTRIBUTE = re.compile(
    rb"\n[ \t]+(\w+)[ \t]*(?::(?!=)|=(?!=))|\bself\.(\w+)[ \t]*(?::[^=\n]+)?=(?!=)"
)
# A name that is called, by itself or as the last of a chain.
_CALLED = re.compile(rb"(?<!def )(?<!class )(?<!def\t)(?<!\w)([A-Za-z_]\w*+)\(")
# An attribute that is set, or an item of one, of something that is not `self` alone.
_STORED = re.compile(
    rb"(?<![\w.])(?!self\.\w+[ \t]*[^\w.])((?:\w+\.)+)(\w++)[ \t]*(?:\[[^\]\n]*\][ \t]*)?"
    rb"(?:[-+*/%@&|^]|\*\*|//|<<|>>)?=(?!=)"
)
# An item of what is taken from another file that is set.
_ITEM_STORED = rb"(?<![\w.])%s\[[^\]\n]*\][ \t]*(?:[-+*/%%@&|^]|\*\*|//|<<|>>)?=(?!=)"
# Where 64-bit numbers are spoken of, outside of comments.
_X64 = re.compile(rb"^[^#\n]*enable_x64", re.MULTILINE | re.IGNORECASE)


@slotted(frozen=True)
class Contents:
    """`mentions`: a library whose functions trace is named. `telling`: something is taken from
    one. `x64`: 64-bit numbers are spoken of. `acts`: importing it seems to change what other
    modules hold, `registers`: to register something with them. `classes`: its classes that derive
    from others, each in front of the last words of their names. `members`: its classes, each in
    front of the names that its objects may have: those of methods, then a blank, then those of
    attributes. `called` are the last names of what is called or transformed, `stored` those of
    attributes that are set on something else than `self`, or whose items are, and the names taken
    from other files whose items are. `decorators` are the last words of its
    decorators, `keepers` its functions that fill an empty container of the file, and its classes
    that are told of those derived from them."""

    imports: tuple[Import, ...] = ()
    mentions: bool = False
    telling: bool = False
    x64: bool = False
    acts: bool = False
    registers: bool = False
    classes: tuple[tuple[str, ...], ...] = ()
    members: tuple[tuple[str, ...], ...] = ()
    called: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    keepers: tuple[str, ...] = ()

    def fills(self, other: Contents) -> bool:
        """Whether a file that imports another one may register something with it."""
        if self.registers or not other.keepers:
            return self.registers
        bases = (base for one in self.classes for base in one[1:])
        return not {*self.decorators, *bases}.isdisjoint(other.keepers)


class Remembered(Protocol):
    """What was found out in earlier runs, about files that have not changed since."""

    def contents(self, path: str, name: str) -> Contents | None:
        """What a file of this dotted name tells, None where that is not known."""

    def keep(self, path: str, name: str, contents: Contents) -> None:
        """Takes in what a file tells."""

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, None where that is not known."""

    def keep_outline(self, path: str, outline: Outline) -> None:
        """Takes in the outline of a file that was read."""


class Reader:
    """Reads what files tell of `libraries`, the packages whose functions trace. The imports of
    those in `ignored` are left out."""

    def __init__(self, libraries: Iterable[str]) -> None:
        self._libraries = frozenset(libraries)
        self._words = sorted(map(str.encode, self._libraries), key=len)
        self.ignored = STANDARD_LIBRARY - self._libraries
        self._rare = _Rare(self._libraries)

    def contents(self, path: str, name: str, data: bytes) -> Contents:
        """What the text of a file of this dotted name tells."""
        imports = imports_in(data, self.ignored)
        package = name if os.path.basename(path) == INIT else name.rpartition(".")[0]
        mentions = self._mentions(data, imports, package)
        telling = mentions and takes_jax(data, imports, package, self._libraries)
        x64 = _X64.search(data) is not None
        acts, registers = (one.search(data) is not None for one in (_ACTS, _REGISTERS))
        classes, used = (_classes(data), _members(data)), (_called(data), _stored(data, imports))
        flags = mentions, telling, x64, acts, registers
        marks = _decorators(data), _keepers(data)
        return Contents(tuple(imports), *flags, *classes, *used, *marks)

    def has_words(self, data: bytes) -> bool:
        """Whether any of the libraries is named anywhere in what cannot be read as source."""
        return any(word in data for word in self._words)

    def _mentions(self, data: bytes, imports: Iterable[Import], package: str) -> bool:
        """Whether any of the libraries is imported, or named in quotes."""
        if any(
            not one.level and one.module.partition(".")[0] in self._libraries for one in imports
        ):
            return True
        if package.partition(".")[0] in self._libraries and any(it in data for it in self._words):
            return True
        return self._rare.is_quoted_in(data)


def _decorators(data: bytes) -> tuple[str, ...]:
    """The last words of the decorators at the margin of a text."""
    if b"@" not in data:
        return ()
    return tuple(sorted({one.decode() for one in _DECORATOR.findall(data)}))


def _keepers(data: bytes) -> tuple[str, ...]:
    """The functions at the margin of a text that fill a container which is empty at first, and the
    classes with a hook for those that derive from them."""
    empty = _EMPTY.findall(data)
    if not empty and _HOOK not in data:
        return ()
    puts = re.compile(_PUTS % b"|".join(empty)) if empty else None
    found = []
    for match in _BLOCK.finditer(data):
        end = _END.search(data, match.end())
        text = data[match.start() : end.start() if end else len(data)]
        is_class = text.startswith(b"class")
        if _HOOK in text if is_class else puts is not None and puts.search(text):
            found.append(match[1].decode())
    return tuple(found)


def _classes(data: bytes) -> tuple[tuple[str, ...], ...]:
    """The classes of a text and the names that they derive from."""
    return tuple(
        (match[1].decode(), *(base.decode() for base in _BASE.findall(match[2])))
        for match in _CLASS.finditer(data)
    )


def _members(data: bytes) -> tuple[tuple[str, ...], ...]:
    """The classes of a text, and the names of what their objects may have."""
    found = []
    for head in _HEAD.finditer(data):
        end = _END.search(data, head.end())
        body = data[head.end() : end.start() if end else len(data)]
        methods = dict.fromkeys(_METHOD.findall(body))
        pairs = _ATTRIBUTE.findall(body)
        attributes = dict.fromkeys(one for pair in pairs for one in pair if one)
        if methods or attributes:
            names = (head[1], *methods, b"", *(one for one in attributes if one not in methods))
            found.append(tuple(name.decode("utf-8", "replace") for name in names))
    return tuple(found)


def _called(data: bytes) -> tuple[str, ...]:
    given = {match[2] for match in IN_BYTES.finditer(data)}
    names = {*_CALLED.findall(data), *given}
    return tuple(sorted(name.decode("utf-8", "replace") for name in names))


def _stored(data: bytes, imports: Iterable[Import]) -> tuple[str, ...]:
    names = {match[2] for match in _STORED.finditer(data)}
    taken = {name for one in imports for name in one.names}.difference("*")
    for name in map(str.encode, taken):
        if name + b"[" in data and re.search(_ITEM_STORED % name, data):
            names.add(name)
    return tuple(sorted(name.decode("utf-8", "replace") for name in names))


class _Rare:
    """Words, hardly any of which is found in quotes in a text: few searches show that none is."""

    _COMMON = 2  # the letters at the end that words have in common
    _LEAST = 3  # how many must do so for one search in place of theirs

    def __init__(self, words: Iterable[str]) -> None:
        listed = sorted(words)
        names = [one.encode() for one in listed]
        self._quoted = re.compile(rb"[\"'](?:%s)[.\"']" % b"|".join(map(re.escape, names)))
        ends = Counter(one[-self._COMMON :] for one in names)
        shared = [end for end, count in ends.items() if count >= self._LEAST]
        self._ends = [re.compile(re.escape(end) + rb"[.\"']") for end in shared]
        others = [one for one in names if one[-self._COMMON :] not in shared]
        # What contains another of them need not be looked for.
        self._others = [one for one in others if not any(it in one and it != one for it in others)]

    def is_quoted_in(self, data: bytes) -> bool:
        """Whether any of the words is there between quotes, or behind one and before a dot."""
        found = any(end.search(data) for end in self._ends)
        found = found or any(one in data for one in self._others)
        return found and self._quoted.search(data) is not None

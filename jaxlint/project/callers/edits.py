"""What an edit of a file leaves as it was: results that came of other functions hold.

A file is kept as the digests of its definitions and of all the rest. Where only bodies of
definitions changed, only those whose names lead to them see it. Comments and blank lines count for
nothing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from jaxlint.knowledge.host.purity import MUTATORS
from jaxlint.project.callers.outlines import (
    CHAIN,
    CHANGE,
    DEFINITION,
    GLOBAL,
    TEXT,
    assigned,
    decoded,
    split,
)

# Calls that change what they are called on: checks search code for changes that did not run.
_CHANGES = re.compile(rf"\.(?:{'|'.join(sorted(MUTATORS | {'register', 'setdefault', 'sort'}))})$")
# Changes that are not assignments: where they stand, every edit counts as one.
_OPAQUE = re.compile(r"\b(?:del|delattr|exec|globals|register\w*|setattr|vars)\b")
_BLANK = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)*+")
_HEAD = re.compile(r"(?:[^\n(]|\((?:[^()]|\([^()]*+\))*+\))*+")
# The parameters of functions.
_LISTED = re.compile(r"\bdef[ \t]+\w+[ \t]*(\((?:[^()]|\([^()]*+\))*+\))")
_PARAMETER = re.compile(r"[(,][ \t\n]*\*{0,2}([^\W\d]\w*+)")
_LENGTH = 16
_BUILT_IN = frozenset(dir(builtins)) | {"self", "cls"}


class Definition(NamedTuple):
    """Digests of a function or a class: of what other code may see of it that does not run it, of
    the names in it that are not its own, and of all of it."""

    interface: str
    names: str
    text: str


class Definitions(NamedTuple):
    """The definitions at the top level of a file, and the digest of everything else in it."""

    rest: str
    by_name: Mapping[str, Definition]


class Edit(NamedTuple):
    """The definitions of which the body changed, and those of them that mention other names than
    before."""

    changed: frozenset[str]
    mentions_changed: frozenset[str]


def definitions(data: bytes) -> Definitions:
    """The definitions in Python source."""
    text = _BLANK.sub("\n", TEXT.sub(_in_one_line, decoded(data)))
    found: dict[str, Definition] = {}
    rest: list[str] = []
    for before, part in split(text):
        definition = DEFINITION.match(part)
        if definition is None or definition[2] in found:
            rest += [before, part]
        else:
            rest.append(definition[2])
            found[definition[2]] = _definition(before, part)
    return Definitions(_digest("\n".join(rest)), found)


def edit(before: Definitions, now: Definitions) -> Edit | None:
    """What changed in a file where that is the bodies of definitions alone; else None."""
    if before.rest != now.rest or before.by_name.keys() != now.by_name.keys():
        return None
    pairs = {name: (old, now.by_name[name]) for name, old in before.by_name.items()}
    if any(old.interface != new.interface for old, new in pairs.values()):
        return None
    return Edit(
        frozenset(name for name, (old, new) in pairs.items() if old.text != new.text),
        frozenset(name for name, (old, new) in pairs.items() if old.names != new.names),
    )


def _in_one_line(match: re.Match[str]) -> str:
    """A string without the ends of its lines; nothing of a comment."""
    return "" if match[0].startswith("#") else match[0].replace("\n", "\0")


def _definition(before: str, part: str) -> Definition:
    head = _HEAD.match(part)
    stores = {
        (first, rest, sign)
        for first, rest, sign in CHANGE.findall(part)
        if sign != "(" or _CHANGES.search(rest)
    }
    is_class = part.startswith("class")
    interface = [before, _without_methods(part) if is_class else head[0] if head else ""]
    interface += GLOBAL.findall(part)
    parameters = (name for listed in _LISTED.findall(part) for name in _PARAMETER.findall(listed))
    local = {*parameters, *assigned(part), *_BUILT_IN}
    names = {name for name in CHAIN.findall(part) if name.partition(".")[0] not in local}
    interface += map("".join, sorted(stores))
    if _OPAQUE.search(part):
        interface.append(part)
    return Definition(
        _digest("\n".join(interface)),
        _digest(" ".join(sorted(names))),
        _digest(part),
    )


def _without_methods(part: str) -> str:
    """The lines of a class that run when it is made: all but those inside its methods."""
    first, *lines = part.split("\n")
    found = [first]
    level = ""
    is_inside = False
    for line in lines:
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        level = level or indent
        if len(indent) <= len(level):
            is_inside = line.lstrip(" \t").startswith(("def ", "async def "))
            found.append(line)
        elif not is_inside:
            found.append(line)
    return "\n".join(found)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]

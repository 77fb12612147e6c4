"""The patterns of a gitignore file. Most are names, with a star at one end, or plain paths.

These are looked up as such: pathspec makes a regular expression of each pattern, which takes longer
than reading the files of a small project. It is imported for the others, and for all where one
takes back what another says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LETTERS = r"[\w.+~@$,=-]"
_PLAIN = re.compile(
    rf"(?:\*\*/)?(?P<star>\*?)(?P<name>(?:{_LETTERS}|\[\w+\])+)(?P<end>\*?)(?P<only>/?)", re.ASCII
)
_PATH = re.compile(rf"/?(?P<path>{_LETTERS}+(?:/{_LETTERS}+)*)(?P<end>/|/\*|/\*\*)?", re.ASCII)
# As many as there are around two choices.
_MOST_PIECES = 5
_CHOICE = re.compile(r"\[(\w+)\]", re.ASCII)


class _Names:
    """Names of files or directories, whole, by their starts, by their ends and by what is in
    them."""

    __slots__ = ("ends", "parts", "starts", "whole")

    def __init__(self) -> None:
        self.whole: set[str] = set()
        self.starts: tuple[str, ...] = ()
        self.ends: tuple[str, ...] = ()
        self.parts: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether a name is one of them."""
        if name in self.whole or name.startswith(self.starts) or name.endswith(self.ends):
            return True
        return any(part in name for part in self.parts)


class Patterns:
    """What the lines of a gitignore file say. Lines that mean nothing are passed over."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._names = _Names()
        self._directories = _Names()
        # With what a path ends: a slash or two stars for a directory, one star for all below it.
        self._paths: list[tuple[list[str], str]] = []
        said = [line for line in lines if line.strip() and not line.startswith("#")]
        takes_back = any(line.startswith("!") for line in said)
        others = [line for line in said if takes_back or not self._is_plain(line)]
        self._others = _compiled(others) if others else None

    def verdict(self, path: str) -> bool | None:
        """What is said of a path relative to the file, with slashes, one at the end of a
        directory: whether it is ignored, None for nothing."""
        parts = path.split("/")
        is_directory = not parts[-1]
        if is_directory:
            parts.pop()
        last = len(parts) - 1
        for at, part in enumerate(parts):
            if self._names.has(part):
                return True
            if (is_directory or at < last) and self._directories.has(part):
                return True
        for wanted, end in self._paths:
            if parts[: len(wanted)] == wanted:
                is_below = len(wanted) <= last
                if is_below or not end or (is_directory and end != "/*"):
                    return True
        return None if self._others is None else self._others.check_file(path).include

    def _is_plain(self, line: str) -> bool:
        """Takes in a pattern that needs no regular expression; whether it is one."""
        plain = _PLAIN.fullmatch(line)
        if plain is not None:
            names = self._directories if plain["only"] else self._names
            spelled = _spelled(plain["name"])
            if spelled and {".", ".."}.isdisjoint(spelled):
                if plain["star"] and plain["end"]:
                    names.parts += tuple(spelled)
                elif plain["star"]:
                    names.ends += tuple(spelled)
                elif plain["end"]:
                    names.starts += tuple(spelled)
                else:
                    names.whole.update(spelled)
                return True
        path = _PATH.fullmatch(line)
        parts = [] if path is None else path["path"].split("/")
        if path is None or not {".", ".."}.isdisjoint(parts):
            return False
        self._paths.append((parts, path["end"] or ""))
        return True


def _spelled(name: str) -> list[str]:
    """The names that a name with choices between letters stands for; none where that is many."""
    pieces = _CHOICE.split(name)
    if len(pieces) > _MOST_PIECES:
        return []
    # What was between brackets comes at every other place.
    choices = [piece if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in product(*choices)]


def _compiled(lines: list[str]) -> GitIgnoreSpec:
    """Git skips a pattern that means nothing, so such a line costs its neighbours nothing."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True

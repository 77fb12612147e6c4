"""Fenced code in Markdown, each block with its real line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from jaxlint.testing.markers import PageError

_FENCE = re.compile(r"```(?P<info>.*)")
_HEADING = re.compile(r"#{1,6} +(?P<title>.*\S)")
_MISSPELT = ("python", "py3", "Python", "PY")


@dataclass(frozen=True, slots=True)
class Block:
    """The text between two fences; `line` is the number of its first line."""

    language: str
    words: tuple[str, ...]
    heading: str
    line: int
    code: str


def read_blocks(lines: Sequence[str], first_line: int, path: str) -> list[Block]:
    """The fenced blocks of some lines, the first of which has number `first_line`.

    Raises PageError for a fence that is never closed and for Python that is not fenced as `py`.
    """
    found: list[Block] = []
    heading = ""
    opened: tuple[int, tuple[str, ...]] | None = None
    for number, line in enumerate(lines, first_line):
        if fence := _FENCE.fullmatch(line.rstrip()):
            if opened is None:
                opened = (number, _words(fence["info"], number, path))
                continue
            start, words = opened
            code = "\n".join(lines[start + 1 - first_line : number - first_line]) + "\n"
            found.append(Block(words[0], words[1:], heading, start + 1, code))
            opened = None
        elif opened is None and (title := _HEADING.fullmatch(line)):
            heading = title["title"]
    if opened is not None:
        raise PageError(f"{path}:{opened[0]}: this fence is never closed")
    return found


def _words(info: str, line: int, path: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(info))
    except ValueError as error:
        raise PageError(f"{path}:{line}: cannot read this fence: {error}") from error
    if not words:
        raise PageError(f"{path}:{line}: this fence names no language")
    if words[0] in _MISSPELT:
        raise PageError(f"{path}:{line}: Python is fenced as `py`, not as `{words[0]}`")
    return words

"""Text as editors count it: lines end at a newline, a return or both, and a character of a line
is a unit of the encoding that client and server agreed on.

The server's library ends lines at a form feed and at other characters too, as `str.splitlines`
does, and so finds other places than the protocol means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

_END = re.compile(r"\r\n|\r|\n")
Place = tuple[int, int]


class Encoding(StrEnum):
    """What characters are counted in; the values are those of the protocol."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def units(self, text: str) -> int:
        """How many units a text has."""
        if self is Encoding.UTF32 or text.isascii():
            return len(text)
        if self is Encoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def column(self, line: str, units: int) -> int:
        """The code points before a unit of a line; one that the unit is inside of is not before
        it, and behind the line there is nothing."""
        if self is Encoding.UTF32 or line.isascii():
            return min(units, len(line))
        name, width = ("utf-8", 1) if self is Encoding.UTF8 else ("utf-16-le", 2)
        before = line.encode(name, "surrogatepass")[: units * width]
        return len(before.decode(name, "ignore"))


def edited(text: str, start: Place, end: Place, new: str, encoding: Encoding) -> str:
    """The text with another one between two places: lines and units, both from 0."""
    starts = [0, *(match.end() for match in _END.finditer(text))]
    ends = [*(match.start() for match in _END.finditer(text)), len(text)]
    first = _offset(text, start, starts, ends, encoding)
    last = _offset(text, end, starts, ends, encoding)
    return text[:first] + new + text[max(first, last) :]


def _offset(
    text: str, place: Place, starts: Sequence[int], ends: Sequence[int], encoding: Encoding
) -> int:
    line, units = place
    if line >= len(starts):
        return len(text)
    return starts[line] + encoding.column(text[starts[line] : ends[line]], units)

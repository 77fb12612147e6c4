"""Text of somebody else's, made fit to be shown: names of files, source, messages that quote it.

Whatever writes to a terminal, to the log of a service or to a page has it from here. Nothing in it
moves the cursor, changes the direction of writing or is a command to the service that shows it.
"""

from __future__ import annotations

import re
import unicodedata

_TAB = 4
# Services take these for commands, anywhere in a line: ##[group], ##vso[task], ##teamcity[message].
_ANYWHERE = re.compile(r"##(?=\w*\[)")
# And GitHub this, where a line begins with it.
_AT_START = re.compile(r"^(\s*):(?=:)")
# Characters that steer a terminal or the direction of writing, but for those of ordinary text.
_STEERING = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def one_line(text: str) -> str:
    """A text without line ends, control characters and commands, as all formats print it."""
    line = clean(" ".join(text.splitlines()))
    return _AT_START.sub(r"\1\\x3a", line) if "::" in line else line


def lines(text: str) -> str:
    """The same for a text that may have several lines."""
    return "\n".join(map(one_line, text.splitlines()))


def display(source: str) -> str:
    """A line of source as it is printed: tabs have one width everywhere, control characters are
    shown."""
    return clean(source.replace("\t", " " * _TAB))


def clean(text: str) -> str:
    """Text in which nothing moves the cursor or changes the terminal's state."""
    if "##" in text:
        text = _ANYWHERE.sub(r"#\\x23", text)
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def patch(text: str) -> str:
    """A patch, which stays as it is unless it steers the terminal or the service that shows it: one
    that does fits its file no longer."""
    shown = _STEERING.sub(lambda found: _visible(found.group()), _ANYWHERE.sub(r"#\\x23", text))
    return re.sub(r"^([ \t\f]*):(?=:)", r"\1\\x3a", shown, flags=re.MULTILINE)


def in_json(document: str) -> str:
    """A document of JSON that says the same in ASCII, and is no command in a log."""
    return _ANYWHERE.sub(r"\\u0023#", document).replace("\x7f", r"\u007f")


def code(text: str) -> str:
    """Source between the backticks of Markdown, more of them than it has in a row."""
    line = one_line(text)
    longest = max(map(len, re.findall("`+", line)), default=0)
    if not longest:
        return f"`{line}`"
    marks = "`" * (longest + 1)
    return f"{marks} {line} {marks}"


def _visible(character: str) -> str:
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character

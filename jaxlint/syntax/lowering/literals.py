"""The values of literals. Nothing here fails or warns, whatever the text."""

from __future__ import annotations

import re
from typing import Final

# Integers are not told apart from here on: all below are floats as well, and short texts.
LARGEST: Final = 1 << 1023
_SIMPLE = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ESCAPE = re.compile(
    r"""\\(?:
        (?P<simple>[\n\\'"abfnrtv])
      | (?P<octal>[0-7]{1,3})
      | x(?P<byte>[0-9a-fA-F]{2})
      | (?P<wide>u[0-9a-fA-F]{4} | U[0-9a-fA-F]{8})
      | N\{(?P<named>[^}]+)\}
    )
    | (?P<brace>\{\{|\}\})""",
    re.VERBOSE,
)


def integer(text: str) -> int:
    """The value of an integer literal, at most `LARGEST`. Python refuses to read more than some
    thousand digits."""
    try:
        return min(int(text, 0), LARGEST)
    except ValueError:
        return LARGEST


def string(text: str) -> str | bytes:
    """The value of a string or bytes literal that is not an f-string."""
    start = 0 if text[0] in "\"'" else 1 if text[1] in "\"'" else 2
    width = 3 if len(text) >= start + 6 and text[start + 1] == text[start + 2] == text[start] else 1
    body = text[start + width : -width]
    prefix = text[:start].lower()
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if "b" in prefix:
        if "\\" in body and "r" not in prefix:
            body = _ESCAPE.sub(_bytes_escape, body)
        return body.encode("latin-1", "replace")
    if "\\" in body and "r" not in prefix:
        body = _ESCAPE.sub(_string_escape, body)
    return body


def fstring_text(text: str, *, raw: bool) -> str:
    """The value of a piece of text between the fields of an f-string."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if raw:
        return text.replace("{{", "{").replace("}}", "}")
    if "\\" in text or "{{" in text or "}}" in text:
        return _ESCAPE.sub(_fstring_escape, text)
    return text


def _fstring_escape(match: re.Match[str]) -> str:
    return match[0][0] if match["brace"] else _string_escape(match)


def _string_escape(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "simple":
        return _SIMPLE[match["simple"]]
    if kind == "octal":
        return chr(int(match["octal"], 8))
    if kind == "byte":
        return chr(int(match["byte"], 16))
    if kind == "wide":
        code = int(match["wide"][1:], 16)
        return chr(code) if code <= 0x10FFFF else match[0]
    if kind == "named":
        try:
            return match[0].encode("ascii").decode("unicode_escape")
        except UnicodeError:
            return match[0]
    return match[0]


def _bytes_escape(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "octal":
        return chr(int(match["octal"], 8) & 0xFF)
    return match[0] if kind in ("wide", "named") else _string_escape(match)

"""Bytes of a file -> IR module, or the place and cause of what cannot be read."""

from __future__ import annotations

import io
import tokenize

from jaxlint.base.dataclass import slotted
from jaxlint.syntax import ir, places
from jaxlint.syntax.nesting import TooDeepError, carefully
from jaxlint.syntax.python import REFUSALS, tree_of

_TOO_DEEP = "too deeply nested"


@slotted(frozen=True)
class SyntaxProblem:
    """A file that cannot be read as Python; line and column count from 1, in code points."""

    path: str
    line: int
    column: int
    message: str


def parse(data: bytes | str, path: str) -> ir.Module | SyntaxProblem:
    """The module that a file holds; a problem instead of an exception for bad input."""
    text = decode(data, path) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    if isinstance(text, SyntaxProblem):
        return text
    for wrong, what in (("\0", "a null byte"), (_surrogate(text), "a lone surrogate")):
        at = text.find(wrong) if wrong else -1
        if at >= 0:
            return SyntaxProblem(path, *_place(text[:at]), f"source code contains {what}")
    module = places.native(text, path)
    return _with_care(text, path) if module is None else module


def _with_care(text: str, path: str) -> ir.Module | SyntaxProblem:
    """The module of a text for which the usual stack may not suffice. LibCST takes more than
    linear time for what nests deeply, so Python's own parser is asked once more."""
    try:
        return carefully(text, lambda: places.native(text, path) or _module(text, path))
    except TooDeepError as error:
        return SyntaxProblem(path, *error.place, _TOO_DEEP)


def decode(data: bytes, path: str) -> str | SyntaxProblem:
    """The text of a file by Python's rules: byte order mark, encoding comment, else UTF-8."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as bad:
            return _undecodable(data, bad, path)
        return SyntaxProblem(path, _cookie_line(data), 1, error.msg)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as bad:
        return _undecodable(data, bad, path)
    except (LookupError, UnicodeError) as error:
        return SyntaxProblem(path, _cookie_line(data), 1, f"cannot decode as {encoding}: {error}")


def _undecodable(data: bytes, bad: UnicodeDecodeError, path: str) -> SyntaxProblem:
    before = data[: bad.start].decode(bad.encoding, "replace").removeprefix("\ufeff")
    message = f"byte 0x{data[bad.start]:02x} is not valid {bad.encoding}"
    return SyntaxProblem(path, *_place(before), message)


def _cookie_line(data: bytes) -> int:
    """The line of an encoding comment that cannot be followed: only the first two count."""
    return 1 if b"coding" in data.split(b"\n", 1)[0] else 2


def _place(before: str) -> tuple[int, int]:
    """Line and column, from 1, of what follows this text."""
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return len(lines), len(lines[-1]) + 1


def _surrogate(text: str) -> str:
    """The first character that cannot be encoded, empty when there is none."""
    if text.isascii():
        return ""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return text[error.start]
    return ""


def _module(text: str, path: str) -> ir.Module | SyntaxProblem:
    try:
        return places.module(text, path)
    except places.RefusedError as error:
        return _explained(text, path, error)


def _explained(text: str, path: str, error: places.RefusedError) -> SyntaxProblem:
    """Python's own place and words where it rejects the source too, otherwise LibCST's."""
    try:
        tree_of(text, path)
    except SyntaxError as own:
        line, column = max(own.lineno or 1, 1), max(own.offset or 1, 1)
        return SyntaxProblem(path, line, column, own.msg)
    except REFUSALS:
        return SyntaxProblem(path, error.line, error.column, _TOO_DEEP)
    message = f"LibCST does not understand this: {error.cause}"
    return SyntaxProblem(path, error.line, error.column, message)

"""Which files the patterns of `per-file-ignores` cover."""

from __future__ import annotations

import os
import re
from functools import cache


def covers(pattern: str, base: str, path: str) -> bool:
    """Whether a pattern, relative to a directory, covers a file.

    It does if it is like the file's name or like its whole path. `*` stands for anything, slashes
    included, `**/` for any directories, `?` for a character, `[ab]` and `[!ab]` for one of some,
    `{a,b}` for one of several texts. A "!" in front turns the answer round.
    """
    is_negated = pattern.startswith("!")
    pattern = pattern[1:] if is_negated else pattern
    path = _slashed(os.path.abspath(path))
    whole = _slashed(os.path.normpath(os.path.join(base or os.getcwd(), pattern)))
    name = path.rpartition("/")[2]
    is_like = bool(_compiled(pattern).match(name) or _compiled(whole, base).match(path))
    return is_like is not is_negated


def objection(pattern: str) -> str:
    """Why a pattern means nothing, empty if it means something."""
    try:
        _compiled(pattern.removeprefix("!"))
    except re.error as error:
        return error.msg
    return ""


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/")


@cache
def _compiled(pattern: str, literal: str = "") -> re.Pattern[str]:
    """The pattern as a regular expression; what it begins with may be meant as it is."""
    literal = _slashed(literal)
    if not literal or not pattern.startswith(literal):
        literal = ""
    rest = _expression(_slashed(pattern)[len(literal) :])
    return re.compile(re.escape(literal) + rest + r"\Z", re.DOTALL)


_TOKENS = re.compile(
    r"(?:/\*\*)+/|^\*\*/(?:\*\*/)*|\*+|\?|\[[!^]?\]?[^\]]*\]|[{},]|\\.|.", re.DOTALL
)


def _expression(pattern: str) -> str:
    parts: list[str] = []
    depth = 0
    for token in _TOKENS.findall(pattern):
        if token == "{":
            depth += 1
            parts.append("(?:")
        elif token == "}":
            depth -= 1
            if depth < 0:
                raise re.error("a `}` closes nothing")
            # An alternative without text is none.
            parts[-1:] = [")"] if parts[-1] == "|" else [parts[-1], ")"]
        elif token == "," and depth:
            parts += [] if parts[-1] in ("(?:", "|") else ["|"]
        else:
            parts.append(_single(token))
    if depth:
        raise re.error("a `{` is not closed")
    return "".join(parts)


def _single(token: str) -> str:
    if token.endswith("**/"):
        return "/(?:.*/)?" if token[0] == "/" else "(?:.*/)?"
    if token == "\\":
        raise re.error("a backslash stands for nothing")
    if token[0] == "*":
        return ".*"
    if token == "?":
        return "."
    if token == "[":
        raise re.error("a `[` is not closed")
    if token[0] == "[" and len(token) > 1:
        return _one_of(token[1:-1])
    return re.escape(token[1:] if len(token) > 1 and token[0] == "\\" else token)


def _one_of(inner: str) -> str:
    """A class of characters; a range stays one, everything else is meant as it is."""
    is_negated = inner[:1] in ("!", "^")
    inner = inner[1:] if is_negated else inner
    escaped = inner.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
    for doubled in ("&", "~", "|"):
        escaped = escaped.replace(doubled, "\\" + doubled)
    if escaped.startswith("--"):
        escaped = "\\" + escaped
    return f"[{'^' if is_negated else ''}{escaped}]"

"""Suppression comments: `# noqa`, `# noqa: JAX301`, and their forms for whole files."""

from __future__ import annotations

import re
import tokenize

from jaxlint.base.text import SourceText

_MENTION = re.compile(r"#[^\n]*noqa", re.IGNORECASE)
_CODE = r"[A-Z]+[0-9]+"
_NAME = r"[A-Z0-9]+(?:-[A-Z0-9]+)+"
_LIST = rf"(?P<list>(?:{_CODE}|{_NAME})\b(?:[,\s]+(?:{_CODE}|{_NAME})\b)*)"
_LINE = re.compile(rf"# noqa(?::\s?{_LIST})?", re.IGNORECASE)
_FILE = re.compile(rf"# (?:flake8|jaxlint)[:=]\s*noqa(?::\s*{_LIST}|\s*$)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,\s]+")
_LINE_ENDS = (tokenize.NL, tokenize.NEWLINE)


class Suppressions:
    """Which findings of a file its comments silence.

    A tuple of codes and names silences those, None everything.
    """

    __slots__ = ("_file", "_lines")

    def __init__(self) -> None:
        self._file: tuple[str, ...] | None = ()
        self._lines: dict[int, tuple[str, ...] | None] = {}

    def covers(self, line: int, code: str, name: str, line_comments: bool = True) -> bool:
        """Whether a finding on a line is silenced; codes match by prefix, rule names whole.

        Without `line_comments`, only what is said for the whole file counts.
        """
        if _matches(self._file, code, name):
            return True
        return line_comments and _matches(self._lines.get(line, ()), code, name)

    def _read(self, comment: str, first: int, last: int, alone: bool) -> None:
        """Takes in a comment that speaks for the lines from first to last."""
        whole = _FILE.match(comment) if alone else None
        if whole is not None:
            words = _words(whole)
            known = self._file
            self._file = None if known is None or words is None else known + words
            return
        found = _LINE.search(comment)
        if found is not None:
            self._lines.update(dict.fromkeys(range(first, last + 1), _words(found)))


def _words(match: re.Match[str]) -> tuple[str, ...] | None:
    listed = match["list"]
    return None if listed is None else tuple(_SEPARATOR.split(listed.lower()))


def _matches(words: tuple[str, ...] | None, code: str, name: str) -> bool:
    if words is None:
        return True
    return code.lower().startswith(tuple(w for w in words if "-" not in w)) or name in words


def suppressions(source: SourceText) -> Suppressions:
    """Reads the suppression comments of a file; strings that look like them do not count.

    As in flake8, a comment speaks for the lines of the tokens before it on its line: all lines
    of a string that ends there, all lines joined by backslashes, but not all lines of a bracket.
    """
    found = Suppressions()
    if _MENTION.search(source.text) is None:
        return found
    lines = source.lines
    following = (line + "\n" for line in lines)
    done, first, last, comment = 0, len(lines) + 1, 0, ""
    try:
        for token in tokenize.generate_tokens(lambda: next(following, "")):
            if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            first, last = min(first, token.start[0]), max(last, token.end[0])
            if token.type == tokenize.COMMENT:
                comment = token.string
            elif token.type in _LINE_ENDS:
                if comment:
                    found._read(comment, first, last, lines[first - 1].lstrip() == comment)
                done, first, last, comment = last, len(lines) + 1, 0, ""
    except (tokenize.TokenError, SyntaxError):
        # Syntax newer than this Python: beyond it a comment is whatever follows a hash.
        for number in range(done + 1, len(lines) + 1):
            text = lines[number - 1].strip()
            if "#" in text:
                comment = text[text.index("#") :]
                found._read(comment, number, number, text == comment)
    return found

"""Suppression comments: `# noqa`, `# noqa: JAX301`, and their forms for whole files.

A comment means here what it means to flake8, down to blanks and capitals, so that the command
and the plugin agree. Two differences are wanted. flake8 searches the text of a line, so that a
string that spells a comment silences it, but not jaxlint. And to flake8, which sees no code in
`# noqa: rule-name`, that is a plain `# noqa`; here it silences the rules it names.
"""

from __future__ import annotations

import re
import tokenize

from jaxlint.base.text import SourceText

_MENTION = re.compile(r"#[^\n]*noqa", re.IGNORECASE)
_CODE = r"[A-Z]++[0-9]++"
_NAME = r"[A-Z0-9]++(?:-[A-Z0-9]++)++"
_WORDS = rf"(?P<list>(?>(?:{_NAME}|{_CODE})\b(?:[,\s]+(?:{_NAME}|{_CODE})\b)*+))"
# As flake8 reads it: codes need nothing between them and may be followed by anything.
_LINE = re.compile(rf"# noqa(?::\s?(?P<list>(?:{_CODE}[,\s]*+)+))?", re.IGNORECASE)
# Ours: names among the codes, unless the words go on, which makes them a sentence.
_NAMED = re.compile(rf"# noqa:\s?{_WORDS}(?=\s*(?:$|[^\w\s]))", re.IGNORECASE)
_FLAKE8_FILE = re.compile(r"# flake8[:=]\s*noqa", re.IGNORECASE)
_FILE = re.compile(rf"# jaxlint[:=]\s*noqa(?::\s*{_WORDS}|\s*$)", re.IGNORECASE)
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
        if alone and _FLAKE8_FILE.match(comment):
            self._file = None
        elif whole is not None:
            words = _words(whole)
            known = self._file
            self._file = None if known is None or words is None else known + words
        else:
            found = _LINE.search(comment)
            if found is not None:
                named = _NAMED.match(comment, found.start())
                words = _words(named if named is not None and "-" in named["list"] else found)
                self._lines.update(dict.fromkeys(range(first, last + 1), words))


def _words(match: re.Match[str]) -> tuple[str, ...] | None:
    """Codes as they are, names in small letters; None when there is no list."""
    words = [word for word in _SEPARATOR.split(match["list"] or "") if word]
    return tuple(word.lower() if "-" in word else word for word in words) or None


def _matches(words: tuple[str, ...] | None, code: str, name: str) -> bool:
    return words is None or any(code.startswith(word) or name == word for word in words)


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

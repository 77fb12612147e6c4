"""Suppression comments: `# noqa`, `# jaxlint: ignore[rule-name]`, and their forms for whole files.

`# noqa` means here what it means to flake8, down to blanks and capitals, so that the command and
the plugin agree. Two differences are wanted. flake8 searches the text of a line, so that a
string that spells a comment silences it, but not jaxlint. And to flake8, which sees no code in
`# noqa: rule-name`, that is a plain `# noqa`; here it silences the rules it names.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.text import SourceText, Span
from jaxlint.base.wording import nearest

_MENTION = re.compile(r"#[^\n]*(?:noqa|jaxlint)", re.IGNORECASE)
_CODE = r"[A-Z]+[0-9]+"
_NAME = r"[A-Z0-9]+(?:-[A-Z0-9]+)+"
_ITEM = rf"(?:{_NAME}|{_CODE})\b"
# As much of a list as there is, never less: what is ahead is taken as a whole. Possessive
# quantifiers would say so too, but early releases of Python 3.11 get groups around them wrong.
_WORDS = rf"(?=(?P<list>{_ITEM}(?:[,\s]+{_ITEM})*))(?P=list)"
# As flake8 reads it: codes need nothing between them and may be followed by anything.
_LINE = re.compile(rf"# noqa(?::\s?(?P<list>(?:{_CODE}[,\s]*)+))?", re.IGNORECASE)
# Ours: names among the codes, unless the words go on, which makes them a sentence.
_NAMED = re.compile(rf"# noqa:\s?{_WORDS}(?=\s*(?:$|[^\w\s]))", re.IGNORECASE)
_FLAKE8_FILE = re.compile(r"# flake8[:=]\s*noqa", re.IGNORECASE)
_FILE = re.compile(rf"# jaxlint[:=]\s*noqa(?::\s*{_WORDS}|\s*$)", re.IGNORECASE)
# What is addressed to jaxlint, well written or not.
_OURS = re.compile(r"#\s*jaxlint(?P<colon>\s*[:=])?[ \t]*(?P<word>[\w-]*)", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\[(?P<list>[^\]#]*)\]")
_ARGUMENTS = re.compile(r"#\s*jaxlint:\s*args\s*\(.*\)\s*$")
_ATTEMPT = re.compile(rf"[\s:=(\[]*{_WORDS}", re.IGNORECASE)
_WORD = re.compile(r"[^,\s]+")
_LINE_ENDS = (tokenize.NL, tokenize.NEWLINE)
# Where strings that hold code are several tokens, which depends on this Python.
_STRING_STARTS = [getattr(tokenize, it, None) for it in ("FSTRING_START", "TSTRING_START")]
_STRING_ENDS = [getattr(tokenize, it, None) for it in ("FSTRING_END", "TSTRING_END")]
# What other tools call it.
_FOREIGN = {
    "disable": "ignore",
    "off": "ignore",
    "skip": "ignore",
    "disable-file": "ignore-file",
    "file-ignore": "ignore-file",
    "skip-file": "ignore-file",
}


@slotted(frozen=True)
class Word:
    """A code, the beginning of one or a rule name in a comment, as it is written."""

    text: str
    span: Span

    def covers(self, code: str, name: str) -> bool:
        """Whether this silences a rule; codes match by prefix, rule names whole."""
        return code.startswith(self.text) or name == self.text.lower()


@slotted(frozen=True)
class Directive:
    """What a comment silences: the rules that its words stand for, all if there are no words, on
    the lines from `first` to `last`, in the whole file if they are zero.

    `span` is all of it, with the reason behind it; `form` is how it begins.
    """

    form: str
    span: Span
    words: tuple[Word, ...] | None
    first: int = 0
    last: int = 0

    @property
    def is_line_noqa(self) -> bool:
        """Whether flake8 honours this too, finding by finding."""
        return self.form == "# noqa"

    @property
    def is_ignore(self) -> bool:
        """Whether nobody else reads this."""
        return self.form.startswith("# jaxlint: ignore")

    def used(self, code: str, name: str) -> Word | None:
        """The first word that silences a rule."""
        return next((word for word in self.words or () if word.covers(code, name)), None)


@slotted(frozen=True)
class Flaw:
    """Why a comment that is addressed to jaxlint silences nothing, and what to write instead."""

    span: Span
    message: str
    help: str


class Suppressions:
    """Which findings of a file its comments silence. `flaws` are the comments that fail to."""

    __slots__ = ("_file", "_lines", "directives", "flaws")

    def __init__(self) -> None:
        self.directives: list[Directive] = []
        self.flaws: list[Flaw] = []
        self._file: list[Directive] = []
        self._lines: dict[int, list[Directive]] = {}

    def covers(self, line: int, code: str, name: str, noqa: bool = True) -> bool:
        """Whether a finding on a line is silenced; without `noqa`, by more than a `# noqa`
        there."""
        return any(True for _ in self.silencing(line, code, name, noqa))

    def silencing(
        self, line: int, code: str, name: str, noqa: bool = True
    ) -> Iterator[tuple[Directive, Word | None]]:
        """The directives that silence a finding, each with the first word that does."""
        for directive in (*self._file, *self._lines.get(line, ())):
            word = directive.used(code, name)
            if directive.is_line_noqa and not noqa:
                continue
            if word is not None or directive.words is None:
                yield directive, word

    def on(self, line: int) -> list[Directive]:
        """The directives that speak for a line, without those for the file."""
        return list(self._lines.get(line, ()))

    def _add(self, directive: Directive) -> None:
        self.directives.append(directive)
        if not directive.first:
            self._file.append(directive)
        for line in range(directive.first, directive.last + 1) if directive.first else ():
            self._lines.setdefault(line, []).append(directive)


class _Comment:
    """One comment, and the directives in it."""

    def __init__(self, text: str, line: int, column: int, alone: bool) -> None:
        self.text = text
        self.alone = alone
        self._line = line
        self._column = column

    def read(self, found: Suppressions, first: int, last: int) -> list[Directive]:
        """Takes in what this says of the lines from first to last, and gives what it says of
        those that follow."""
        if self.alone and _FLAKE8_FILE.match(self.text):
            found._add(Directive("# flake8: noqa", self._span(0, len(self.text)), None))
            return []
        whole = _FILE.match(self.text) if self.alone else None
        if whole is not None:
            found._add(Directive("# jaxlint: noqa", self._reach(0), self._words(whole)))
            return []
        noqa = _LINE.search(self.text)
        if noqa is not None:
            named = _NAMED.match(self.text, noqa.start())
            words = self._words(named if named is not None and "-" in named["list"] else noqa)
            found._add(Directive("# noqa", self._reach(noqa.start()), words, first, last))
        ahead = []
        for match in _OURS.finditer(self.text):
            directive = self._ours(match, found)
            if directive is not None and (directive.form == "# jaxlint: ignore-file"):
                found._add(directive)
            elif directive is not None and self.alone:
                ahead.append(directive)
            elif directive is not None:
                found._add(replace(directive, first=first, last=last))
        return ahead

    def _ours(self, match: re.Match[str], found: Suppressions) -> Directive | None:
        word = match["word"].lower()
        span = self._reach(match.start())
        brackets = _BRACKETS.match(self.text, match.end())
        if match["colon"] is None:
            if word in ("ignore", "ignore-file") and brackets is not None:
                wanted = f"write `# jaxlint: {word}[{brackets['list']}]`"
                found.flaws.append(Flaw(span, "there is no colon after `jaxlint`", wanted))
            return None
        if _ARGUMENTS.match(self.text, match.start()):
            return None
        flaw = self._flaw(match, word, brackets)
        if flaw is not None:
            found.flaws.append(Flaw(span, *flaw))
            return None
        assert brackets is not None
        return Directive(f"# jaxlint: {word}", span, self._words(brackets))

    def _flaw(
        self, match: re.Match[str], word: str, brackets: re.Match[str] | None
    ) -> tuple[str, str] | None:
        """What is wrong with a comment, and what to write."""
        if word == "noqa":
            return self._flawed_noqa(match)
        if word == "args":
            return "`jaxlint: args` has no list in parentheses", "write `# jaxlint: args(f32[3])`"
        if word not in ("ignore", "ignore-file"):
            return f"`jaxlint: {word}` means nothing", _meant(word, _listed(brackets))
        attempt = _ATTEMPT.match(self.text, match.end())
        if brackets is None:
            wanted = f"write `# jaxlint: {word}[{attempt['list'] if attempt else 'rule-name'}]`"
            return f"`jaxlint: {word}` names no rules in brackets", wanted
        if not _WORD.search(brackets["list"]):
            return f"`jaxlint: {word}[]` names no rule", f"write `# jaxlint: {word}[rule-name]`"
        if word == "ignore-file" and not (self.alone and match.start() == 0):
            wanted = f"move it, or write `# jaxlint: ignore[{brackets['list']}]` for this line"
            return "a comment for the whole file stands on a line of its own", wanted
        return None

    def _flawed_noqa(self, match: re.Match[str]) -> tuple[str, str]:
        attempt = _ATTEMPT.match(self.text, match.end())
        if not self.alone or match.start():
            wanted = f"# noqa: {attempt['list']}" if attempt else "# noqa"
            message = "a comment for the whole file stands on a line of its own"
            return message, f"move it, or write `{wanted}` for this line"
        message = "`jaxlint: noqa` is followed by what is no list of codes and names"
        return message, "write `# jaxlint: noqa: JAX301`, or nothing behind `noqa`"

    def _words(self, match: re.Match[str]) -> tuple[Word, ...] | None:
        """The words of a list; None when there is none."""
        if not match["list"]:
            return None
        start, end = match.span("list")
        found = _WORD.finditer(self.text, start, end)
        return tuple(Word(it.group(), self._span(*it.span())) for it in found) or None

    def _reach(self, start: int) -> Span:
        """A directive with its reason: all up to the next hash."""
        end = self.text.find("#", start + 1)
        text = self.text[start:end] if end >= 0 else self.text[start:]
        return self._span(start, start + len(text.rstrip()))

    def _span(self, start: int, end: int) -> Span:
        return Span(self._line, self._column + start, self._line, self._column + end)


def _listed(brackets: re.Match[str] | None) -> str:
    words = brackets["list"].strip() if brackets is not None else ""
    return words or "rule-name"


def _meant(word: str, listed: str) -> str:
    close = _FOREIGN.get(word) or nearest(word, ("ignore", "ignore-file", "noqa"))
    if close == "noqa":
        return "did you mean `# jaxlint: noqa`?"
    if close:
        return f"did you mean `# jaxlint: {close}[{listed}]`?"
    return "jaxlint knows `ignore[...]`, `ignore-file[...]` and `noqa`"


@slotted()
class _Row:
    """Lines that tokens or backslashes join: the comment behind them, whether there is more than
    that, whether a statement ends there, and whether a string goes on there, in which older
    Pythons know no comments."""

    first: int
    last: int = 0
    comment: tokenize.TokenInfo | None = None
    is_code: bool = False
    ends: bool = False
    in_string: bool = False


def _rows(lines: list[str]) -> Iterator[_Row]:
    """Raises TokenError or SyntaxError where this Python's tokens end."""
    following = (line + "\n" for line in lines)
    row = _Row(len(lines) + 1)
    open_strings = 0
    for token in tokenize.generate_tokens(lambda: next(following, "")):
        if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
            continue
        row.first, row.last = min(row.first, token.start[0]), max(row.last, token.end[0])
        if token.type == tokenize.COMMENT:
            row.comment = token
        elif token.type in _LINE_ENDS:
            row.ends = token.type == tokenize.NEWLINE
            row.in_string = open_strings > 0
            yield row
            row = _Row(len(lines) + 1)
        else:
            row.is_code = True
            open_strings += (token.type in _STRING_STARTS) - (token.type in _STRING_ENDS)


def joined(source: SourceText) -> dict[int, int]:
    """For each line the one at whose end a comment speaks for it, as far as there is one that
    takes a comment and this Python can tell."""
    found: dict[int, int] = {}
    try:
        for row in _rows(source.lines):
            if row.in_string:
                continue
            found |= dict.fromkeys(range(row.first, row.last + 1), row.last)
    except (tokenize.TokenError, SyntaxError):
        # Beyond this nothing is known.
        pass
    return found


def without_comments(source: SourceText) -> list[str]:
    """The lines of a file, each without its comment."""
    lines = list(source.lines)
    try:
        for row in _rows(source.lines):
            if row.comment is not None:
                line, column = row.comment.start
                lines[line - 1] = lines[line - 1][:column]
    except (tokenize.TokenError, SyntaxError):
        # Beyond this nothing is known to be a comment.
        pass
    return lines


def suppressions(source: SourceText) -> Suppressions:
    """Reads the suppression comments of a file; strings that look like them do not count.

    As in flake8, a comment speaks for the lines of the tokens before it on its line: all lines
    of a string that ends there, all lines joined by backslashes, but not all lines of a bracket.
    `# jaxlint: ignore` on a line of its own speaks for what follows: all lines of the statement,
    or, inside a bracket, the next one.
    """
    found = Suppressions()
    if _MENTION.search(source.text) is None:
        return found
    reader = _Reader(found, source.lines)
    try:
        reader.read_tokens()
    except (tokenize.TokenError, SyntaxError):
        # Syntax newer than this Python: beyond it a comment is whatever follows a hash.
        reader.read_lines()
    reader.finish()
    return found


class _Reader:
    """Reads comments line by line, where lines that a token or a backslash joins are one."""

    def __init__(self, found: Suppressions, lines: list[str]) -> None:
        self._found = found
        self._lines = lines
        self._done = 0
        # Where the statement begins that has not ended yet, 0 between statements.
        self._statement = 0
        # What was said on lines of their own of the next statement, and of the next line.
        self._before_statement: list[Directive] = []
        self._before_line: list[Directive] = []

    def read_tokens(self) -> None:
        """Raises TokenError or SyntaxError where this Python's tokens end."""
        for row in _rows(self._lines):
            comment = None
            if row.comment is not None:
                comment = self._comment(row.comment.string, *row.comment.start, row.first)
            self._take(comment, row.first, row.last, row.is_code, row.ends)
            self._done = row.last

    def read_lines(self) -> None:
        """Goes on where the tokens ended, without them."""
        for number in range(self._done + 1, len(self._lines) + 1):
            code, hash, rest = self._lines[number - 1].partition("#")
            text = (hash + rest).rstrip()
            comment = self._comment(text, number, len(code), number) if hash else None
            is_code = bool(code.strip())
            self._take(comment, number, number, is_code, is_code)

    def finish(self) -> None:
        """Leaves what was said of lines that never came where it stands."""
        for directive in (*self._before_line, *self._before_statement):
            line = directive.span.line
            self._found._add(replace(directive, first=line, last=line))

    def _comment(self, text: str, row: int, column: int, first: int) -> _Comment:
        alone = self._lines[first - 1].strip() == text.strip()
        return _Comment(text, row, column + 1, alone)

    def _take(
        self, comment: _Comment | None, first: int, last: int, is_code: bool, ends: bool
    ) -> None:
        ahead = comment.read(self._found, first, last) if comment is not None else []
        if is_code:
            self._place(self._before_line, first, last)
            self._statement = self._statement or first
        (self._before_line if self._statement else self._before_statement).extend(ahead)
        if ends and self._statement:
            self._place(self._before_statement, self._statement, last)
            self._statement = 0

    def _place(self, waiting: list[Directive], first: int, last: int) -> None:
        for directive in waiting:
            self._found._add(replace(directive, first=first, last=last))
        waiting.clear()

"""Writes suppression comments into source text, so that nothing changes but comments."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit, applied
from jaxlint.base.errors import JaxlintError
from jaxlint.base.text import SourceText, Span
from jaxlint.results.merge import Place
from jaxlint.syntax.comments import Directive, joined, suppressions
from jaxlint.syntax.python import REFUSALS, tree_of


class Style(StrEnum):
    """The kinds of comments that are written, each by how it begins."""

    NOQA = "# noqa"
    IGNORE = "# jaxlint: ignore"

    def word(self, place: Place) -> str:
        """What stands for a rule in such a comment."""
        return place.code if self is Style.NOQA else place.name

    def comment(self, words: Sequence[str], reason: str) -> str:
        """A comment of this kind."""
        listed = ", ".join(words)
        text = f"{self}: {listed}" if self is Style.NOQA else f"{self}[{listed}]"
        return f"{text} {reason}" if reason else text


@slotted(frozen=True)
class Written:
    """Source text with comments: how many were written or made longer, and the places where none
    can stand."""

    text: str
    count: int
    refused: tuple[Place, ...]


def refuse_reason(style: Style, reason: str) -> None:
    """Raises JaxlintError for a reason that would not be read as one."""
    if not reason.isprintable() or "#" in reason:
        raise JaxlintError(f"a reason is one line without `#`, which {reason!r} is not")
    comment = style.comment(["JAX301"], reason)
    read = suppressions(SourceText("", f"0  {comment}\n")).directives
    if [[word.text for word in one.words or ()] for one in read] != [["JAX301"]]:
        raise JaxlintError(f"the reason {reason!r} would be read as a part of the list")


def with_comments(
    source: SourceText, places: Collection[Place], style: Style, reason: str = ""
) -> Written:
    """Silences what is found at these places, each at the end of the line on which a comment
    speaks for it. Lists that are there are made longer; lines stay what and where they are."""
    ends, comments = joined(source), suppressions(source)
    wanted: dict[int, set[Place]] = {}
    for place in places:
        if comments.covers(place.line, place.code, place.name):
            continue
        wanted.setdefault(ends.get(place.line, 0), set()).add(place)
    refused = wanted.pop(0, set())
    edits = {
        line: _edit(source, comments.on(line), line, at, style, reason)
        for line, at in wanted.items()
    }
    text = applied(source.text, edits.values())
    if not _is_sound(source, text, {one for at in wanted.values() for one in at}):
        # Rarely is there a line that takes no comment: it is looked for among all.
        text, bad = _without_unsound(source, edits, wanted)
        refused.update(one for line in bad for one in wanted[line])
        edits = {line: edit for line, edit in edits.items() if line not in bad}
    return Written(text, len(edits), tuple(sorted(refused)))


def _edit(
    source: SourceText,
    comments: Sequence[Directive],
    line: int,
    places: Collection[Place],
    style: Style,
    reason: str,
) -> Edit:
    """Makes the list on a line longer, or writes a comment behind all that is there."""
    words = sorted({style.word(place) for place in places})
    for directive in comments:
        if directive.form == style and directive.span.line == line and directive.words:
            end = directive.words[-1].span
            span = Span(line, end.end_column, line, end.end_column)
            return Edit(span, "".join(f", {word}" for word in words))
    text = source.line(line)
    kept = len(text.rstrip())
    span = Span(line, kept + 1, line, len(text) + 1)
    return Edit(span, f"  {style.comment(words, reason)}")


def _without_unsound(
    source: SourceText, edits: Mapping[int, Edit], wanted: Mapping[int, Collection[Place]]
) -> tuple[str, list[int]]:
    """The text with those edits that do no harm, and the lines of the others."""
    bad = [
        line
        for line, edit in edits.items()
        if not _is_sound(source, applied(source.text, [edit]), wanted[line])
    ]
    good = {line: edit for line, edit in edits.items() if line not in bad}
    text = applied(source.text, good.values())
    if _is_sound(source, text, {one for line in good for one in wanted[line]}):
        return text, bad
    return source.text, list(edits)


def _is_sound(source: SourceText, text: str, places: Collection[Place]) -> bool:
    """Whether a text silences all of this and is the same code on the same lines."""
    comments = suppressions(SourceText(source.path, text))
    if not all(comments.covers(it.line, it.code, it.name) for it in places):
        return False
    return _code(source.text) == _code(text)


def _code(text: str) -> object:
    """Equal for texts that differ in comments only: the tree, or, where this Python cannot read
    the code, its tokens as far as it knows them."""
    try:
        return ast.dump(tree_of(text), include_attributes=True)
    except REFUSALS:
        return _tokens(text)


def _tokens(text: str) -> list[object]:
    following = (line + "\n" for line in SourceText("", text).lines)
    found: list[object] = []
    try:
        for token in tokenize.generate_tokens(lambda: next(following, "")):
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE):
                found.append((token.type, token.string, token.start))
    except (tokenize.TokenError, SyntaxError) as error:
        found.append(type(error).__name__)
    return found

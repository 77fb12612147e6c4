"""Takes words that silence nothing out of suppression comments."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.comments import Directive, suppressions


def removals(source: SourceText, unused: Collection[Span]) -> Iterator[Edit]:
    """The edits that take out the words at these places, which are those of findings of JAX003,
    and all of a comment of whose list nothing is left."""
    whole: dict[int, list[Span]] = {}
    for directive in suppressions(source).directives:
        going = {word.span for word in directive.words or ()} & set(unused)
        if going and len(going) == len(directive.words or ()):
            whole.setdefault(directive.span.line, []).append(directive.span)
        elif going:
            yield from _shortened(directive, going)
    for line, spans in whole.items():
        yield from _without(source, line, spans)


def _shortened(directive: Directive, unused: set[Span]) -> Iterator[Edit]:
    """Each word goes with what separates it from the one before it, at the beginning from the one
    behind it."""
    words = directive.words or ()
    kept = [at for at, word in enumerate(words) if word.span not in unused]
    first = words[kept[0]].span
    start = words[0].span
    if kept[0]:
        yield Edit(Span(start.line, start.column, first.line, first.column), "")
    for at in range(kept[0] + 1, len(words)):
        span, before = words[at].span, words[at - 1].span
        if span in unused:
            yield Edit(Span(span.line, before.end_column, span.line, span.end_column), "")


def _without(source: SourceText, line: int, spans: list[Span]) -> Iterator[Edit]:
    """What is left of the line keeps its place; a line of which nothing is left goes."""
    text = source.line(line)
    left = text
    for span in sorted(spans, reverse=True):
        left = left[: span.column - 1] + left[span.end_column - 1 :]
    if not left.strip():
        if line < len(source.lines):
            yield Edit(Span(line, 1, line + 1, 1), "")
        else:
            yield Edit(Span(line, 1, line, len(text) + 1), "")
        return
    for start, end in _runs(text, spans):
        before, behind = text[: start - 1], text[end - 1 :]
        if behind.strip():
            end += len(behind) - len(behind.lstrip())
        else:
            start, end = len(before.rstrip()) + 1, len(text) + 1
        yield Edit(Span(line, start, line, end), "")


def _runs(text: str, spans: list[Span]) -> Iterator[tuple[int, int]]:
    """The columns of these spans, where those with only blanks between them are one."""
    start = end = 0
    for span in sorted(spans):
        if end and text[end - 1 : span.column - 1].strip():
            yield start, end
            start = 0
        start, end = start or span.column, span.end_column
    yield start, end

"""Marks of names as an editor shows them within the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lsprotocol import types

from jaxlint.base.explanation import Explanation, Mark, Subject
from jaxlint.base.text import SourceText
from jaxlint.frontends.lsp.edits import position_of
from jaxlint.frontends.lsp.hovers import described
from jaxlint.frontends.lsp.preferences import Hinted
from jaxlint.frontends.lsp.texts import Encoding

_WORDS = {"mixed": "traced or static", "concrete": "constant"}
_TRACED = frozenset({"traced", "mixed"})


def shown(
    marks: Iterable[Mark],
    within: types.Range,
    hinted: Hinted,
    source: SourceText,
    encoding: Encoding,
) -> Iterator[tuple[types.InlayHint, Mark]]:
    """The hints in a part of a text, each with what it is about."""
    for mark in marks:
        if hinted != "all" and mark.state not in _TRACED:
            continue
        position = position_of(mark.end, source, encoding)
        if within.start <= position <= within.end:
            kind = types.InlayHintKind.Type
            yield (
                types.InlayHint(position, _label(mark), kind, padding_left=mark.is_annotated),
                mark,
            )


def tooltip(mark: Mark, path: str, address: Callable[[str], str]) -> types.MarkupContent:
    """How a value in a file comes to be traced; `address` knows that of a file."""
    subject = Subject(mark.name, mark.span, (mark.answer,))
    explanation = Explanation(path, mark.span.line, mark.span.column, (subject,))
    return types.MarkupContent(types.MarkupKind.Markdown, described(explanation, address))


def _label(mark: Mark) -> str:
    """What the name is. Behind an annotation, which tells what class it is of, only arrays are
    told more of."""
    form = mark.form if not mark.is_annotated or "[" in mark.form else ""
    words = f"{_WORDS.get(mark.state, mark.state)} {form}".rstrip()
    return words if mark.is_annotated else f": {words}"

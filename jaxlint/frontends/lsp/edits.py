"""Places in text and changes of it as the protocol wants them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from lsprotocol import types

from jaxlint.base.edit import Edit
from jaxlint.base.text import SourceText, Span
from jaxlint.frontends.lsp.texts import Encoding

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def range_of(span: Span, text: SourceText, encoding: Encoding) -> types.Range:
    """The range of a span of a text."""
    return types.Range(
        position_of((span.line, span.column), text, encoding),
        position_of((span.end_line, span.end_column), text, encoding),
    )


def position_of(place: tuple[int, int], text: SourceText, encoding: Encoding) -> types.Position:
    """The position of a line and a column, both from 1."""
    line, column = place
    return types.Position(line - 1, encoding.units(text.line(line)[: column - 1]))


def text_edits(edits: Iterable[Edit], text: SourceText, encoding: Encoding) -> list[types.TextEdit]:
    """Changes of a text, first things first."""
    return [
        types.TextEdit(range_of(edit.span, text, encoding), edit.replacement)
        for edit in sorted(edits)
    ]


def workspace_edit(
    uri: str, version: int | None, edits: Sequence[types.TextEdit]
) -> types.WorkspaceEdit:
    """Changes of one document, of this version of it if one is given."""
    if version is None:
        return types.WorkspaceEdit(changes={uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri, version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])


def changes(old: str, new: str) -> Iterator[Edit]:
    """What makes one text of another: few characters, so that what points into the rest of the
    text stays where it is."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    head = alike(before, after)
    rest = alike(before[head:][::-1], after[head:][::-1])
    last, end = len(before) - rest, len(after) - rest
    matcher = SequenceMatcher(None, before[head:last], after[head:end], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            gone, come = "".join(before[head + a : head + b]), "".join(after[head + c : head + d])
            yield _trimmed(gone, come, head + a + 1)


def _trimmed(gone: str, come: str, line: int) -> Edit:
    """The change of text that begins with a line, without what stays at its ends. A line end of
    two characters stays or goes as one."""
    start = alike(gone, come)
    start -= gone[:start].endswith("\r")
    kept = alike(gone[start:][::-1], come[start:][::-1])
    kept -= kept > 0 and gone[len(gone) - kept] == "\n"
    end = len(gone) - kept
    span = Span(*_place(gone[:start], line), *_place(gone[:end], line))
    return Edit(span, come[start : len(come) - kept])


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items are the same at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))


def _place(before: str, line: int) -> tuple[int, int]:
    """The line and the column behind text that begins with a line."""
    lines = SourceText("", before).lines
    return line + len(lines) - 1, len(lines[-1]) + 1

"""Changes of text: what stands in a span gives way to something else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@slotted(frozen=True, order=True)
class Edit:
    """One change: the text of the span becomes the replacement."""

    span: Span
    replacement: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after all changes, whose spans are those of the text before them; line ends stay as
    they are. Raises ValueError for changes that overlap."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    pieces, done = [], 0
    for edit in sorted(edits):
        span = edit.span
        start = starts[span.line - 1] + span.column - 1
        end = starts[span.end_line - 1] + span.end_column - 1
        if start < done:
            raise ValueError(f"two changes overlap at line {span.line}")
        pieces += [text[done:start], edit.replacement]
        done = end
    return "".join([*pieces, text[done:]])

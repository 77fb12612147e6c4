"""The Python in files that hold more than Python, by how their names end: notebooks, Markdown.

Whoever reads source reads it through this, so that nothing else has to know of such files.
"""

from __future__ import annotations

from jaxlint.base.errors import DocumentError
from jaxlint.base.file_stats import MARKDOWN, NOTEBOOK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from jaxlint.syntax import ir
    from jaxlint.syntax.parse import SyntaxProblem

    class Document(Protocol):
        """A file that holds Python. `source` is the Python, as one module."""

        source: str

        @property
        def broken(self) -> Sequence[tuple[int, int, str]]:
            """What is left out of the source because it is not Python: lines of the source,
            columns, causes."""

        @property
        def original(self) -> str:
            """What stands on the lines of the source."""

        def file_line(self, line: int) -> int:
            """The line of the file on which a line of the source stands."""

        def rewritten(self, source: str) -> bytes:
            """The file with this in the place of its Python. Raises ValueError where that
            changed more than Python."""


def is_document(path: str) -> bool:
    """Whether a file holds more than Python."""
    return path.endswith((NOTEBOOK, *MARKDOWN))


def document(data: bytes | str, path: str) -> Document | None:
    """What a file holds beside Python, None for one that is Python. Raises DocumentError."""
    if path.endswith(NOTEBOOK):
        from jaxlint.syntax.formats import notebooks

        return notebooks.read(data)
    if path.endswith(MARKDOWN):
        from jaxlint.syntax.formats import markdown

        return markdown.read(data)
    return None


def python_in(data: bytes | str, path: str) -> bytes | str:
    """The Python in a file: of one that holds nothing else, all that it holds. Raises
    DocumentError."""
    found = document(data, path)
    return data if found is None else found.source


def module_in(data: bytes | str, path: str) -> ir.Module | SyntaxProblem:
    """The module that a file holds; a problem instead of an exception for bad input."""
    # The parser is most of the start-up time.
    from jaxlint.syntax.parse import SyntaxProblem, parse

    try:
        source = python_in(data, path)
    except DocumentError as error:
        return SyntaxProblem(path, error.line, error.column, error.message)
    return parse(source, path)


def broken_in(data: bytes | str, path: str) -> Sequence[tuple[int, int, str]]:
    """What is left out of the Python in a file, because it is not Python."""
    try:
        found = document(data, path)
    except DocumentError:
        return ()
    return () if found is None else found.broken

"""The Python in files that are to be changed: what is not changed stays, byte for byte."""

from __future__ import annotations

import io
import tokenize

from jaxlint.base.dataclass import slotted
from jaxlint.syntax.formats.documents import document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Editable(Protocol):
        """A file whose Python, `source`, can be written with other text."""

        @property
        def source(self) -> str: ...

        def rewritten(self, source: str) -> bytes:
            """The file with another text in the place of its Python. Raises ValueError where that
            has no form, or would be read as something else."""


# What `editable` raises for a file that cannot be written as it was read.
REFUSALS = (SyntaxError, LookupError, ValueError)


@slotted(frozen=True)
class _Text:
    """A file of nothing but Python."""

    source: str
    encoding: str

    def rewritten(self, source: str) -> bytes:
        data = source.encode(self.encoding)
        if _encoding(data) != self.encoding:
            raise UnicodeError(f"cannot be written as {self.encoding} again")
        return data


def editable(data: bytes, path: str) -> Editable:
    """The Python in a file. Raises one of REFUSALS for an encoding that is none and for what is not
    text in it or would be written in other bytes, and DocumentError for a broken document."""
    found = document(data, path)
    if found is not None:
        return found
    encoding = _encoding(data)
    text = data.decode(encoding)
    if text.encode(encoding) != data:
        raise UnicodeError(f"cannot be written as {encoding} again")
    return _Text(text, encoding)


def _encoding(data: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]

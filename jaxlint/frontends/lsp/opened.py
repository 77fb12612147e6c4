"""The documents that an editor has open, as it last told them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lsprotocol import types
from pygls import uris

from jaxlint.base.dataclass import slotted
from jaxlint.frontends.lsp.texts import Encoding, edited

_SCHEMES = frozenset({"file", "untitled"})


@slotted(eq=False)
class Document:
    """An open document."""

    uri: str
    path: str
    text: str
    version: int | None


class Opened:
    """Open documents by path, which no two of them share."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents.values())

    def at(self, path: str) -> Document | None:
        """The document that shows a file, if there is one."""
        return self._documents.get(path)

    def of(self, uri: str) -> Document | None:
        """The open document of this address, if there is one."""
        return self._documents.get(path_of(uri) or "")

    def open(self, item: types.TextDocumentItem) -> Document | None:
        """Takes in a new document, if it is one of ours."""
        path = path_of(item.uri)
        if path is None or item.language_id != "python":
            return None
        document = self._documents[path] = Document(item.uri, path, item.text, item.version)
        return document

    def change(
        self, params: types.DidChangeTextDocumentParams, encoding: Encoding
    ) -> Document | None:
        """Takes in changes of a document."""
        document = self.of(params.text_document.uri)
        if document is None:
            return None
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                places = (start.line, start.character), (end.line, end.character)
                document.text = edited(document.text, *places, change.text, encoding)
            else:
                document.text = change.text
        document.version = params.text_document.version
        return document

    def close(self, uri: str) -> Document | None:
        """Forgets a document."""
        return self._documents.pop(path_of(uri) or "", None)

    def address(self, filename: str) -> str:
        """The address of a file, as the editor knows it."""
        path = os.path.abspath(filename)
        document = self._documents.get(path)
        return (uris.from_fs_path(path) or "") if document is None else document.uri


def path_of(uri: str) -> str | None:
    """The path of a document, None for one that is no file and will not be one."""
    if uris.uri_scheme(uri) not in _SCHEMES:
        return None
    path = uris.to_fs_path(uri)
    return None if path is None else os.path.abspath(path)

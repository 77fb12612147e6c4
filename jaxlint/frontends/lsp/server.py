"""The protocol: what the editor says becomes work for one thread, what is found goes back.

Messages are taken in at once. An edit is answered when the editor has been quiet for a moment,
and what is being worked on when the next one comes is given up at the next file.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import Any, BinaryIO

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from jaxlint.base.explanation import Explanation
from jaxlint.base.slotted import slotted
from jaxlint.base.text import SourceText
from jaxlint.base.version import version
from jaxlint.frontends.lsp.diagnostics import diagnostic
from jaxlint.frontends.lsp.hovers import hover, within
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.frontends.lsp.texts import Encoding, edited
from jaxlint.reports import quotable
from jaxlint.session import Report, load_registry

# How long the editor must be quiet before an edit is answered, in seconds: the longer it takes,
# the longer it waits.
_LEAST_WAIT, _MOST_WAIT = 0.1, 1.0
_STACK = 64 * 1024 * 1024
# After how many answers the collector looks at everything.
_ROUND = 100
_SCHEMES = frozenset({"file", "untitled"})
_WATCHED = ("**/*.py", "**/*.toml")


@slotted()
class Document:
    """An open document as the editor last told it."""

    uri: str
    path: str
    text: str
    version: int | None


@slotted()
class _Work:
    """What the thread has not been told yet; `look` asks for a look at the disk."""

    texts: dict[str, str | None] = field(default_factory=dict)
    look: bool = False


class Server:
    """One editor's server."""

    def __init__(self) -> None:
        self.protocol = LanguageServer(
            "jaxlint", version, types.TextDocumentSyncKind.Incremental, max_workers=1
        )
        self._projects = Projects()
        # By path, which no two open documents share.
        self._documents: dict[str, Document] = {}
        # What was last shown of each.
        self._shown: dict[str, Sequence[types.Diagnostic]] = {}
        self._work = _Work()
        # Counts what was taken in: work for an earlier number is stale.
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._running = False
        self._cost = 0.0
        self._answers = 0
        self._complained: set[str] = set()
        self._thread = ThreadPoolExecutor(1, "jaxlint")
        self._register()

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Talks to the editor until it says goodbye or is gone."""
        default = threading.stack_size(_STACK)
        self._thread.submit(_warm_up).add_done_callback(lambda _: None)
        threading.stack_size(default)
        self.protocol.start_io(stdin, stdout)
        self._number += 1
        self._thread.shutdown(cancel_futures=True)

    def _register(self) -> None:
        handlers: dict[str, Callable[[Any], None]] = {
            types.INITIALIZED: self._initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self._opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self._changed,
            types.TEXT_DOCUMENT_DID_SAVE: self._looked,
            types.TEXT_DOCUMENT_DID_CLOSE: self._closed,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._looked,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._looked,
        }
        for name, handler in handlers.items():
            self.protocol.feature(name)(_function(handler))

        async def hovered(params: types.HoverParams) -> types.Hover | None:
            return await self._hovered(params)

        self.protocol.feature(types.TEXT_DOCUMENT_HOVER)(hovered)

    # -- what the editor says ---------------------------------------------------------------------

    def _initialized(self, _: types.InitializedParams) -> None:
        workspace = self.protocol.client_capabilities.workspace
        watching = workspace and workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("jaxlint-files", method, options)
            params = types.RegistrationParams([registration])
            self.protocol.client_register_capability(params, lambda _: None)

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = _path(item.uri)
        if path is not None and item.language_id == "python":
            self._documents[path] = Document(item.uri, path, item.text, item.version)
            self._work.look = True
            self._put(path, 0.0)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._documents.get(_path(params.text_document.uri) or "")
        if document is None:
            return
        encoding = self._encoding()
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                places = (start.line, start.character), (end.line, end.character)
                document.text = edited(document.text, *places, change.text, encoding)
            else:
                document.text = change.text
        document.version = params.text_document.version
        self._put(document.path, min(max(self._cost, _LEAST_WAIT), _MOST_WAIT))

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self._documents.pop(_path(params.text_document.uri) or "", None)
        if document is not None:
            self._shown.pop(document.path, None)
            self._publish(types.PublishDiagnosticsParams(document.uri, []))
            self._put(document.path, 0.0)

    def _looked(self, _: Any) -> None:
        self._work.look = True
        self._schedule(0.0)

    async def _hovered(self, params: types.HoverParams) -> types.Hover | None:
        document = self._documents.get(_path(params.text_document.uri) or "")
        if document is None:
            return None
        place, path, text = params.position, document.path, document.text
        shown = [it for it in self._shown.get(path, ()) if within(it, place)]
        line = SourceText(path, text).line(place.line + 1)
        column = self._encoding().column(line, place.character) + 1

        def explained() -> Explanation | None:
            self._projects.put(path, text)
            return self._projects.why(path, place.line + 1, column)

        loop = asyncio.get_running_loop()
        return hover(shown, await loop.run_in_executor(self._thread, explained), self._address)

    def _address(self, filename: str) -> str:
        path = os.path.abspath(filename)
        document = self._documents.get(path)
        return (uris.from_fs_path(path) or "") if document is None else document.uri

    def _put(self, path: str, wait: float) -> None:
        document = self._documents.get(path)
        self._work.texts.pop(path, None)
        self._work.texts[path] = None if document is None else document.text
        self._schedule(wait)

    # -- when it is answered ----------------------------------------------------------------------

    def _schedule(self, wait: float) -> None:
        self._number += 1
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(wait, self._start)

    def _start(self) -> None:
        self._timer = None
        if self._running:
            # It ends soon, because it is stale.
            return
        self._running = True
        work, self._work = self._work, _Work()
        versions = {path: (it.uri, it.version) for path, it in self._documents.items()}
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._thread, self._answer, work, versions, self._number, loop)
        job.add_done_callback(self._done)

    def _done(self, job: asyncio.Future[None]) -> None:
        self._running = False
        error = None if job.cancelled() else job.exception()
        if error is not None:
            self._complain(f"jaxlint failed, which is a defect of jaxlint: {error!r}")
        if self._timer is None and (self._work.texts or self._work.look):
            self._start()

    # -- in the thread ----------------------------------------------------------------------------

    def _answer(
        self,
        work: _Work,
        versions: dict[str, tuple[str, int | None]],
        number: int,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Checks what may be different now."""
        started = time.thread_time()
        projects = self._projects
        for path, text in work.texts.items():
            if text is None:
                projects.close(path)
            else:
                projects.put(path, text)
        if work.look:
            projects.look()

        def show(report: Report) -> None:
            path = report.filename
            if path in versions:
                uri, current = versions[path]
                found = self._diagnostics(report, path, versions)
                params = types.PublishDiagnosticsParams(uri, found, current)
                loop.call_soon_threadsafe(self._show, path, params)

        for path in projects.outdated():
            report = projects.check(path, lambda: number != self._number, show)
            if report is None:
                break
            show(report)
        loop.call_soon_threadsafe(self._complain, *projects.complaints.values())
        self._cost = time.thread_time() - started
        self._answers += 1
        if self._answers % _ROUND == 0:
            gc.collect()

    def _diagnostics(
        self, report: Report, path: str, versions: dict[str, tuple[str, int | None]]
    ) -> list[types.Diagnostic]:
        known: dict[str, tuple[str, SourceText]] = {}

        def look(filename: str) -> tuple[str, SourceText]:
            if filename not in known:
                at = os.path.abspath(filename)
                uri = versions[at][0] if at in versions else uris.from_fs_path(at) or ""
                known[filename] = uri, self._text(at)
            return known[filename]

        if report.source is not None:
            known[path] = versions[path][0], report.source
        encoding = self._encoding()
        return [diagnostic(finding, look, encoding) for finding in report.findings]

    def _text(self, path: str) -> SourceText:
        try:
            return quotable(self._projects.documents.source(path), path)
        except OSError:
            return SourceText(path, "")

    # -- what the editor gets ---------------------------------------------------------------------

    def _show(self, path: str, params: types.PublishDiagnosticsParams) -> None:
        document = self._documents.get(path)
        if document is None or document.version != params.version:
            return
        self._shown[path] = params.diagnostics
        self._publish(params)

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.protocol.text_document_publish_diagnostics(params)

    def _complain(self, *complaints: str) -> None:
        """Shows what is wrong with settings, once as long as it stays wrong."""
        for one in complaints:
            if one not in self._complained:
                params = types.ShowMessageParams(types.MessageType.Error, f"jaxlint: {one}")
                self.protocol.window_show_message(params)
        self._complained = set(complaints)

    def _encoding(self) -> Encoding:
        chosen = self.protocol.server_capabilities.position_encoding
        return Encoding(chosen or Encoding.UTF16)


def _function(handler: Callable[[Any], None]) -> Callable[[Any], None]:
    """A function as pygls wants it: one that takes attributes, which methods do not."""

    def handle(params: Any) -> None:
        handler(params)

    return handle


def _path(uri: str) -> str | None:
    """The path of a document, None for one that is no file and will not be one."""
    if uris.uri_scheme(uri) not in _SCHEMES:
        return None
    path = uris.to_fs_path(uri)
    return None if path is None else os.path.abspath(path)


def _warm_up() -> None:
    """Imports what the first answer needs, and has the collector leave it alone."""
    import jaxlint.engine.context
    import jaxlint.engine.run
    import jaxlint.syntax.parse  # noqa: F401

    load_registry()
    gc.collect()
    gc.freeze()


def serve() -> None:
    """Serves one editor over standard input and output."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # What anything prints must not get between the messages.
    sys.stdout = sys.stderr
    Server().serve(stdin, stdout)

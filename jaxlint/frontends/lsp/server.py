"""The protocol: what the editor says and asks, and what it gets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, BinaryIO, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from jaxlint.base.explanation import Mark
from jaxlint.base.printable import lines
from jaxlint.base.text import SourceText
from jaxlint.base.version import version
from jaxlint.frontends.lsp import actions, hints
from jaxlint.frontends.lsp.actions import Actions
from jaxlint.frontends.lsp.checking import Checking, StaleError
from jaxlint.frontends.lsp.client import Client, client, registrations
from jaxlint.frontends.lsp.folders import Folders, plain
from jaxlint.frontends.lsp.hovers import hover, within
from jaxlint.frontends.lsp.opened import Document, Opened
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.frontends.lsp.texts import Encoding
from jaxlint.session.session import Stop

# How long findings wait for the settings of the editor, in seconds.
_PATIENCE = 10.0
APPLY, TELL = "jaxlint.applyAutofix", "jaxlint.printDebugInformation"
T = TypeVar("T")
_Handler = Callable[[Any], None]
_Answerer = Callable[[Any], Awaitable[Any]]


class _Output:
    """The stream to the editor. What is written after it was closed is dropped: an answer that is
    ready when the editor has left. The server's library would tell the editor of the failure, by
    the same stream, and so for ever."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        if not self._stream.closed:
            self._stream.write(data)

    def flush(self) -> None:
        if not self._stream.closed:
            self._stream.flush()

    def close(self) -> None:
        self._stream.close()


class Server:
    """One editor's server."""

    def __init__(self) -> None:
        self.protocol = LanguageServer(
            "jaxlint", version, types.TextDocumentSyncKind.Incremental, max_workers=1
        )
        self._opened = Opened()
        self._complained: dict[str, set[str]] = {}
        publish = self.protocol.text_document_publish_diagnostics
        self._checking = Checking(
            self._opened, self._encoding, publish, self._complain, self._refresh
        )
        self._folders = Folders(self.protocol)
        self._register()

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Talks to the editor until it says goodbye or is gone."""
        self._checking.begin()
        self.protocol.start_io(stdin, cast(BinaryIO, _Output(stdout)))
        self._checking.end()

    def _register(self) -> None:
        handlers: Mapping[str, _Handler] = {
            types.INITIALIZE: self._initializing,
            types.TEXT_DOCUMENT_DID_OPEN: self._open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._change,
            types.TEXT_DOCUMENT_DID_SAVE: self._save,
            types.TEXT_DOCUMENT_DID_CLOSE: self._close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._look,
        }
        for name, handler in handlers.items():
            self.protocol.feature(name)(_function(handler))
        kinds = types.CodeActionOptions(actions.KINDS, resolve_provider=True)
        answerers: Mapping[str, tuple[_Answerer, Any]] = {
            types.INITIALIZED: (self._initialized, None),
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: (self._configure, None),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (self._prefer, None),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_INLAY_HINT: (self._hints, types.InlayHintOptions(True)),
            types.INLAY_HINT_RESOLVE: (self._resolve_hint, None),
            types.TEXT_DOCUMENT_CODE_ACTION: (self._actions, kinds),
            types.CODE_ACTION_RESOLVE: (self._resolve, None),
        }
        for name, (answerer, options) in answerers.items():
            self.protocol.feature(name, options)(_coroutine(answerer))
        self.protocol.command(APPLY)(_command(self._apply))
        self.protocol.command(TELL)(_command(self._tell))

    # -- what the editor says ---------------------------------------------------------------------

    def _initializing(self, params: types.InitializeParams) -> None:
        self._folders.begin(params)
        self._checking.hold(_PATIENCE)

    async def _initialized(self, _: types.InitializedParams) -> None:
        asked = list(registrations(self.protocol.client_capabilities))
        if asked:
            params = types.RegistrationParams(asked)
            self.protocol.client_register_capability(params, lambda _: None)
        await self._prefer()

    async def _configure(self, params: types.DidChangeConfigurationParams) -> None:
        self._folders.push(params.settings)
        await self._prefer()

    async def _prefer(self, _: Any = None) -> None:
        """Asks for the settings of the editor and has them count."""
        preferences, problems = await self._folders.preferences()
        self._complain(problems, "the editor")
        self._checking.order(lambda projects: projects.prefer(preferences))
        self._checking.release()
        self._refresh()

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = self._opened.open(params.text_document)
        if document is not None:
            self._checking.put(document)
            self._checking.look()

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._opened.change(params, self._encoding())
        if document is not None:
            waits = self._folders.near(document.path).waits
            self._checking.put(document, soon=False, waits=waits)

    def _save(self, params: types.DidSaveTextDocumentParams) -> None:
        document = self._opened.of(params.text_document.uri)
        self._checking.look("" if document is None else document.path)

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self._opened.close(params.text_document.uri)
        if document is not None:
            self._checking.close(document.path)
            empty = types.PublishDiagnosticsParams(document.uri, [])
            self.protocol.text_document_publish_diagnostics(empty)

    def _look(self, _: types.DidChangeWatchedFilesParams) -> None:
        self._checking.look()

    # -- what the editor asks ---------------------------------------------------------------------

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self._opened.of(params.text_document.uri)
        if document is None:
            return None
        place, path = params.position, document.path
        shown = [it for it in self._checking.diagnostics(path) if within(it, place)]
        line = SourceText(path, document.text).line(place.line + 1)
        column = self._encoding().column(line, place.character) + 1
        explanation = await _fresh(
            self._checking.ask(
                document,
                lambda projects, stop: projects.why(path, place.line + 1, column, stop),
            )
        )
        return hover(shown, explanation, self._opened.address)

    async def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        document = self._opened.of(params.text_document.uri)
        if document is None:
            return None
        path, hinted = document.path, self._folders.near(document.path).hints
        if hinted == "off":
            return None
        source, address = SourceText(path, document.text), self._opened.address
        marks = await self._marks(document)
        found, is_lazy = [], self._client().lazy_tooltips
        for hint, mark in hints.shown(marks, params.range, hinted, source, self._encoding()):
            if is_lazy:
                place = {"line": mark.span.line, "column": mark.span.column}
                hint.data = {"uri": document.uri, "version": document.version, **place}
            else:
                hint.tooltip = hints.tooltip(mark, path, address)
            found.append(hint)
        return found

    async def _resolve_hint(self, hint: types.InlayHint) -> types.InlayHint:
        data = plain(hint.data)
        if isinstance(data, dict):
            document = self._meant(data)
            place = data.get("line"), data.get("column")
            for mark in await self._marks(document):
                if place == (mark.span.line, mark.span.column):
                    hint.tooltip = hints.tooltip(mark, document.path, self._opened.address)
        return hint

    async def _marks(self, document: Document) -> Sequence[Mark]:
        path = document.path
        return await _fresh(
            self._checking.ask(
                document, lambda projects, stop: projects.marks(path, stop), patient=True
            )
        )

    def _meant(self, data: Mapping[str, Any]) -> Document:
        """The document that something was offered for. Raises JsonRpcException if it has changed
        since."""
        document = self._opened.of(str(data.get("uri", "")))
        if document is None or document.version != data.get("version"):
            raise _changed()
        return document

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        document = self._opened.of(params.text_document.uri)
        if document is None:
            return None
        preferences = self._folders.near(document.path)
        found: list[types.CodeAction] = []
        wants_all = preferences.fixes_all and actions.wants(params.context, actions.ALL)
        wants_quick = actions.wants(params.context, actions.QUICK)
        if not (wants_all or wants_quick):
            return found
        offered = await self._offered(document)
        if wants_quick:
            found += offered.quick(params.range, params.context.diagnostics)
        wanted = actions.fixes(preferences.fixes_unsafely)
        if wants_all and offered.is_fixable(wanted):
            action = offered.all_fixed()
            if not self._client().lazy_edits:
                action.edit = await self._fixed(document)
            found.append(action)
        return found

    async def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        data = plain(action.data)
        if not isinstance(data, dict):
            return action
        document = self._meant(data)
        if actions.is_about_all(data):
            action.edit = await self._fixed(document)
        else:
            action.edit = (await self._offered(document)).silenced(data)
        return action

    async def _offered(self, document: Document) -> Actions:
        shown = await _fresh(self._checking.shown(document))
        return Actions(document, shown.report.findings, shown.params.diagnostics, self._client())

    async def _fixed(self, document: Document) -> types.WorkspaceEdit | None:
        """The change that fixes everything in a document."""
        path, text = document.path, document.text
        wanted = actions.fixes(self._folders.near(path).fixes_unsafely)

        def fixed_text(projects: Projects, stop: Stop) -> str:
            return projects.fixed_text(path, text, wanted, stop)

        new = await _fresh(self._checking.ask(document, fixed_text))
        return Actions(document, (), (), self._client()).edit(new)

    async def _apply(self, *arguments: Any) -> None:
        """Fixes everything in the documents that are given by their address."""
        for argument in arguments:
            given = plain(argument)
            uri = given.get("uri") if isinstance(given, dict) else given
            document = self._opened.of(str(uri))
            edit = None if document is None else await self._fixed(document)
            if edit is not None:
                params = types.ApplyWorkspaceEditParams(edit, f"jaxlint: {actions.FIX_ALL}")
                await self.protocol.workspace_apply_edit_async(params)

    async def _tell(self, *_: Any) -> str:
        """Tells what the server knows, for reports of defects."""
        lines = [f"jaxlint {version}, Python {sys.version.split()[0]}, {sys.executable}"]
        lines.append(f"positions in {self._encoding().value}")
        lines += self._folders.told()
        lines.append(f"last answer after {self._checking.cost:.3f} s of work")
        for document in self._opened:
            count = len(self._checking.diagnostics(document.path))
            lines.append(f"{document.uri}: version {document.version}, {count} findings")
        text = "\n".join(lines)
        self.protocol.window_log_message(types.LogMessageParams(types.MessageType.Info, text))
        return text

    # -- what the editor gets ---------------------------------------------------------------------

    def _complain(self, complaints: Sequence[str], of: str = "files") -> None:
        """Shows what is wrong with something, once as long as it stays wrong."""
        known = self._complained.get(of, set())
        for one in complaints:
            if one not in known:
                params = types.ShowMessageParams(types.MessageType.Error, f"jaxlint: {lines(one)}")
                self.protocol.window_show_message(params)
        self._complained[of] = set(complaints)

    def _refresh(self) -> None:
        """Has the editor ask for hints again."""
        if self._client().refreshes:
            self.protocol.workspace_inlay_hint_refresh(None, lambda _: None)

    def _client(self) -> Client:
        return client(self.protocol.client_capabilities, self._encoding())

    def _encoding(self) -> Encoding:
        chosen = self.protocol.server_capabilities.position_encoding
        return Encoding(chosen or Encoding.UTF16)


async def _fresh(answer: Awaitable[T]) -> T:
    """An answer, or the error by which the protocol says that the question is out of date."""
    try:
        return await answer
    except StaleError:
        raise _changed() from None


def _changed() -> JsonRpcException:
    code = types.LSPErrorCodes.ContentModified.value
    return JsonRpcException("the document has changed", code)


def _function(handler: _Handler) -> _Handler:
    """A function as pygls wants it: one that takes attributes, which methods do not."""

    def handle(params: Any) -> None:
        handler(params)

    return handle


def _coroutine(answerer: _Answerer) -> _Answerer:
    """The same for what takes time."""

    async def answer(params: Any) -> Any:
        return await answerer(params)

    return answer


def _command(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The same for commands, which take any arguments."""

    async def command(*arguments: Any) -> Any:
        return await run(*arguments)

    return command


def _is_telling(record: logging.LogRecord) -> bool:
    """Whether a record of the server's library is more than an answer that came too late."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code == _changed().code)


def serve() -> None:
    """Serves one editor over standard input and output."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # What anything prints must not get between the messages.
    sys.stdout = sys.stderr
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_is_telling)
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    Server().serve(stdin, stdout)

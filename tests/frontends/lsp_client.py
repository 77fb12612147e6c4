"""A client of the language server, as the tests of it use one."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 600.0


class Editor:
    """A client that remembers what it was shown."""

    def __init__(self, folder: Path, **given: Any) -> None:
        self.folder = folder
        self.given = given
        self.settings: dict[str | None, Any] = {}
        self.applied: list[types.ApplyWorkspaceEditParams] = []
        self.client = LanguageClient("editor", "1")
        self.messages: list[str] = []
        self._shown: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Event()
        self._asked = 0
        self.refreshed = 0
        self._versions: dict[str, int] = {}
        # Functions, because methods take no attributes.
        feature = self.client.feature
        feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._show(params))
        feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self._tell(params))
        feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
        feature(types.WINDOW_LOG_MESSAGE)(lambda params: None)
        feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: self._refresh())
        feature(types.WORKSPACE_CONFIGURATION)(lambda params: self._configure(params))
        feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self._apply(params))

    def _show(self, params: types.PublishDiagnosticsParams) -> None:
        self._shown[params.uri] = params
        self._news.set()

    def _tell(self, params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)
        self._news.set()

    def _refresh(self) -> None:
        self.refreshed += 1
        self._news.set()

    def _configure(self, params: types.ConfigurationParams) -> list[Any]:
        self._asked += 1
        self._news.set()
        return [self.settings.get(item.scope_uri, self.settings.get(None)) for item in params.items]

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.applied.append(params)
        self._news.set()
        return types.ApplyWorkspaceEditResult(True)

    async def start(self, encodings: Sequence[types.PositionEncodingKind]) -> None:
        command = [sys.executable, "-X", "faulthandler", "-m", "jaxlint", "lsp"]
        await self.client.start_io(*command, cwd=self.folder)
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            workspace=types.WorkspaceClientCapabilities(
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(True),
                inlay_hint=types.InlayHintWorkspaceClientCapabilities(True),
                configuration=bool(self.settings),
                workspace_edit=self.given.get("workspace_edit"),
            ),
            text_document=types.TextDocumentClientCapabilities(
                code_action=self.given.get("code_action"),
                inlay_hint=self.given.get("inlay_hint"),
            ),
        )
        params = types.InitializeParams(
            capabilities,
            root_uri=self.folder.as_uri(),
            initialization_options=self.given.get("options"),
            workspace_folders=self.given.get("folders"),
        )
        answer = await self.client.initialize_async(params)
        assert answer.capabilities.position_encoding == encodings[0]
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        server = self.client._server
        assert server is not None
        await asyncio.wait_for(server.wait(), PATIENCE)
        await self.client.stop()
        return server.returncode

    async def aborted(self) -> str:
        """Ends a server that does not answer; where each of its threads was."""
        server = self.client._server
        if server is None or server.stderr is None:
            return "the server did not start"
        if server.returncode is None:
            server.send_signal(signal.SIGABRT)
        return (await server.stderr.read()).decode(errors="replace")

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        self._versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self._versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        params = types.DidChangeTextDocumentParams(document, changes)
        self.client.text_document_did_change(params)

    def replace(self, name: str, text: str) -> None:
        self.change(name, types.TextDocumentContentChangeWholeDocument(text))

    def save(self, name: str) -> None:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    def close(self, name: str) -> None:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self._versions.pop(name)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    def watched(self, name: str) -> None:
        event = types.FileEvent(self.uri(name), types.FileChangeType.Changed)
        params = types.DidChangeWatchedFilesParams([event])
        self.client.workspace_did_change_watched_files(params)

    def codes(self, name: str) -> list[str] | None:
        """The codes that are shown of the document's present text; None if none came yet."""
        shown = self._shown.get(self.uri(name))
        if shown is None or shown.version != self._versions.get(name):
            return None
        return [str(one.code) for one in shown.diagnostics]

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._news.clear()
                await self._news.wait()

    async def configure(self, folder: str, **settings: Any) -> None:
        """Has other settings in a folder, or everywhere without one, and waits until the server
        knows them."""
        self.settings[folder or None] = settings
        asked = self._asked
        params = types.DidChangeConfigurationParams(None)
        self.client.workspace_did_change_configuration(params)
        await self.until(lambda: self._asked > asked)
        await self.tells()
        await self.tells()

    async def tells(self) -> str:
        """What the server tells about itself, after all that it was told before."""
        params = types.ExecuteCommandParams("jaxlint.printDebugInformation")
        return str(await self.client.workspace_execute_command_async(params))

    async def shows(self, name: str, *codes: str) -> list[types.Diagnostic]:
        """What is shown of a document, once that has these codes."""
        try:
            await self.until(lambda: self.codes(name) == list(codes))
        except TimeoutError:
            assert list(codes) == self.codes(name), self.messages
        return list(self._shown[self.uri(name)].diagnostics)


def edit(
    folder: Path,
    story: Callable[[Editor], Awaitable[None]],
    encoding: Any = types.PositionEncodingKind.Utf16,
    settings: Mapping[str | None, Any] | None = None,
    **given: Any,
) -> None:
    """Runs a session of an editor; the server must end as the protocol wants."""

    async def session() -> None:
        editor = Editor(folder, **given)
        editor.settings = dict(settings or {})
        try:
            async with asyncio.timeout(PATIENCE):
                await editor.start([encoding])
                await story(editor)
                assert 0 == await editor.stop()
        except TimeoutError:
            where = await editor.aborted()
            raise AssertionError(f"the server was waited for in vain; {where}") from None

    asyncio.run(session())

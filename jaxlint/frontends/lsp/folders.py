"""The folders that an editor shows, and what it wants in each."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from jaxlint.frontends.lsp.preferences import SECTION, Preferences, nearest, read, section

# How long an editor may take to tell its settings, in seconds.
_PATIENCE = 5.0
_log = logging.getLogger("jaxlint.lsp")


class Folders:
    """Folders of an editor by path, with its preferences; the empty name is for files elsewhere.

    What the editor says of settings when it starts counts least, what it answers when it is
    asked about a folder counts most.
    """

    def __init__(self, protocol: LanguageServer) -> None:
        self._protocol = protocol
        self._first: dict[str, Any] = {}
        self._pushed: dict[str, Any] = {}
        self._preferences: dict[str, Preferences] = {"": Preferences()}

    def begin(self, params: types.InitializeParams) -> None:
        """Takes in what the editor says when it starts."""
        self._first = section(plain(params.initialization_options))

    def push(self, settings: Any) -> None:
        """Takes in settings that the editor sends by itself."""
        self._pushed = section(plain(settings))

    def near(self, path: str) -> Preferences:
        """What counts for a file."""
        return self._preferences[nearest(list(self._preferences), os.path.dirname(path))]

    async def preferences(self) -> tuple[Mapping[str, Preferences], list[str]]:
        """What counts in each folder from now on, and what is wrong with it."""
        scopes = {"": None} | dict(self._paths())
        asked = await self._asked(list(scopes.values()))
        problems: dict[str, None] = {}
        found: dict[str, Preferences] = {}
        for folder, answer in zip(scopes, asked, strict=True):
            base = folder or next((it for it in scopes if it), os.getcwd())
            given = {**self._first, **self._pushed, **section(answer)}
            found[folder], wrong = read(given, base)
            problems |= dict.fromkeys(wrong)
        self._preferences = found
        level = found[next((it for it in scopes if it), "")].log_level
        logging.getLogger("jaxlint").setLevel(level.upper())
        # What the server's library says is every message there is.
        logging.getLogger("pygls").setLevel("DEBUG" if level == "debug" else "WARNING")
        return found, ["settings of the editor: " + "; ".join(problems)] if problems else []

    def told(self) -> Iterator[str]:
        """What is known, for people."""
        for folder, one in self._preferences.items():
            layers = [dict(layer.values) for layer in one.overrides]
            yield (
                f"{folder or 'elsewhere'}: settings {one.file or 'from the nearest file'}, "
                f"{layers} on top, hints {one.hints}, fixAll {one.fixes_all}, "
                f"unsafeFixes {one.fixes_unsafely}, {'onSave' if one.waits else 'onType'}"
            )

    def _paths(self) -> Iterator[tuple[str, str]]:
        """The folders by path, with their addresses."""
        workspace = self._protocol.workspace
        known = list(workspace.folders) or ([workspace.root_uri] if workspace.root_uri else [])
        for uri in known:
            path = uris.to_fs_path(uri)
            if path:
                yield os.path.abspath(path), uri

    async def _asked(self, scopes: list[str | None]) -> list[Any]:
        """What the editor answers when it is asked, if it can be."""
        workspace = self._protocol.client_capabilities.workspace
        nothing = [None for _ in scopes]
        if not (workspace and workspace.configuration):
            return nothing
        items = [types.ConfigurationItem(scope, SECTION) for scope in scopes]
        params = types.ConfigurationParams(items)
        try:
            asking = self._protocol.workspace_configuration_async(params)
            answers = await asyncio.wait_for(asking, _PATIENCE)
        except Exception as error:
            # An editor that cannot tell has told enough before.
            _log.warning("the editor does not tell its settings: %r", error)
            return nothing
        return [plain(answer) for answer in answers] if len(answers) == len(scopes) else nothing


def plain(value: Any) -> Any:
    """What came as JSON, as Python has it, whatever the server's library made of it."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value

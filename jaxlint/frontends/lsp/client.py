"""What an editor can do, and what it is asked to tell."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from jaxlint.base.dataclass import slotted
from jaxlint.frontends.lsp.preferences import SECTION
from jaxlint.frontends.lsp.texts import Encoding

_WATCHED = ("**/*.py", "**/*.toml", "**/requirements.txt", "**/setup.cfg", "**/.gitignore")


@slotted(frozen=True)
class Client:
    """How an editor wants what it asks for: with places counted like this, changes made for one
    `versioned` document, and, where it is lazy, only once somebody chooses a change or looks at a
    hint. `refreshes` tells that it asks for hints again if it is told to."""

    encoding: Encoding
    versioned: bool
    lazy_edits: bool
    lazy_tooltips: bool
    refreshes: bool


def client(capabilities: types.ClientCapabilities, encoding: Encoding) -> Client:
    """What an editor says of itself when it starts."""
    workspace, document = capabilities.workspace, capabilities.text_document
    edits = workspace.workspace_edit if workspace else None
    hinting = workspace.inlay_hint if workspace else None
    acting = document.code_action if document else None
    choosing = acting.resolve_support if acting and acting.data_support else None
    hints = document.inlay_hint if document else None
    looking = hints.resolve_support if hints else None
    return Client(
        encoding,
        bool(edits and edits.document_changes),
        choosing is not None and "edit" in choosing.properties,
        looking is not None and "tooltip" in looking.properties,
        bool(hinting and hinting.refresh_support),
    )


def registrations(capabilities: types.ClientCapabilities) -> Iterator[types.Registration]:
    """What an editor is to tell that it tells only if it is asked to."""
    workspace = capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching and watching.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        yield types.Registration("jaxlint-files", method, options)
    changing = workspace.did_change_configuration if workspace else None
    if changing and changing.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions(SECTION)
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        yield types.Registration("jaxlint-settings", method, section)

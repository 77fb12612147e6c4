"""What the server still has to say when the editor ends it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from typing import Any

import pytest
from lsprotocol import types

from jaxlint.frontends.lsp.server import Server


def _message(**content: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_what_is_found_after_the_exit_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    late: list[str] = []
    server = Server()

    @server.protocol.feature(types.EXIT)
    def exiting(_: Any) -> None:
        asyncio.get_running_loop().call_soon(publish)

    def publish() -> None:
        late.append("published")
        server.protocol.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams("file:///a.py", [])
        )

    editor = [
        _message(id=1, method="initialize", params={"capabilities": {}}),
        _message(id=2, method="shutdown"),
        _message(method="exit"),
    ]
    with caplog.at_level(logging.WARNING, "pygls"):
        server.serve(io.BytesIO(b"".join(editor)), io.BytesIO())
    assert ["published"] == late
    assert not caplog.records

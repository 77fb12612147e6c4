"""Questions about documents are given up, asked again or out of date as the editor goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types

from jaxlint.base.errors import Interrupted
from jaxlint.frontends.lsp.checking import Checking, StaleError
from jaxlint.frontends.lsp.opened import Document, Opened
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.frontends.lsp.texts import Encoding
from jaxlint.session.session import Stop


class Slow:
    """A question that is answered when it is wanted no longer, or allowed to be."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self.allowed = threading.Event()

    def __call__(self, projects: Projects, stop: Stop) -> str:
        self.begun += 1
        try:
            while not self.allowed.is_set():
                if stop():
                    raise Interrupted
                time.sleep(0.001)
            return "answer"
        finally:
            self.ended += 1


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(900):
        while not is_so():
            await asyncio.sleep(0.002)


def run(
    folder: Path,
    story: Callable[[Checking, Opened, Document], Awaitable[None]],
    published: list[types.PublishDiagnosticsParams],
) -> None:
    (folder / "setup.cfg").write_text("")

    async def session() -> None:
        opened = Opened()
        checking = Checking(
            opened, lambda: Encoding.UTF16, published.append, lambda _: None, lambda: None
        )
        item = types.TextDocumentItem((folder / "a.py").as_uri(), "python", 1, "x = 1\n")
        document = opened.open(item)
        assert document is not None
        checking.put(document)
        try:
            await story(checking, opened, document)
        finally:
            checking.end()

    asyncio.run(session())


def test_who_cancels_a_question_frees_the_thread(tmp_path: Path) -> None:
    async def story(checking: Checking, opened: Opened, document: Document) -> None:
        slow = Slow()
        asked = asyncio.ensure_future(checking.ask(document, slow))
        await until(lambda: slow.begun == 1)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert "next" == await checking.ask(document, lambda projects, stop: "next")
        assert (1, 1) == (slow.begun, slow.ended)

    run(tmp_path, story, [])


def test_a_question_about_a_text_that_is_gone_has_no_answer(tmp_path: Path) -> None:
    async def story(checking: Checking, opened: Opened, document: Document) -> None:
        for patient in (False, True):
            slow = Slow()
            asked = asyncio.ensure_future(checking.ask(document, slow, patient=patient))
            await until(lambda slow=slow: slow.begun == 1)
            document.text += "y = 2\n"
            checking.put(document)
            with pytest.raises(StaleError):
                await asked
        opened.close(document.uri)
        with pytest.raises(StaleError):
            await checking.ask(document, slow)

    run(tmp_path, story, [])


def test_what_happens_elsewhere_has_a_question_asked_again(tmp_path: Path) -> None:
    async def story(checking: Checking, opened: Opened, document: Document) -> None:
        slow = Slow()
        asked = asyncio.ensure_future(checking.ask(document, slow))
        await until(lambda: slow.begun == 1)
        checking.look()
        await until(lambda: slow.begun == 2)
        slow.allowed.set()
        assert "answer" == await asked

    run(tmp_path, story, [])


def test_answers_wait_for_the_editor_but_not_for_ever(tmp_path: Path) -> None:
    async def story(checking: Checking, opened: Opened, document: Document) -> None:
        checking.hold(0.05)
        begun = time.monotonic()
        assert "" == await checking.ask(document, lambda projects, stop: "", patient=True)
        assert time.monotonic() - begun >= 0.05
        checking.hold(1000)
        asked = asyncio.ensure_future(
            checking.ask(document, lambda projects, stop: "late", patient=True)
        )
        checking.look()
        await asyncio.sleep(0.02)
        assert not asked.done()
        checking.release()
        assert "late" == await asked

    run(tmp_path, story, [])


def test_what_is_shown_is_about_the_text_that_is_there(tmp_path: Path) -> None:
    published: list[types.PublishDiagnosticsParams] = []
    text = "import jax\n\n@jax.jit\ndef f(x):\n    assert x > 0\n"

    async def story(checking: Checking, opened: Opened, document: Document) -> None:
        await until(lambda: bool(published))
        # What waits to be saved is not shown, but can be asked for.
        document.text, document.version = text, 2
        checking.put(document, waits=True)
        checking.look()
        shown = await checking.shown(document)
        assert ["JAX303"] == [one.code for one in shown.params.diagnostics]
        assert 2 not in {one.version for one in published}
        checking.look(document.path)
        await until(lambda: published[-1].version == 2)
        # Another text of the same version is another one.
        opened.close(document.uri)
        checking.close(document.path)
        item = types.TextDocumentItem(document.uri, "python", 2, "\n" + text)
        again = opened.open(item)
        assert again is not None
        checking.put(again)
        await until(lambda: published[-1].diagnostics[0].range.start.line == 5)
        assert published[-1] == (await checking.shown(again)).params
        assert 4 == shown.params.diagnostics[0].range.start.line

    run(tmp_path, story, published)

"""When things are done: what the editor says becomes work for one thread, and what is found goes
back.

An edit is answered when the editor has been quiet for a moment: first with what the document
itself tells, then with what all files that lead to it tell. What is being worked on when the next
edit comes is given up. Questions about a document are answered between that; one is given up once
the editor says anything, and asked again if its document stayed the same.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import TypeVar

from lsprotocol import types
from pygls import uris

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import Interrupted
from jaxlint.base.text import SourceText
from jaxlint.frontends.lsp.diagnostics import diagnostic
from jaxlint.frontends.lsp.opened import Document, Opened
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.frontends.lsp.texts import Encoding
from jaxlint.results.report import quotable
from jaxlint.session.session import Report, Stop, load_registry

T = TypeVar("T")
# What the thread was told of open documents, by path.
_Told = dict[str, Document]
# How long the editor must be quiet before an edit is answered, in seconds: the longer the first
# report takes, the longer it waits.
_LEAST_WAIT, _MOST_WAIT = 0.1, 1.0
_STACK = 64 * 1024 * 1024
# After how many answers the collector looks at everything.
_ROUND = 100
_log = logging.getLogger("jaxlint.lsp")


class StaleError(Exception):
    """A document has changed while a question about it was answered."""


@slotted(frozen=True, eq=False)
class Shown:
    """What is shown of one version of a document."""

    document: Document
    report: Report
    params: types.PublishDiagnosticsParams

    def is_about(self, document: Document) -> bool:
        """Whether a document is as it was then."""
        was = self.document
        return was.text is document.text and was.version == document.version


@slotted()
class _Work:
    """What the thread has not been told yet; `look` asks for a look at the disk, `wanted` for an
    answer."""

    texts: dict[str, str | None] = field(default_factory=dict)
    look: bool = False
    orders: list[Callable[[Projects], None]] = field(default_factory=list)


class Checking:
    """Has one thread check open documents, and answer questions about them. `publish` and
    `complain` take what it finds, and `refresh` is called when documents
    have other marks that did not change."""

    def __init__(
        self,
        opened: Opened,
        encoding: Callable[[], Encoding],
        publish: Callable[[types.PublishDiagnosticsParams], None],
        complain: Callable[[Sequence[str]], None],
        refresh: Callable[[], None],
    ) -> None:
        self._opened = opened
        self._encoding = encoding
        self._publish = publish
        self._complain = complain
        self._refresh = refresh
        self._projects = Projects()
        self._work = _Work()
        self._told: _Told = {}
        # Documents that are checked when they are saved.
        self._unsaved: _Told = {}
        # Counts what was taken in: work for an earlier number is stale.
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._running = False
        self._held: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()
        # What was last shown of each open document.
        self._shown: dict[str, Shown] = {}
        self._answers = 0
        # The CPU seconds before the first report of the last answer.
        self.cost = 0.0
        self._thread = ThreadPoolExecutor(1, "jaxlint")

    def begin(self) -> None:
        """Starts the thread."""
        default = threading.stack_size(_STACK)
        self._thread.submit(_warm_up).add_done_callback(lambda _: None)
        threading.stack_size(default)

    def end(self) -> None:
        """Ends the thread soon."""
        self._number += 1
        self._thread.shutdown(cancel_futures=True)

    # -- what the editor says ---------------------------------------------------------------------

    def put(self, document: Document, *, soon: bool = True, waits: bool = False) -> None:
        """A document is open with this text. It is answered soon, or when there are no edits for
        a while, or, if it `waits`, when it is saved."""
        self._unsaved.pop(document.path, None)
        if waits:
            self._unsaved[document.path] = replace(document)
            return
        self._tell(replace(document))
        self._schedule(0.0 if soon else min(max(self.cost, _LEAST_WAIT), _MOST_WAIT))

    def close(self, path: str) -> None:
        """A document is no longer open."""
        for known in (self._told, self._unsaved, self._shown, self._work.texts):
            known.pop(path, None)
        self._work.texts[path] = None
        self._schedule(0.0)

    def look(self, saved: str = "") -> None:
        """Something may have changed on the disk: a document was saved, if one is given."""
        self._work.look = True
        document = self._unsaved.pop(saved, None)
        if document is not None:
            self._tell(document)
        self._schedule(0.0)

    def _tell(self, document: Document) -> None:
        # The last one is checked first.
        self._work.texts.pop(document.path, None)
        self._work.texts[document.path] = document.text
        self._told[document.path] = document

    def order(self, order: Callable[[Projects], None]) -> None:
        """Has the thread do something before anything else is checked."""
        self._work.orders.append(order)
        self._schedule(0.0)

    def hold(self, patience: float) -> None:
        """Puts off answers until they are released, or for so many seconds."""
        self._held = asyncio.get_running_loop().call_later(patience, self.release)

    def release(self) -> None:
        """Answers again."""
        if self._held is not None:
            self._held.cancel()
        self._held = None
        self._schedule(0.0)

    async def ask(
        self, document: Document, work: Callable[[Projects, Stop], T], *, patient: bool = False
    ) -> T:
        """What the thread answers about the present text of a document; if this is `patient`,
        when all edits are answered. Raises StaleError once the document changes."""
        text = document.text
        while True:
            if patient:
                await self._idle.wait()
            if document.text is not text or self._opened.at(document.path) is not document:
                raise StaleError
            try:
                answer = await self._question(document, work)
            except StaleError:
                continue
            if document.text is text:
                return answer

    def diagnostics(self, path: str) -> Sequence[types.Diagnostic]:
        """What is shown of a document, which may have changed since."""
        shown = self._shown.get(path)
        return () if shown is None else shown.params.diagnostics

    async def shown(self, document: Document) -> Shown:
        """What is shown of the present text of a document, or would be. Raises StaleError."""
        shown = self._shown.get(document.path)
        if shown is not None and shown.is_about(document):
            return shown
        told = {**self._told, document.path: replace(document)}

        def checked(projects: Projects, stop: Stop) -> Shown:
            report = projects.check(document.path, stop)
            if report is None:
                raise Interrupted
            return self._to_show(report, told)

        return await self.ask(document, checked)

    async def _question(self, document: Document, work: Callable[[Projects, Stop], T]) -> T:
        number, is_wanted = self._number, True
        path, text = document.path, document.text
        self._told[path] = replace(document)

        def stop() -> bool:
            return not is_wanted or number != self._number

        def answer() -> T:
            try:
                if not self._projects.holds(path, text):
                    self._projects.put(path, text)
                if stop():
                    raise StaleError
                return work(self._projects, stop)
            except Interrupted:
                raise StaleError from None

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, answer)
        finally:
            # Who cancels the question does not wait for its answer.
            is_wanted = False

    # -- when it is answered ----------------------------------------------------------------------

    def _schedule(self, wait: float) -> None:
        self._number += 1
        self._idle.clear()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(wait, self._start)

    def _start(self) -> None:
        self._timer = None
        if self._running or self._held is not None:
            # It ends soon, because it is stale; or this is called again.
            return
        self._running = True
        work, self._work = self._work, _Work()
        told = dict(self._told)
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._thread, self._answer, work, told, self._number, loop)
        job.add_done_callback(self._done)

    def _done(self, job: asyncio.Future[None]) -> None:
        self._running = False
        error = None if job.cancelled() else job.exception()
        if error is not None:
            self._complain([f"jaxlint failed, which is a defect of jaxlint: {error!r}"])
        if self._timer is not None:
            return
        if self._work.texts or self._work.look or self._work.orders:
            self._start()
        else:
            self._idle.set()

    # -- in the thread ----------------------------------------------------------------------------

    def _answer(
        self,
        work: _Work,
        told: _Told,
        number: int,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Checks what may be different now."""
        started = time.thread_time()
        self.cost = 0.0
        projects = self._projects
        for order in work.orders:
            order(projects)
        for path, text in work.texts.items():
            if text is None:
                projects.close(path)
            else:
                projects.put(path, text)
        if work.look:
            projects.look()

        def show(report: Report) -> None:
            self.cost = self.cost or time.thread_time() - started
            if report.filename in told:
                loop.call_soon_threadsafe(self._show, self._to_show(report, told))

        outdated = projects.outdated()
        for path in outdated:
            report = projects.check(path, lambda: number != self._number, show)
            if report is None:
                break
            show(report)
            _log.info("checked %s: %d findings", path, len(report.findings))
        if not work.texts.keys() >= set(outdated):
            # The editor asks again about what it has changed itself.
            loop.call_soon_threadsafe(self._refresh)
        loop.call_soon_threadsafe(self._complain, list(projects.complaints.values()))
        _log.info("answered in %.3f s", time.thread_time() - started)
        self._answers += 1
        if self._answers % _ROUND == 0:
            gc.collect()

    def _to_show(self, report: Report, told: _Told) -> Shown:
        document = told[report.filename]
        known: dict[str, tuple[str, SourceText]] = {}

        def look(filename: str) -> tuple[str, SourceText]:
            if filename not in known:
                at = os.path.abspath(filename)
                uri = told[at].uri if at in told else uris.from_fs_path(at) or ""
                known[filename] = uri, self._text(at)
            return known[filename]

        if report.source is not None:
            known[report.filename] = document.uri, report.source
        encoding = self._encoding()
        found = [diagnostic(finding, look, encoding) for finding in report.findings]
        params = types.PublishDiagnosticsParams(document.uri, found, document.version)
        return Shown(document, report, params)

    def _text(self, path: str) -> SourceText:
        try:
            return quotable(self._projects.documents.source(path), path)
        except OSError:
            return SourceText(path, "")

    # -- what the editor gets ---------------------------------------------------------------------

    def _show(self, shown: Shown) -> None:
        document = self._opened.at(shown.document.path)
        if document is not None and shown.is_about(document):
            known = self._shown.get(document.path)
            self._shown[document.path] = shown
            if known is None or known.params != shown.params:
                self._publish(shown.params)


def _warm_up() -> None:
    """Imports what the first answer needs, and has the collector leave it alone."""
    import jaxlint.engine.machine.project
    import jaxlint.engine.queries.analyse
    import jaxlint.syntax.parse  # noqa: F401

    load_registry()
    gc.collect()
    gc.freeze()

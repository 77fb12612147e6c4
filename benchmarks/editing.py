"""What answering an edit costs: in a session that stays, and by the language server over stdio.

Each edit puts another statement into a function in the middle of the file. The text that the
linter gets is then parsed by LibCST, with the collector off: the two take turns.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any


def session(file: str, rounds: int) -> list[list[float]]:
    """CPU seconds of the answers and of the parses."""
    answer = _warm(file)

    def answered(text: str) -> float:
        started = time.process_time()
        answer(text)
        return time.process_time() - started

    return _taken(file, rounds, answered)


def _warm(file: str) -> Callable[[str], object]:
    """What answers an edit of a file: the language server's sessions, if it is there."""
    try:
        from jaxlint.frontends.lsp.projects import Projects
    except ImportError:
        from jaxlint.session.session import Session

        session = Session()
        session.ask([file])
        session.check(file)
        return lambda text: session.check_source(text, file)
    projects = Projects()

    def answer(text: str) -> object:
        projects.put(file, text)
        return projects.check(file, lambda: False)

    return answer


def server(file: str, rounds: int) -> list[list[float]]:
    """As `session`; the CPU time is that of the server's process."""
    with Server([sys.executable, "-m", "jaxlint", "lsp"], Path(file)) as running:

        def answered(text: str) -> float:
            before = running.cpu()
            running.change(text)
            return running.cpu() - before

        return _taken(file, rounds, answered)


def _taken(file: str, rounds: int, answered: Callable[[str], float]) -> list[list[float]]:
    """The costs of so many edits, after one that warms up."""
    answers, parses = [], []
    for text in edited(Path(file).read_text(encoding="utf-8"), rounds + 1):
        answers.append(answered(text))
        parses.append(_parsed(text))
    return [answers[1:], parses[1:]]


def _parsed(text: str) -> float:
    import libcst

    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        libcst.parse_module(text)
        return time.process_time() - started
    finally:
        gc.enable()


def edited(text: str, count: int) -> Iterator[str]:
    """The text with one more statement, another one each time, half-way down."""
    lines = text.splitlines(keepends=True)
    half = len(lines) // 2
    at, indent = min(places(text), key=lambda one: abs(one[0] - half), default=(len(lines), 0))
    for number in range(count):
        added = f"{' ' * indent}edited_{number} = {number}\n"
        yield "".join([*lines[:at], added, *lines[at:]])


def places(text: str) -> list[tuple[int, int]]:
    """Where bodies of functions begin and another statement may stand: lines, and their indents."""
    bodies = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno
    ]
    # Decorators may stand above what begins a body.
    return [(body.lineno - 1, body.col_offset) for body in bodies if _is_plain(body)]


def _is_plain(statement: ast.stmt) -> bool:
    """Whether another statement may stand before this one, and changes nothing else."""
    docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not docstring and not getattr(statement, "decorator_list", [])


class Server:
    """A language server on pipes, with one document open."""

    def __init__(self, command: list[str], file: Path) -> None:
        self._command = command
        self._uri = file.as_uri()
        self._text = file.read_text(encoding="utf-8")
        self._version = 1
        self._folder = file.parent

    def __enter__(self) -> Server:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self._folder
        )
        folder = {"uri": self._folder.as_uri(), "name": self._folder.name}
        self._send(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": {
                    "textDocument": {"publishDiagnostics": {"versionSupport": True}},
                },
            },
            number=1,
        )
        self._await(lambda message: message.get("id") == 1 and "method" not in message)
        self._send("initialized", {})
        document = {
            "uri": self._uri,
            "languageId": "python",
            "version": self._version,
            "text": self._text,
        }
        self._send("textDocument/didOpen", {"textDocument": document})
        self._await_diagnostics()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._send("shutdown", None, number=2)
            self._await(lambda message: message.get("id") == 2 and "method" not in message)
            self._send("exit", None)
        try:
            self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def cpu(self) -> float:
        """CPU seconds of the server up to now."""
        # The clock of another process, as `clock_getcpuclockid` makes its number.
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def change(self, text: str) -> None:
        """Sends the whole text anew, and waits for what the server says of it."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        self._send(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [{"text": text}]},
        )
        self._await_diagnostics()

    def _await_diagnostics(self) -> None:
        def published(message: dict[str, Any]) -> bool:
            found = message.get("params") or {}
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and found.get("uri") == self._uri
                and found.get("version", self._version) == self._version
            )

        self._await(published)

    def _await(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Reads up to a message, and answers nothing to what the server asks meanwhile."""
        while True:
            message = self._receive()
            if wanted(message):
                return
            if "id" in message and "method" in message:
                asked = (message.get("params") or {}).get("items", ())
                known = [None for _ in asked] if asked else None
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": known})

    def _send(self, method: str, params: Any, number: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if number is not None:
            message["id"] = number
        self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        stream = self._pipe(self._process.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._pipe(self._process.stdout)
        length = 0
        while line := stream.readline():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if not line.strip():
                message: dict[str, Any] = json.loads(stream.read(length))
                return message
        raise OSError("the language server ended")

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream

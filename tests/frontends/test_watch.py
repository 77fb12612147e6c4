"""`jaxlint check --watch`: what is saved is checked, until somebody interrupts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest
from click.testing import Result

from jaxlint.frontends.runs.watch import changed
from jaxlint.project.file_systems.snapshot import Snapshot

Command = Callable[..., Result]
BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"
PATIENCE = 900.0


class Watcher:
    """A process that watches, and the lines that it prints on both streams."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "jaxlint", "check", "--watch", *arguments]
        self.process = subprocess.Popen(
            [*command, "--output-format", "concise", "--no-cache"],
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def end(self) -> None:
        """Ends the process, if it has not ended, and what is left of it here."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def until(self, end: str) -> str:
        """What is printed up to a line that begins like this."""
        said = ""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except Empty:
                pytest.fail(f"no line begins with {end!r}:\n{said}")
            said += line
            if line.startswith(end):
                return said


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watcher]:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text(BAD)
    started = Watcher(tmp_path, "src")
    yield started
    started.end()


def save(path: Path, text: str) -> None:
    """Writes a file at once: whoever looks sees what was there before or all of the text."""
    unseen = path.with_name(f"{path.name}.part")
    unseen.write_text(text)
    os.replace(unseen, path)


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent in another way there")
def test_what_is_saved_is_checked(watcher: Watcher, tmp_path: Path) -> None:
    source, settings = tmp_path / "src" / "model.py", tmp_path / "pyproject.toml"
    assert "src/model.py:6:8: JAX301 " in watcher.until("jaxlint: watching")
    save(source, BAD.replace("x > 0", "x.ndim"))
    said = watcher.until("jaxlint: watching")
    assert said.startswith("jaxlint: src/model.py has changed\nNo findings in 1 file.\n")
    save(tmp_path / "src" / "new.py", BAD)
    said = watcher.until("jaxlint: watching")
    assert said.startswith("jaxlint: src/new.py was added\n") and "src/new.py:6:8: JAX301 " in said
    save(settings, "[tool.jaxlint]\nselct = []\n")
    assert "unknown key tool.jaxlint.selct" in watcher.until("jaxlint: watching")
    save(settings, "[tool.jaxlint]\nignore = ['JAX301']\n")
    assert "No findings in 2 files." in watcher.until("jaxlint: watching")
    watcher.process.send_signal(signal.SIGINT)
    assert "jaxlint: interrupted\n" == watcher.until("jaxlint: interrupted")
    assert 130 == watcher.process.wait(PATIENCE)


def looked_at(directory: Path) -> Snapshot:
    """A look at a directory with a file that mentions one that is not there."""
    (directory / "one.py").write_text("1")
    files = Snapshot(noting=True)
    files.scan(str(directory))
    files.read(str(directory / "one.py"))
    files.kind(str(directory / "deeper" / "two.py"))
    return files


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda here: (here / "one.py").write_text("2"), ("one.py", "has changed")),
        (lambda here: (here / "one.py").unlink(), ("one.py", "was removed")),
        (lambda here: (here / "other.py").write_text(""), ("other.py", "was added")),
        (lambda here: (here / "pyproject.toml").write_text(""), ("pyproject.toml", "was added")),
        (lambda here: (here / "deeper").mkdir(), ("deeper", "was added")),
        (lambda here: (here / "package").rmdir(), ("package", "was removed")),
        (lambda here: (here / "one.py").write_text("1"), None),
        (lambda here: (here / "notes.txt").write_text(""), None),
        (lambda here: (here / ".jaxlint_cache").mkdir(), None),
    ],
)
def test_what_matters_is_a_change(
    tmp_path: Path, change: Callable[[Path], object], expected: tuple[str, str] | None
) -> None:
    (tmp_path / "package").mkdir()
    looked = looked_at(tmp_path).looked
    assert changed(looked) is None
    change(tmp_path)
    found = changed(looked)
    assert expected == (None if found is None else (Path(found.path).name, found.what))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-",), "--watch cannot wait for standard input to change"),
        (("--add-noqa",), "--watch reports findings, and cannot be told to silence them"),
        (("--write-baseline", "x.json"), "--watch reports findings"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    run: Command, here: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run("check", "--watch", *arguments)
    assert 2 == result.exit_code
    assert message in result.stderr


def test_without_watchfiles_it_says_what_to_install(
    run: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jaxlint.frontends.runs.watch.find_spec", lambda name: None)
    result = run("check", "--watch")
    message = "jaxlint: error: --watch needs watchfiles: pip install watchfiles\n"
    assert (2, message) == (result.exit_code, result.stderr)

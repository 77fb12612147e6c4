"""Modules that mean harm: each costs its own findings only, and leaves no marks.

All of them stand in one project and are verified in one run, with innocent modules between.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jaxlint.verify import plan
from jaxlint.verify.protocol import Config, Example, Miss, Observation, Target
from jaxlint.verify.run import Verification

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the limits need POSIX")

VICTIM = """
import jax
@jax.jit
def victim(x):
    {body}
    if x > 0:
        return x
    return -x
"""

FLOOD = r"""
print("all is well")
import os, sys
sys.stdout.write("more\n" * 10_000)
sys.__stdout__.buffer.write(b'["Done", {"job": 0, "spoiled": ""}]\n')
os.write(1, b'["Miss", {"target": 0, "reason": "forged"}]\n')
"""

# What runs when the module is imported, and what the reason of its miss says; empty: confirmed.
AT_IMPORT: dict[str, tuple[str, str]] = {
    "loop": ("while True: pass", "import failed: time-out"),
    "stubborn_loop": (
        "while True:\n    try:\n        while True: pass\n    except Exception: pass",
        "import failed: time-out",
    ),
    "fork_loop": ("import os\nif os.fork() == 0:\n    while True: pass", ""),
    "exit": ("import os; os._exit(3)", "import failed: the process ended with exit status 3"),
    "system_exit": ("raise SystemExit(2)", "the module exits with 2"),
    "allocation": ("data = bytearray(10**13)", "import failed: MemoryError"),
    "hoard": ("hoard = [0] * 10**11", "import failed: MemoryError"),
    "file": ("open({outside!r} + '/file', 'w')", "import failed: PermissionError"),
    "remove": ("import os; os.remove({outside!r} + '/keep')", "import failed: PermissionError"),
    "rename": (
        "import os; os.rename({outside!r} + '/keep', 'here')",
        "import failed: PermissionError",
    ),
    "home": ("import pathlib; (pathlib.Path.home() / 'mark').write_text('')", ""),
    "directory": ("open('mark', 'w').close()", ""),
    "kill": ("import os; os.kill(os.getppid(), 9)", "import failed: PermissionError"),
    "question": ("input()", "import failed: EOFError"),
    "subprocess": (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'open(\"mark\", \"w\")'])",
        "",
    ),
    "socket": ("import socket; socket.create_connection(('127.0.0.1', {port}))", ""),
    "print": (FLOOD, ""),
    "fork": ("import os; os.fork()", ""),
    "patched_jit": ("import jax; jax.jit = lambda f: f", "inconclusive: the module replaces jax"),
    "patched_tracer": (
        "import jax; jax.core.Tracer.__bool__ = lambda self: True",
        "inconclusive: the module replaces jax.core.Tracer.__bool__",
    ),
    "disabled": (
        "import jax; jax.config.update('jax_disable_jit', True)",
        "inconclusive: the module replaces jax_disable_jit",
    ),
    "streams": ("import sys; sys.stdout = sys.stderr = sys.stdin = None", ""),
    "elsewhere": ("import os; os.chdir('/')", ""),
    "importer_of_loop": ("import import_loop", "import failed: import_loop was given up"),
}

# The same for what runs when the function is called.
IN_CALL: dict[str, tuple[str, str]] = {
    "loop": ("while True: pass", "time-out: victim"),
    "unroll": ("for i in range(10**9): x = x + 1", "time-out: victim"),
    "exit": ("import os; os._exit(4)", "the process ended with exit status 4 in victim"),
    "allocation": ("data = bytearray(10**13)", "its line did not run"),
    "file": ("open({outside!r} + '/file', 'w')", "blocked: writes to {outside}/file"),
    "open_at": (
        "import os; d = os.open({outside!r}, os.O_RDONLY); "
        "os.open('file', os.O_WRONLY | os.O_CREAT, dir_fd=d)",
        "blocked: writes to {outside}/file",
    ),
    "open_above": (
        "import os; d = os.open('.', os.O_RDONLY); "
        "os.open(os.path.relpath({outside!r} + '/file'), os.O_WRONLY | os.O_CREAT, dir_fd=d)",
        "blocked: writes to {outside}/file",
    ),
    "open_at_of_before": (
        "import os; d = os.open({outside!r}, os.O_RDONLY); from posix import open as real; "
        "real('file', os.O_WRONLY | os.O_CREAT, dir_fd=d)",
        "blocked: writes to {outside}/file",
    ),
    "open_at_kept": (
        "import os; d = os.open({outside!r}, os.O_RDONLY); "
        "os.open.__wrapped__('file', os.O_WRONLY | os.O_CREAT, dir_fd=d)",
        "blocked: writes to file in a directory that is not known",
    ),
    **{
        f"{name}_at": (
            f"import os; d = os.open({{outside!r}}, os.O_RDONLY); os.{name}({arguments})",
            "blocked: changes {outside}/",
        )
        for name, arguments in {
            "mkdir": "'made', dir_fd=d",
            "mkfifo": "'made', dir_fd=d",
            "mknod": "'made', dir_fd=d",
            "unlink": "'keep', dir_fd=d",
            "rmdir": "'keep', dir_fd=d",
            "rename": "'keep', 'here', src_dir_fd=d",
            "replace": "'keep', 'other', src_dir_fd=d, dst_dir_fd=d",
            "link": "'keep', 'other', src_dir_fd=d, dst_dir_fd=d",
            "symlink": "'keep', 'other', dir_fd=d",
            "chmod": "'keep', 0o777, dir_fd=d",
            "chown": "'keep', 0, 0, dir_fd=d",
            "utime": "'keep', (0, 0), dir_fd=d",
        }.items()
    },
    "fchmod": (
        "import os; os.fchmod(os.open({outside!r} + '/keep', os.O_RDONLY), 0o777)",
        "blocked: changes {outside}/keep",
    ),
    "utime_open": (
        "import os; os.utime(os.open({outside!r} + '/keep', os.O_RDONLY), (0, 0))",
        "blocked: changes {outside}/keep",
    ),
    "own_files": (
        "import os, shutil, tempfile; d = tempfile.mkdtemp(); f = os.open(d, os.O_RDONLY); "
        "os.close(os.open('a', os.O_WRONLY | os.O_CREAT, dir_fd=f)); os.mkdir('b', dir_fd=f); "
        "os.mkfifo('c', dir_fd=f); os.utime('a', (0, 0), dir_fd=f); os.unlink('c', dir_fd=f); "
        "tempfile.TemporaryFile().write(b'x'); shutil.rmtree(d); open('mark', 'w').write('')",
        "",
    ),
    "array": ("import numpy; numpy.save({outside!r} + '/a.npy', [1])", "blocked: writes to"),
    "truncate": ("import os; os.truncate({outside!r} + '/keep', 0)", "blocked: changes {outside}"),
    "mkdir": ("import os; os.mkdir({outside!r} + '/made')", "blocked: changes {outside}/made"),
    "swallowed": (
        "try: open({outside!r} + '/file', 'w')\n    except OSError: pass",
        "",
    ),
    "database": ("import sqlite3; sqlite3.connect({outside!r} + '/db')", "blocked: changes"),
    "subprocess": (
        "import subprocess; subprocess.run(['touch', {outside!r} + '/file'])",
        "blocked: starts a process",
    ),
    "system": ("import os; os.system('touch ' + {outside!r} + '/file')", "blocked: starts a"),
    "fork": ("import os; os.fork()", "blocked: starts a process (os.fork)"),
    "socket": (
        "import socket; socket.create_connection(('127.0.0.1', {port}))",
        "blocked: opens a connection",
    ),
    "print": ("print('all is well')", ""),
    "system_exit": ("raise SystemExit(2)", "its line did not run"),
    "patched": ("jax.jit = None", "inconclusive: the module replaces jax.jit"),
}


@dataclass
class World:
    """What one run over all modules said, and what it left on the machine."""

    outside: Path
    port: int
    confirmed: dict[str, list[Observation]] = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    innocent: list[str] = field(default_factory=list)
    connections: int = 0
    tree: tuple[list[str], list[str]] = ([], [])

    def filled(self, text: str) -> str:
        return text.replace("{outside}", str(self.outside))


def target_in(file: Path, number: int) -> Target:
    lines = file.read_text().splitlines()
    line = 1 + next(place for place, text in enumerate(lines) if text == "    if x > 0:")
    return Target(
        number, str(file), line, 7, line, 12, "JAX301", "raises", ("TracerBoolConversionError",)
    )


def listing(*directories: Path) -> list[str]:
    return sorted(
        f"{path} {path.stat().st_size if path.is_file() else ''}"
        for directory in directories
        for path in directory.rglob("*")
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    project = tmp_path_factory.mktemp("project")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "keep").write_text("dear")
    (project / "pyproject.toml").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        world = World(outside, server.getsockname()[1])
        files = written(project, world)
        world.innocent = [file.stem for file in files if file.stem.startswith("innocent")]
        targets = [target_in(file, number) for number, file in enumerate(files)]
        examples = {str(file): [Example("victim", "f32[]")] for file in files}
        config = Config(roots=plan.roots(map(str, files)), call_seconds=0.75, import_seconds=2.0)
        before = listing(project, outside)
        verification = Verification(config, sys.executable)
        for message in verification.execute(plan.jobs(targets, (), examples)):
            name = files[message.target].stem
            if isinstance(message, Miss):
                world.reasons.setdefault(name, []).append(message.reason)
            elif message.outcome == "shown":
                world.confirmed.setdefault(name, []).append(message)
        world.tree = before, listing(project, outside)
        world.notes = verification.notes
        world.connections = accepted(server)
        yield world


def written(project: Path, world: World) -> list[Path]:
    files = []

    def write(name: str, head: str, body: str) -> None:
        filled = {"outside": str(world.outside), "port": world.port}
        for key, value in filled.items():
            head = head.replace(f"{{{key}!r}}", repr(value)).replace(f"{{{key}}}", str(value))
            body = body.replace(f"{{{key}!r}}", repr(value)).replace(f"{{{key}}}", str(value))
        files.append(project / f"{name}.py")
        files[-1].write_text(head + VICTIM.replace("{body}", textwrap.dedent(body)))

    for number, (name, (code, _)) in enumerate(AT_IMPORT.items()):
        write(f"import_{name}", code, "")
        if number % 5 == 0:
            write(f"innocent_{number}", "", "")
    for name, (code, _) in IN_CALL.items():
        write(f"call_{name}", "", code)
    write("innocent_last", "", "")
    return files


def accepted(server: socket.socket) -> int:
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def assert_judged(world: World, name: str, reason: str) -> None:
    if reason:
        assert name not in world.confirmed
        assert any(world.filled(reason) in text for text in world.reasons[name]), world.reasons[
            name
        ]
    else:
        assert {it.source for it in world.confirmed[name]} == {"given"}, world.reasons.get(name)


@pytest.mark.parametrize("hazard", AT_IMPORT)
def test_harm_at_import(world: World, hazard: str) -> None:
    assert_judged(world, f"import_{hazard}", AT_IMPORT[hazard][1])


@pytest.mark.parametrize("hazard", IN_CALL)
def test_harm_in_a_call(world: World, hazard: str) -> None:
    assert_judged(world, f"call_{hazard}", IN_CALL[hazard][1])


def test_all_others_get_their_verdicts(world: World) -> None:
    assert len(world.innocent) > 5
    for name in world.innocent:
        assert [it.outcome for it in world.confirmed[name]] == ["shown"], world.reasons.get(name)
        assert name not in world.reasons


def test_nothing_is_told_twice(world: World) -> None:
    assert all(len(them) == 1 for them in world.confirmed.values())
    assert "forged" not in str(world.reasons)


def test_nothing_is_written_outside(world: World) -> None:
    before, after = world.tree
    assert before == after


def test_connections_are_made_and_noted_at_import_only(world: World) -> None:
    assert world.connections == 1
    assert any(re.search(r"import_socket.py opens a connection", note) for note in world.notes)
    assert any(re.search(r"import_subprocess.py starts a process", note) for note in world.notes)
    assert not any("call_" in note for note in world.notes)

"""A Dask cluster finds what one process finds: a scheduler and two workers, reached by TCP."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from deadly import ROOT, environment, installed, source, wait_for, wait_for_mark

from jaxlint.base.errors import ClusterError
from jaxlint.frontends.pools import dask_client as module
from jaxlint.frontends.pools.dask_client import Cluster
from jaxlint.frontends.pools.transfer import TransferredFiles, packed
from jaxlint.session.session import Session

PROJECTS = ROOT / "fixtures" / "projects"
TREES = ("import_cycles", "own_wrappers", "relative_imports", "src_layout")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@dataclass(frozen=True)
class Running:
    """A cluster; `address` is its scheduler's, and the rule leaves its marks in `marks`."""

    address: str
    python: str
    marks: Path

    def start(self, *arguments: str, at: Path) -> subprocess.Popen[str]:
        """The command with the cluster at its disposal."""
        return subprocess.Popen(
            [
                self.python,
                "-m",
                "jaxlint",
                "check",
                "--dask",
                self.address,
                "--output-format",
                "json",
                *arguments,
            ],
            cwd=at,
            env=environment(self.marks),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    place = tmp_path_factory.mktemp("cluster")
    marks, file = place / "marks", place / "scheduler.json"
    python = installed(place / "environment")
    marks.mkdir()
    options = {
        "dask_scheduler": ("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        "dask_worker": ("--nthreads", "1", "--memory-limit", "0", "--no-dashboard"),
    }
    known = {
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        "DASK_TEMPORARY_DIRECTORY": str(place),
    }
    processes = []
    with (place / "log").open("wb") as log:
        for kind in ("dask_scheduler", "dask_worker", "dask_worker"):
            command = [python, "-m", f"distributed.cli.{kind}", "--scheduler-file", file]
            processes.append(
                subprocess.Popen(
                    [*command, *options[kind]],
                    cwd=place,
                    env={**environment(marks), **known},
                    stdout=log,
                    stderr=log,
                    process_group=0,
                )
            )
    try:
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        yield Running(json.loads(file.read_text())["address"], python, marks)
    finally:
        for process in processes:
            # A nanny that is to end while it starts a worker may wait for it forever.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def rows(text: str) -> list[tuple[str, str, int]]:
    return [(row["filename"], row["code"], row["line"]) for row in json.loads(text)]


def test_the_findings_and_their_order_are_those_of_one_process(
    cluster: Running, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = cluster.start(*TREES, at=PROJECTS)
    monkeypatch.chdir(PROJECTS)
    expected = run("check", "-j", "1", "--output-format", "json", *TREES)
    out, err = running.communicate(timeout=900)
    assert (out, running.returncode, err) == (expected.stdout, expected.exit_code, "")
    assert rows(out)


def test_a_worker_that_is_killed_half_way_makes_no_difference(
    cluster: Running, tmp_path: Path
) -> None:
    names = sorted(["a", "b", "once_deadly", "once_endless", "z"])
    for name in names:
        (tmp_path / f"{name}.py").write_text(source(name))
    running = cluster.start(".", at=tmp_path)
    process, worker = wait_for_mark(cluster.marks, "once_endless")
    os.kill(worker, signal.SIGKILL)
    os.kill(process, signal.SIGKILL)
    out, err = running.communicate(timeout=900)
    assert rows(out) == [(f"{name}.py", "JAX301", 6) for name in names], err
    assert (running.returncode, err) == (1, "")


def test_a_file_that_ends_what_examines_it_costs_that_file_only(
    cluster: Running, tmp_path: Path
) -> None:
    names = sorted(["a", "always_deadly", "b", "deadly_for_the_parent", "z"])
    for name in names:
        (tmp_path / f"{name}.py").write_text(source(name))
    out, err = cluster.start(".", at=tmp_path).communicate(timeout=900)
    assert rows(out) == [
        (f"{name}.py", "JAX009", 1) if "deadly" in name else (f"{name}.py", "JAX301", 6)
        for name in names
    ], err
    here, there = (row["message"] for row in json.loads(out) if row["code"] == "JAX009")
    assert here == "the process that examined it was killed by signal 9 (Killed)"
    assert there.startswith("it ended every Dask worker it was given to (")
    assert err == ""


MODULE = """
from pathlib import Path

import jax

SCALE = float((Path(__file__).parent / "scale.txt").read_text())


@jax.jit
def relu(x):
    \"\"\"
    >>> relu(jax.numpy.float32(1.0))
    \"\"\"
    if x > 0:
        return SCALE * x
    return 0.0 * x
"""


@pytest.mark.jax
def test_findings_are_put_to_jax_where_the_workers_are(cluster: Running, tmp_path: Path) -> None:
    package = tmp_path / "project" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "scale.txt").write_text("2.0")
    (package / "good.py").write_text(MODULE)
    (package.parent / "pyproject.toml").write_text("")
    out, err = cluster.start("--verify", ".", at=package.parent).communicate(timeout=900)
    (row,) = json.loads(out)
    assert ("package/good.py", "confirmed") == (row["filename"], row["verdict"]["status"]), err
    assert f"on the workers of {cluster.address}, which imports package/good.py" in err


def test_workers_with_another_jaxlint_or_none_are_refused(
    cluster: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module.dask_tasks, "traits", lambda: (("jaxlint", "9.9"), *[("", "")] * 3))
        with pytest.raises(ClusterError, match=r"does not fit: jaxlint is [\d.]+ there and 9\.9"):
            Cluster(cluster.address).__enter__()
    monkeypatch.setattr(module, "_TRAITS", "__import__('jaxlint_which_is_nowhere')")
    with pytest.raises(ClusterError, match=r"has no jaxlint to work with: No module"):
        Cluster(cluster.address).__enter__()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:9", "Timed out trying to connect"),
        ("127.0.0.1", "missing port number"),
        ("carrier-pigeon://roof:1", "unknown address scheme"),
    ],
)
def test_a_scheduler_out_of_reach_is_one_clear_error(
    address: str, reason: str, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CONNECTING_SECONDS", 0.3)
    started = time.monotonic()
    result = run("check", "--dask", address, str(PROJECTS))
    assert (2, "") == (result.exit_code, result.stdout)
    (line,) = result.stderr.splitlines()
    begins = f"jaxlint: error: no Dask scheduler can be reached at {address!r}: "
    assert line.startswith(begins + reason)
    assert time.monotonic() < started + 20


def test_without_the_extra_there_is_a_hint(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("check", "--dask", "tcp://127.0.0.1:8786", str(PROJECTS))
    assert 2 == result.exit_code
    assert "pip install distributed" in result.stderr


def test_what_is_sent_needs_no_file_at_home(tmp_path: Path) -> None:
    tree = next(iter(sorted(path for path in PROJECTS.iterdir() if path.is_dir())))
    home = tmp_path / tree.name
    shutil.copytree(tree, home)
    (home / "pyproject.toml").write_text("[project]\nname = 'it'\n")
    paths = [str(path) for path in sorted(home.rglob("*.py"))]
    session = Session()
    session.ask(paths)
    wanted = sorted({file for path in paths for file in session.entries_for(path)})
    project = session.project(wanted[0])
    data = packed(session, project, wanted)
    expected = {file: replace(session.examine(file), noted=None) for file in wanted}
    shutil.rmtree(home)
    sent: Any = pickle.loads(data)
    assert expected == {file: replace(sent.examine(file), noted=None) for file in wanted}
    assert any(one.located for one in expected.values())


def test_shipped_files_are_found_where_they_were() -> None:
    files = TransferredFiles({"/p/a/x.py": b"x", "/p/a/b/y.py": "y", "/p/z.py": b""})
    assert [("a", "directory"), ("z.py", "file")] == [
        (entry.name, entry.kind) for entry in files.scan("/p")
    ]
    assert ("directory", "directory", "file", "missing") == tuple(
        map(files.kind, ("/p/a", "/p/a/b/", "/p/a/../a/x.py", "/p/a/y.py"))
    )
    assert (b"x", b"y", "y") == (
        files.read("/p/a/x.py"),
        files.read("/p/a/b/y.py"),
        files.source("/p/a/b/y.py"),
    )
    with pytest.raises(FileNotFoundError):
        files.read("/p/a")

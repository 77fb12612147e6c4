"""Several processes: they find what one finds, and one that dies takes nothing along."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from deadly import PATIENCE, environment, installed, source, wait_for, wait_for_mark
from hypothesis import given
from hypothesis import strategies as st

from jaxlint.frontends.pools import batching, process_pool
from jaxlint.frontends.pools.batching import Task, batches, tasks
from jaxlint.frontends.runs.check import Run
from jaxlint.frontends.runs.options import Options, standard_streams
from jaxlint.results.merge import Examined
from jaxlint.session.session import Session

Start = Callable[..., subprocess.Popen[str]]

START_ANEW = """
from jaxlint.frontends.pools import process_pool
from jaxlint.frontends.pools import batching
process_pool.can_fork = lambda: False
"""
MAIN = """
from jaxlint.frontends.cli import main
main()
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return installed(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def start(python: str, tmp_path: Path) -> Iterator[Start]:
    """Starts the command where the rule is installed, in a process group of its own."""

    running = []

    def starter(*arguments: str, program: str = MAIN) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [python, "-c", program, *arguments],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        running.append(process)
        return process

    yield starter
    for process in running:
        with process:
            process.kill()


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("program", [MAIN, START_ANEW + MAIN], ids=["copies", "new processes"])
def test_a_process_that_is_killed_costs_its_file_only(
    program: str, tmp_path: Path, start: Start
) -> None:
    names = ["a", "b", "always_deadly", "c", "once_deadly", "d", "e"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(source(name))
    running = start("check", "-j", "2", "--output-format", "json", ".", program=program)
    out, err = running.communicate(timeout=PATIENCE)
    assert 2 == running.returncode, err
    rows = [(row["filename"], row["code"], row["line"]) for row in json.loads(out)]
    assert rows == [
        (f"{name}.py", "JAX009" if name == "always_deadly" else "JAX301", line)
        for name in sorted(names)
        for line in [1 if name == "always_deadly" else 6]
    ]
    (crash,) = (row for row in json.loads(out) if row["code"] == "JAX009")
    assert crash["message"] == "the process that examined it was killed by signal 9 (Killed)"
    assert "Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("program", [MAIN, START_ANEW + MAIN], ids=["copies", "new processes"])
def test_an_interrupt_ends_all_processes_at_once(
    program: str, tmp_path: Path, start: Start
) -> None:
    for name in ("a", "endless"):
        (tmp_path / f"{name}.py").write_text(source(name))
    running = start("check", "-j", "2", "-q", ".", program=program)
    pid, _ = wait_for_mark(tmp_path, "endless")
    os.killpg(running.pid, signal.SIGINT)
    # The file alone would take as long as the rule sleeps, which is longer.
    _, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (130, "jaxlint: interrupted\n")
    wait_for(lambda: not is_running(pid))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_little_code_starts_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a process is started")

    monkeypatch.setattr("jaxlint.frontends.pools.process_pool.ProcessPool", refuse)
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(source(name))
    run = Run(Options((str(tmp_path),), jobs=0, quiet=True), standard_streams())
    assert (run.execute(), len(run.findings)) == (1, 2)


def test_where_no_process_can_be_had_there_is_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(process_pool, "can_fork", lambda: True)
    monkeypatch.setattr(process_pool, "forked", refuse)
    monkeypatch.setattr(process_pool, "started", refuse)
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(source(name))
    run = Run(Options((str(tmp_path),), jobs=2, quiet=True), standard_streams())
    assert (run.execute(), len(run.findings)) == (1, 2)


def test_what_is_known_is_not_examined_again(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.py") for name in ("a", "b", "c")]
    for path in paths:
        Path(path).write_text(source("x"))
    session = Session()
    session.ask(paths)
    session.adopt({session.files.identity(paths[1]): Examined()})
    work = [(session, path) for path in paths]
    wanted = [session.files.identity(path) for path in (paths[0], paths[2])]
    assert wanted == [task.file for task in tasks(work)]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux tells more")
@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 64), ("200000 100000", 2), ("150000 100000", 2), ("10 100000", 1), ("", 64)],
)
def test_a_container_uses_the_processors_that_it_is_given(
    quota: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    monkeypatch.setattr(batching, "_QUOTA", str(tmp_path / "cpu.max"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    assert expected == batching.processors()


def test_each_process_has_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "processors", lambda: 8)
    session, project = cast("Any", object()), cast("Any", object())

    def worth(*efforts: int) -> int:
        listed = [Task(session, project, str(at), one) for at, one in enumerate(efforts)]
        return batching.worth(listed, 100)

    assert [1, 1, 1, 2, 2, 8] == [
        worth(),
        worth(1_000),
        worth(100, 99),
        worth(100, 100),
        worth(900, 900),
        worth(*[100] * 20),
    ]


EFFORTS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(2_000, 10_000) | st.integers(0, 3_000_000)),
    max_size=60,
)


@given(EFFORTS, st.integers(2, 9))
def test_batches_are_neighbours_and_get_smaller(work: list[tuple[str, int]], workers: int) -> None:
    sessions = cast("dict[str, Any]", {"a": object(), "b": object()})
    listed = [
        Task(sessions[session], cast("Any", None), str(number), effort)
        for number, (session, effort) in enumerate(work)
    ]
    found = list(batches(listed, workers))
    assert Counter(listed) == Counter(task for batch in found for task in batch)
    total = sum(task.effort for task in listed)
    most = total // (4 * workers)
    left = total
    for batch in found:
        assert 1 == len({id(task.session) for task in batch})
        effort = sum(task.effort for task in batch)
        assert len(batch) == 1 or effort <= max(left // (4 * workers), 4_000)
        left -= effort
    # Large files come first; the others keep their order.
    order = [batch for batch in found if batch[0].effort <= most]
    assert found[len(found) - len(order) :] == order
    assert in_order([int(task.file) for batch in order for task in batch])
    assert in_order([-batch[0].effort for batch in found[: len(found) - len(order)]])


def in_order(numbers: Sequence[int]) -> bool:
    return all(first <= second for first, second in pairwise(numbers))

"""What is kept, when it counts, and what becomes of it when something is wrong with it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from edited import ALONE, APP, EDITS, FINE, HAZARD, cached, fresh, inside

from jaxlint.base import file_stats
from jaxlint.cache import folder
from jaxlint.cache.folder import Folder
from jaxlint.frontends.cli import main
from jaxlint.report.formats.table import FORMATS
from jaxlint.session.session import Session

ROOT = Path(__file__).parents[2]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    run = [sys.executable, "-m", "jaxlint", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(run, capture_output=True, text=True, check=False, env=environment)


def documents(cache: Path) -> list[Path]:
    return sorted((cache / "check").glob("*.json"))


def rewrite(path: Path, document: object) -> None:
    """Gives a document of the cache this content, and has the key vouch for it."""
    assert Folder(str(path.parents[1])).write(path.stem, document)


def test_the_cache_is_in_the_project_and_out_of_version_control(project: Path) -> None:
    with inside(project / "pkg"):
        assert CliRunner().invoke(main, ["check", "."]).exit_code in (0, 1)
    assert "*\n" == (project / ".jaxlint_cache" / ".gitignore").read_text()
    assert documents(project / ".jaxlint_cache")
    assert not (project / "pkg" / ".jaxlint_cache").exists()


def test_no_cache_leaves_no_trace(project: Path) -> None:
    CliRunner().invoke(main, ["check", "--no-cache"])
    assert not (project / ".jaxlint_cache").exists()


@pytest.mark.parametrize(
    "edit, expected",
    [
        ("touch helper", []),
        ("helper.py fine", ["app.py"]),
        ("pkg/deep/inner.py hazard", ["app.py"]),
        ("app longer", ["app.py"]),
        ("new entry", ["more.py"]),
        ("shadow tools", ["app.py"]),
        ("no such edit", []),
    ],
)
def test_an_edit_has_what_depends_on_it_traced_again(
    project: Path, examined: list[str], tmp_path: Path, edit: str, expected: list[str]
) -> None:
    cached(tmp_path / "cache", ())
    assert {"alone.py", "app.py"} <= set(examined)
    examined.clear()
    EDITS.get(edit, lambda root: None)(project)
    (project / "new.py").write_text("import os\n")
    outcome, was_known = cached(tmp_path / "cache", ())
    assert not was_known
    assert expected == examined
    assert fresh(()) == outcome


def test_a_run_that_is_known_traces_and_reads_nothing(
    project: Path, examined: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_stats, "_COARSE", 0)
    expected, _ = cached(tmp_path / "cache", ())
    examined.clear()
    monkeypatch.setattr("jaxlint.cache.runs._has_content", lambda *_: pytest.fail("read"))
    assert (expected, True) == cached(tmp_path / "cache", ())
    assert [] == examined


def test_a_file_that_was_just_written_is_compared_by_content(project: Path, tmp_path: Path) -> None:
    path = project / "helper.py"
    before = path.stat()
    cached(tmp_path / "cache", ())
    text = path.read_text()
    assert "x > 0" in text
    path.write_text(text.replace("x > 0", "9 > 0"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fresh(()) == cached(tmp_path / "cache", ())[0]


def test_every_format_is_said_again_as_it_was(project: Path, tmp_path: Path) -> None:
    for name in FORMATS:
        arguments = ("app.py", "gone.py", "--output-format", name)
        expected = fresh(arguments)
        assert (expected, False) == cached(tmp_path / "cache", arguments)
        assert expected[0] == 2
        assert (expected, False) == cached(tmp_path / "cache", arguments)
        arguments = ("app.py", "--output-format", name)
        expected = fresh(arguments)
        assert (expected, False) == cached(tmp_path / "cache", arguments)
        assert (expected, True) == cached(tmp_path / "cache", arguments)


def test_a_report_is_written_whatever_is_known(project: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ("--output-format", "json", "-o", str(report))
    expected = fresh(arguments[:2])[1]
    for _ in range(3):
        outcome, was_known = cached(tmp_path / "cache", arguments)
        assert (outcome[1], was_known) == ("", False)
        assert expected == report.read_text()
        report.unlink()


def test_where_gitlab_has_the_project_decides_what_is_printed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--output-format", "gitlab")
    before, _ = cached(tmp_path / "cache", arguments)
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    outcome, was_known = cached(tmp_path / "cache", arguments)
    assert (fresh(arguments), False) == (outcome, was_known)
    assert outcome != before


def test_a_crash_is_not_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("jaxlint.engine.queries.analyse.analyse", lambda *_: 1 / 0)
        outcome, _ = cached(tmp_path / "cache", ())
        assert "JAX009" in outcome[1]
    outcome, was_known = cached(tmp_path / "cache", ())
    assert not was_known
    assert fresh(()) == outcome


def test_workers_bring_what_is_kept(project: Path, examined: list[str], tmp_path: Path) -> None:
    outcome, _ = cached(tmp_path / "cache", ("-j", "2"))
    examined.clear()
    assert outcome == cached(tmp_path / "cache", ())[0]
    assert [] == examined


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "binary", "a directory"])
def test_what_is_damaged_is_not_there(project: Path, tmp_path: Path, damage: str) -> None:
    expected, _ = cached(tmp_path / "cache", ())
    for path in documents(tmp_path / "cache"):
        data = path.read_bytes()
        path.unlink()
        if damage == "a directory":
            path.mkdir()
            continue
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        texts = {"empty": b"", "cut": data[:middle], "flipped": flipped, "binary": b"\xff\0" * 99}
        path.write_bytes(texts[damage])
    assert (expected, False) == cached(tmp_path / "cache", ())


_STRANGE: tuple[object, ...] = (
    None, 7, "", "\0", [], {}, [[]], {"a": 1}, -(10**30), [["\0", 1, 2, 3, 4, 5]], True,
)  # fmt: skip


def _spoilt(document: object, depth: int = 0) -> Iterator[object]:
    """The document with each of its first parts replaced by something else."""
    if depth < 4 and isinstance(document, dict):
        for key in list(document)[:4] if depth else document:
            for part in _spoilt(document[key], depth + 1):
                yield {**document, key: part}
    elif depth < 4 and isinstance(document, list) and document:
        for part in _spoilt(document[0], depth + 1):
            yield [part, *document[1:]]
    if depth:
        yield from _STRANGE


def test_what_somebody_else_wrote_does_no_harm(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected, _ = cached(cache, ("alone.py",))
    for path in documents(cache):
        document = json.loads(path.read_bytes().partition(b"\n")[2])
        spoilt = list(_spoilt(document))
        assert len(spoilt) > 50
        for one in spoilt[:: max(1, len(spoilt) // 40)]:
            rewrite(path, one)
            outcome, was_known = cached(cache, ("alone.py",))
            assert outcome[0] in (0, 1)
            assert "Traceback" not in outcome[2]
            assert was_known or outcome == expected


@pytest.mark.parametrize("call", ["open", "os.replace", "os.makedirs"])
def test_a_disk_that_takes_nothing_is_no_error(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    expected = fresh(())
    if call == "open":
        monkeypatch.setattr(folder, "open", full, raising=False)
    else:
        monkeypatch.setattr(call, full)
    assert (expected, False) == cached(tmp_path / "cache", ())
    assert [] == documents(tmp_path / "cache")
    assert [] == list((tmp_path / "cache").rglob("*.json.*"))


def test_a_place_that_is_no_directory_is_no_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("mine")
    expected = fresh(())
    with inside(project):
        (project / ".jaxlint_cache").write_text("mine")
        result = CliRunner().invoke(main, ["check"])
    assert expected == (result.exit_code, result.stdout, result.stderr)
    assert "mine" == (project / ".jaxlint_cache").read_text()


def test_runs_at_the_same_time_do_not_disturb_each_other(project: Path) -> None:
    expected = fresh(("--output-format", "concise"))
    with ThreadPoolExecutor(2) as pool:
        line = ("check", "--output-format", "concise")
        for run in [pool.submit(command, *line) for _ in range(2)]:
            done = run.result()
            assert expected == (done.returncode, done.stdout, done.stderr)
    assert [] == list((project / ".jaxlint_cache").rglob("*.json.*"))


def test_what_was_written_longest_ago_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Folder(str(tmp_path))
    monkeypatch.setattr(folder, "MOST_DOCUMENTS", 3)
    for number in range(6):
        assert cache.write(f"run-{number}", {"number": number})
        os.utime(tmp_path / "check" / f"run-{number}.json", (number, number))
    assert ["run-3", "run-4", "run-5"] == sorted(name for name, _ in cache.documents())
    monkeypatch.setattr(folder, "MOST_BYTES", 150)
    assert cache.write("run-9", {"text": "x" * 100})
    assert ["run-9"] == [name for name, _ in cache.documents()]
    assert {"text": "x" * 100} == cache.read("run-9")


def test_clear_leaves_recordings_alone(project: Path) -> None:
    recordings = project / ".jaxlint_cache" / "recordings"
    recordings.mkdir(parents=True)
    (recordings / "one.json").write_text("{}")
    CliRunner().invoke(main, ["check"])
    shown = CliRunner().invoke(main, ["cache", "info"]).stdout
    assert f"directory: {project / '.jaxlint_cache'}\nruns: 1\nprojects: 1\n" in shown
    result = CliRunner().invoke(main, ["cache", "clear"])
    assert (0, "removed 2 files") == (result.exit_code, result.stdout.partition(",")[0])
    assert [] == documents(project / ".jaxlint_cache")
    assert (recordings / "one.json").exists()


def test_nothing_is_removed_that_is_somebody_elses(project: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    for name in ("thesis.json", "run-1.json"):
        (precious / name).write_text("mine")
    (project / ".jaxlint_cache").mkdir()
    (project / ".jaxlint_cache" / "check").symlink_to(precious)
    CliRunner().invoke(main, ["check"])
    CliRunner().invoke(main, ["cache", "clear"])
    assert ["run-1.json", "thesis.json"] == sorted(os.listdir(precious))
    CliRunner().invoke(main, ["cache", "clear", "--cache-dir", str(tmp_path)])
    (tmp_path / "check").mkdir()
    (tmp_path / "check" / "thesis.json").write_text("mine")
    assert (0, 0) == Folder(str(tmp_path)).clear()


def test_the_command_line_counts_as_it_is_given(project: Path, tmp_path: Path) -> None:
    for arguments in ((), ("--ignore", "JAX301"), ("app.py",)):
        assert not cached(tmp_path / "cache", arguments)[1]
    for arguments in ((), ("--ignore", "JAX301"), ("app.py",)):
        outcome, was_known = cached(tmp_path / "cache", arguments)
        assert was_known
        assert fresh(arguments) == outcome


def test_a_run_that_did_not_end_well_is_not_repeated(project: Path, tmp_path: Path) -> None:
    for arguments in (("no_such_file.py",), ("--explain-silence",), ("--select", "nonsense")):
        cached(tmp_path / "cache", arguments)
        assert not cached(tmp_path / "cache", arguments)[1]


WATCH = """
import sys
sys.argv = ["jaxlint", "check", "--output-format", "concise"]
from jaxlint.frontends.start import main
code = main()
assert code == 1, code
names = {"ast", "click", "dataclasses", "hashlib", "importlib.metadata", "inspect", "jax", "libcst"}
names |= {"pathspec", "typing", "jaxlint.session.session", "jaxlint.registry.registry"}
names |= {"jaxlint.frontends.cli"}
print(*sorted(names & set(sys.modules)), file=sys.stderr)
"""


def test_a_run_that_is_known_imports_next_to_nothing(project: Path) -> None:
    for path in [*project.rglob("*"), project]:
        os.utime(path, (1e9, 1e9))
    line = [sys.executable, "-c", WATCH]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    first = command("check", "--output-format", "concise")
    runs = [
        subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        for _ in range(3)
    ]
    assert {first.stdout} == {run.stdout for run in runs}
    # Files that were just written are compared by content, which takes one module more.
    assert runs[-1].stderr.splitlines()[-1] in ("", "hashlib"), runs[-1].stderr


def test_a_session_that_stays_sees_what_comes_of_what_has_changed(project: Path) -> None:
    session, path = Session(), str(project / "alone.py")
    for text, expected in (("import jax\n", 0), (ALONE, 1), ("import jax\n", 0)):
        (project / "alone.py").write_text(text)
        session.changed(path)
        assert expected == len(session.check(path).findings)


def test_a_helper_can_be_fixed(project: Path, tmp_path: Path) -> None:
    (project / "helper.py").write_text(HAZARD.format(name="scale"))
    assert "helper.py" in cached(tmp_path / "cache", ())[0][1]
    (project / "helper.py").write_text(FINE.format(name="scale"))
    assert "helper.py" not in cached(tmp_path / "cache", ())[0][1]
    assert APP == (project / "app.py").read_text()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied there")
def test_what_a_copy_of_a_process_was_told_is_not_taken_for_ones_own(project: Path) -> None:
    session = Session()
    universe = session.project(str(project / "app.py"))
    universe.find(str(project / "app.py"), "helper")
    first = universe.answers.take_new()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        universe.find(str(project / "app.py"), "tools")
        os.write(writing, pickle.dumps(universe.answers.take_new()))
        os._exit(0)
    os.waitpid(child, 0)
    second = pickle.loads(os.read(reading, 10_000))
    assert [(0, "helper"), (0, "tools")] == [
        (batch.number, question.name) for batch in (first, second) for question, _ in batch.asked
    ]
    copied = pickle.loads(pickle.dumps(universe.answers)).take_new()
    assert 3 == len({first.origin, second.origin, copied.origin})


def test_the_environment_may_say_where_the_cache_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JAXLINT_CACHE_DIR", raising=False)
    assert str(tmp_path / ".jaxlint_cache") == folder.default_directory()
    monkeypatch.setenv("JAXLINT_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert str(tmp_path / "elsewhere") == folder.default_directory()

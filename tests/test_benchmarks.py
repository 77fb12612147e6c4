"""The benchmark runs, and measures what it says; how long anything takes is not tested here."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"

HAZARD = """
import jax

@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "hazard.py").write_text(HAZARD)
    (tmp_path / "larger.py").write_text("import jax\n" + "x = jax.numpy.ones(3) + 1\n" * 200)
    return tmp_path


def test_the_benchmark_prints_a_table_of_time_and_one_of_memory(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cold = load("cold")
    monkeypatch.setattr(cold, "COPIES", (1, 2))
    cold.main(["--repeats", "1", str(corpus)])
    printed = capsys.readouterr().out.splitlines()
    first = [line.split("  ")[0] for line in printed]
    wanted = ["CPU time", "libcst.parse_module", "jaxlint check", "peak memory", "larger.py"]
    assert wanted == [name for name in first if name in wanted]
    assert f"{corpus.name}: 2 files, 209 lines" == printed[0]


def test_every_phase_of_a_check_that_finds_something_is_measured(corpus: Path) -> None:
    measured = load("cold").cost([BENCHMARKS / "child.py", "phases", corpus / "hazard.py"])
    seconds = json.loads(measured.output)
    instant = {"collect", "discover"}
    assert [] == [name for name, taken in seconds.items() if taken <= 0 and name not in instant]


def test_the_parser_reads_every_file_that_is_listed(corpus: Path) -> None:
    listed = "\n".join(str(path) for path in sorted(corpus.glob("*.py")))
    measured = load("cold").cost([BENCHMARKS / "child.py", "parse"], listed)
    assert 2 == json.loads(measured.output)["files"]


def test_a_path_without_python_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no Python files"):
        load("cold").main([str(tmp_path)])


def test_an_inner_phase_does_not_count_for_the_one_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    child = load("child")
    clock = iter([0.0, 1.0, 4.0, 6.0])
    monkeypatch.setattr(child.time, "process_time", lambda: next(clock))
    phases = child.Phases("outer", "inner")
    with phases.during("outer"), phases.during("inner"):
        pass
    assert {"outer": 3.0, "inner": 3.0} == phases.seconds


def test_the_copies_hold_the_same_files_each_time(corpus: Path, tmp_path: Path) -> None:
    cold = load("cold")
    files = sorted(str(path) for path in corpus.glob("*.py"))
    counts = [cold.copy(files, files[-1], tmp_path / f"x{n}", n) for n in (1, 3)]
    assert [2, 6] == counts
    assert 6 == len(list((tmp_path / "x3").rglob("*.py")))

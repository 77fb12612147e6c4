"""Modules are loaded the way their own imports expect."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.child.process import load as loading
from jaxlint.verify.child.process.load import LoadError, load, locate
from jaxlint.verify.protocol import Target


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    path, modules = sys.path[:], set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith(("jax", "numpy")):
            del sys.modules[name]
    loading._roots.clear()


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("file", "name", "paths"),
    [
        ("alone.py", "alone", ["."]),
        ("pkg/__init__.py", "pkg", ["."]),
        ("pkg/sub/mod.py", "pkg.sub.mod", ["."]),
        ("src/inner/mod.py", "inner.mod", ["src", "."]),
        ("not-a-name.py", "", ["."]),
    ],
)
def test_locate(tmp_path: Path, file: str, name: str, paths: list[str]) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/mod.py": ""})
    write(tmp_path, {"src/inner/__init__.py": "", "src/inner/mod.py": "", "alone.py": ""})
    expected = [str((tmp_path / path).resolve()) for path in paths]
    assert (name, expected) == locate(str(tmp_path.resolve() / file))


def test_relative_imports_work_and_modules_run_once(tmp_path: Path) -> None:
    files = {
        "load_a/__init__.py": "",
        "load_a/one.py": "from .two import VALUE\nfrom . import two\ntwo.runs.append('one')\n",
        "load_a/two.py": "VALUE = 5\nruns = []\n",
    }
    write(tmp_path, files)
    first, again = (load(str(tmp_path / "load_a/one.py")) for _ in range(2))
    assert first is again
    assert ("load_a.one", 5, ["one"]) == (first.__name__, first.VALUE, first.two.runs)


def test_a_module_that_needs_its_package_first(tmp_path: Path) -> None:
    files = {
        "load_b/__init__.py": "from . import start\nfrom . import part\nREADY = 1\n",
        "load_b/start.py": "",
        "load_b/part.py": "import load_b\nassert load_b.start\nVALUE = 3\n",
    }
    assert 3 == load(str(write(tmp_path, files) / "load_b/part.py")).VALUE


def test_a_broken_package_does_not_cost_a_sound_module(tmp_path: Path) -> None:
    files = {
        "load_c/__init__.py": "import not_there_at_all\n",
        "load_c/sound.py": "VALUE = 4\n",
        "load_c/torn.py": "from .sound import VALUE\n",
    }
    write(tmp_path, files)
    assert 4 == load(str(tmp_path / "load_c/sound.py")).VALUE
    with pytest.raises(LoadError) as caught:
        load(str(tmp_path / "load_c/torn.py"))
    assert "import failed: No module named 'not_there_at_all'" == str(caught.value)


def test_files_that_cannot_be_named_are_loaded_by_path(tmp_path: Path) -> None:
    write(tmp_path, {"my-script.py": "import beside\nN = beside.N\nM = __name__\n"})
    write(tmp_path, {"beside.py": "N = 8\n"})
    module = load(str(tmp_path / "my-script.py"))
    assert 8 == module.N
    assert "__main__" != module.M
    assert module is load(str(tmp_path / "my-script.py"))


def test_folders_without_init_are_tried_as_the_path_names_them(tmp_path: Path) -> None:
    write(tmp_path, {"load_n/deep/mod.py": "from ..other import N\n", "load_n/other.py": "N = 6\n"})
    sys.path.insert(0, str(tmp_path))
    assert "load_n.deep.mod" == load(str(tmp_path / "load_n/deep/mod.py")).__name__


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import not_there_at_all\n", "No module named 'not_there_at_all'"),
        ("raise SystemExit(3)\n", "the module exits with 3"),
        ("raise ValueError('bad\\n value')\n", "ValueError: bad value"),
        ("class Skip(BaseException): pass\nraise Skip\n", "Skip"),
        ("x = (\n", "SyntaxError: "),
        ("assert False\n", "AssertionError"),
        ("print(1, file=None", "SyntaxError: "),
    ],
)
def test_whatever_a_module_raises_is_a_reason(tmp_path: Path, source: str, reason: str) -> None:
    file = write(tmp_path, {"load_fails.py": source}) / "load_fails.py"
    with pytest.raises(LoadError) as caught:
        load(str(file))
    assert str(caught.value).startswith(f"import failed: {reason}")


@pytest.mark.parametrize("statement", ["raise ValueError", "import not_there_at_all"])
def test_a_failing_module_runs_once(tmp_path: Path, statement: str) -> None:
    log = tmp_path / "log"
    source = f"with open({str(log)!r}, 'a') as log: log.write('x')\n{{}}\n"
    source = source.format(statement)
    file = write(tmp_path, {"load_once.py": source}) / "load_once.py"
    with pytest.raises(LoadError):
        load(str(file))
    assert "x" == log.read_text()


def test_interrupts_and_time_outs_go_through(tmp_path: Path) -> None:
    source = "class Late(BaseException): pass\nLate.__module__ = 'jaxlint.x'\nraise {}\n"
    for number, name in enumerate(("Late", "KeyboardInterrupt")):
        file = write(tmp_path, {f"load_late{number}.py": source.format(name)})
        with pytest.raises(BaseException) as caught:
            load(str(file / f"load_late{number}.py"))
        assert name == type(caught.value).__name__


def test_two_folders_may_use_one_name(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        files = {"load_same.py": "from load_near import N\n", "load_near.py": f"N = {folder!r}\n"}
        write(tmp_path / folder, files)
    assert "first" == load(str(tmp_path / "first/load_same.py")).N
    assert "second" == load(str(tmp_path / "second/load_same.py")).N
    assert "first" == load(str(tmp_path / "first/load_same.py")).N


def test_a_module_that_was_imported_is_not_run_again(tmp_path: Path) -> None:
    write(tmp_path, {"load_ns/mod.py": "runs = []\n"})
    sys.path.insert(0, str(tmp_path))
    assert importlib.import_module("load_ns.mod") is load(str(tmp_path / "load_ns/mod.py"))


def test_modules_of_others_are_never_forgotten(tmp_path: Path) -> None:
    write(tmp_path / "first", {"load_x.py": ""})
    write(tmp_path / "second", {"json.py": "", "load_y.py": ""})
    json = importlib.import_module("json")
    load(str(tmp_path / "first/load_x.py"))
    load(str(tmp_path / "second/load_y.py"))
    assert sys.modules["json"] is json


def target(file: Path, line: int, start: int, end: int) -> Target:
    return Target(1, str(file), line, start, line, end, "JAX001", "raises")


@pytest.mark.parametrize("name", ["load_probed.py", "load-probed.py"])
def test_loaded_files_are_watched(tmp_path: Path, name: str) -> None:
    file = write(tmp_path, {name: "VALUE = 1 + 1\n"}) / name
    probes = Probes([target(file, 1, 8, 13)])
    probes.install()
    try:
        assert 2 == load(str(file)).VALUE
    finally:
        probes.remove()
    assert 1 == probes.seen[1].reached

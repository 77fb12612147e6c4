"""Nothing of a project leads jaxlint out of it, keeps it waiting or fills its memory."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jaxlint.base.file_stats import project_around
from jaxlint.base.reading import LARGEST, LARGEST_DECIDING, read_file
from jaxlint.frontends.cli import main
from jaxlint.verify import store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes and devices")

HAZARD = "import jax\nimport {name}\n\n@jax.jit\ndef f(x):\n    return {name}.g(int(x))\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "a.py").write_text(HAZARD.format(name="strange"))
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ELSEWHERE", str(tmp_path / "elsewhere"))
    return root


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(before)


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 42)


def circle(path: Path) -> None:
    path.symlink_to(path)


STRANGE: dict[str, Callable[[Path], None]] = {
    one.__name__: one for one in (pipe, endless, listening, huge, circle)
}
PLACES = (
    *("strange.py", "b.ipynb", "c.md", "pyproject.toml", "jaxlint.toml", ".jaxlint.toml"),
    *(".gitignore", "sub/.gitignore", "requirements.txt", "setup.cfg", "setup.py", "conftest.py"),
    *("strange/__init__.py", ".git/info/exclude", "strange.pyi"),
)


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("place", PLACES)
def test_no_file_of_the_project_is_waited_for(project: Path, kind: str, place: str) -> None:
    path = project / place
    path.parent.mkdir(parents=True, exist_ok=True)
    STRANGE[kind](path)
    (project / "sub").mkdir(exist_ok=True)
    (project / "sub" / "b.py").write_text("import a\n")
    for arguments in (("--markdown", "--output-format", "concise"), ("--no-cache",)):
        result = check(*arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        is_settings = place.endswith(".toml")
        assert result.exit_code in ((1, 2) if kind in ("huge", "circle") else (1,))
        if not (is_settings and result.exit_code == 2):
            assert "JAX310" in result.stdout


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_file_that_is_named_is_refused(project: Path, kind: str) -> None:
    STRANGE[kind](project / "b.py")
    result = check("--no-cache", "b.py")
    assert result.exit_code == 2
    assert result.stderr.startswith("jaxlint: error: b.py: ")
    assert result.stderr.count("error") == 1
    for arguments in (["why", "b.py:1"], ["graph", "b.py"], ["config", "b.py"]):
        assert CliRunner().invoke(main, arguments).exit_code in (0, 2)


def test_a_linked_file_is_read_wherever_it_is(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(HAZARD.format(name="math"))
    (project / "a.py").unlink()
    (project / "linked.py").symlink_to(tmp_path / "other.py")
    assert "linked.py:6:" in check("--no-cache", "--output-format", "concise").stdout


def test_files_are_read_to_their_end_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for size in (0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000):
        path.write_bytes(b"x" * size)
        assert len(read_file(str(path))) == size
    with pytest.raises(OSError, match="larger than 2 MB"):
        read_file(str(path), 2_000_000)
    assert LARGEST_DECIDING < LARGEST
    # A file of the system that has no size.
    assert read_file("/proc/self/status")


OUTSIDE = (
    "../elsewhere/x",
    "{tmp}/elsewhere/x",
    "~/x",
    "/dev/zero",
    "/dev/stdin",
    "inside/../../elsewhere/x",
    "link/x",
    "through",
)


@pytest.mark.parametrize("value", OUTSIDE)
@pytest.mark.parametrize("key", ["cache-dir", "baseline", "extend"])
def test_no_setting_leads_out_of_the_project(
    project: Path, tmp_path: Path, key: str, value: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "home").mkdir()
    for directory in (elsewhere, tmp_path / "home"):
        (directory / "x").write_text("select = []\n")
    (project / "link").symlink_to(elsewhere)
    (project / "through").symlink_to(elsewhere / "x")
    value = value.format(tmp=tmp_path)
    (project / "jaxlint.toml").write_text(f"\n{key} = {json.dumps(value)}\n")
    result = check()
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("jaxlint: error: ")
    assert f"jaxlint.toml:2: {key}: {value!r} leads out of the project, {project}" in line
    assert sorted(one.name for one in elsewhere.iterdir()) == ["x"]
    assert not (project / ".jaxlint_cache").exists()
    for command in (["config"], ["cache", "info"], ["graph"], ["why", "a.py:6"]):
        again = CliRunner().invoke(main, command)
        if key == "extend" or command[0] in ("cache", "graph", "why"):
            assert again.exit_code == 2


def test_what_the_user_says_may_lead_anywhere(project: Path, tmp_path: Path) -> None:
    cache, baseline = str(tmp_path / "cache"), str(tmp_path / "baseline.json")
    assert check("--write-baseline", baseline).exit_code == 0
    assert check("--cache-dir", cache, "--baseline", baseline).exit_code == 0
    assert check("--config", f"cache-dir = '{cache}'").exit_code == 1
    assert check("--config", f"baseline = '{baseline}'").exit_code == 0
    assert not (project / ".jaxlint_cache").exists() or os.path.isdir(cache)
    outside = tmp_path / "settings.toml"
    outside.write_text("ignore = ['JAX310']\nextend = 'more.toml'\n")
    (tmp_path / "more.toml").write_text("cache-dir = 'cache'\n")
    assert check("--config", str(outside)).exit_code == 0


def test_files_of_one_repository_extend_each_other(project: Path) -> None:
    inner = project / "packages" / "one"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text("[tool.jaxlint]\nextend = '../../shared.toml'\n")
    (project / "shared.toml").write_text("ignore = ['JAX310']\n")
    (project / "a.py").rename(inner / "a.py")
    assert check().exit_code == 0


def test_a_project_begins_where_its_version_control_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    inner = tmp_path / "repository" / "packages" / "one" / "src"
    inner.mkdir(parents=True)
    assert project_around(str(inner)) == str(inner)
    (tmp_path / "pyproject.toml").write_text("")
    assert project_around(str(inner)) == str(inner)
    (inner.parent / "setup.cfg").write_text("")
    assert project_around(str(inner)) == str(inner.parent)
    (tmp_path / "repository" / "pyproject.toml").write_text("")
    assert project_around(str(inner / "a.py")) == str(tmp_path / "repository")
    (inner.parent / ".git").write_text("gitdir: elsewhere\n")
    assert project_around(str(inner)) == str(inner.parent)


@pytest.mark.parametrize("kind", [*STRANGE, "deep", "of a device"])
def test_a_strange_recording_is_left_out(project: Path, kind: str) -> None:
    folder = project / ".jaxlint_cache" / "recordings"
    folder.mkdir(parents=True)
    path = folder / "one.json"
    if kind == "deep":
        path.write_text("[" * 200_000)
    elif kind == "of a device":
        document = {"format": store.FORMAT, "files": {"../../../../../../../dev/zero": "0"}}
        path.write_text(json.dumps({**document, "recorded": [], "seen": [], "defects": []}))
    else:
        STRANGE[kind](path)
    found = store.read(str(folder))
    assert found.recorded == []
    assert len(found.warnings) == (kind != "of a device") or kind in ("pipe", "listening")

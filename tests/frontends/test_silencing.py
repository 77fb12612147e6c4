"""The options that silence what is found: comments in files, and files of known findings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
CODE = "import jax\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0 * x\n"
TEXT = CODE.replace("x > 0:", "x > 0:  # \u00fc")
CHECK = ("check", "--output-format", "concise")


@pytest.fixture
def project(here: Path) -> Path:
    (here / "pyproject.toml").touch()
    (here / "a.py").write_text(CODE)
    (here / "pkg").mkdir()
    (here / "pkg" / "b.py").write_text(CODE)
    return here


@pytest.mark.parametrize("option", ["--add-noqa", "--add-ignore", "--add-noqa=old code"])
def test_comments_are_added_once_and_then_nothing_is_found(
    project: Path, run: Run, option: str
) -> None:
    first = run(*CHECK, option, "a.py", "pkg")
    assert (0, "") == (first.exit_code, first.stdout)
    assert "jaxlint: added 2 comments in 2 files\n" == first.stderr
    written = (project / "a.py").read_text()
    assert written == (project / "pkg" / "b.py").read_text() != CODE
    assert ("old code\n" in written) == ("=" in option)
    assert "jaxlint: added 0 comments in 0 files\n" == run(*CHECK, option).stderr
    assert written == (project / "a.py").read_text()
    assert 0 == run(*CHECK).exit_code


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8-sig"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        b"# coding: latin-1\n" + TEXT.encode("latin-1"),
        b"# coding: cp1252\r\n" + TEXT.replace("\n", "\r\n").encode("cp1252"),
        TEXT.rstrip("\n").encode(),
    ],
)
def test_bytes_that_are_no_comments_stay(project: Path, run: Run, data: bytes) -> None:
    path = project / "a.py"
    path.write_bytes(data)
    os.chmod(path, 0o754)
    assert 0 == run(*CHECK, "--add-noqa", "a.py").exit_code
    after = path.read_bytes()
    assert data == after.replace(b"  # noqa: JAX301", b"") != after
    assert 0o754 == path.stat().st_mode & 0o777
    assert ["a.py", "pkg", "pyproject.toml"] == sorted(
        one.name for one in project.iterdir() if not one.name.startswith(".jaxlint")
    )


def test_a_link_stays_a_link(project: Path, run: Run) -> None:
    (project / "pkg" / "b.py").unlink()
    (project / "pkg" / "b.py").symlink_to(project / "a.py")
    assert 0 == run(*CHECK, "--add-noqa", "pkg/b.py").exit_code
    assert (project / "pkg" / "b.py").is_symlink()
    assert "# noqa: JAX301" in (project / "a.py").read_text()


def test_a_file_that_cannot_be_written_is_said_and_the_others_are(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def replace(source: str, target: str) -> None:
        if target.endswith("a.py"):
            raise PermissionError(13, "Permission denied", target)
        real(source, target)

    monkeypatch.setattr("jaxlint.project.file_systems.writing.os.replace", replace)
    result = run(*CHECK, "--no-cache", "--add-noqa")
    assert 2 == result.exit_code
    assert "jaxlint: error: a.py: permission denied\n" in result.stderr.lower()
    assert "jaxlint: added 1 comment in 1 file\n" in result.stderr
    assert CODE == (project / "a.py").read_text()
    assert ["a.py", "pkg", "pyproject.toml"] == sorted(os.listdir())


def test_what_is_wrong_with_a_file_or_a_comment_gets_no_comment(project: Path, run: Run) -> None:
    (project / "a.py").write_text("import jax\ndef\n")
    (project / "pkg" / "b.py").write_text("import jax\ny = 1  # jaxlint: ignore\n")
    options = ("--add-noqa", "--extend-select", "JAX003")
    assert "jaxlint: added 0 comments in 0 files\n" == run(*CHECK, *options).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add-noqa", "--add-ignore"], "--add-noqa and --add-ignore cannot be combined"),
        (["--add-noqa", "--write-baseline", "b"], "--write-baseline and --add-noqa cannot be"),
        (["--add-noqa", "-"], "--add-noqa cannot change standard input"),
        (["--add-noqa=E501"], "the reason 'E501' would be read as a part of the list"),
        (["--add-ignore=a # b"], "a reason is one line without `#`, which 'a # b' is not"),
        (["--baseline", "no.json"], "no.json: no such file or directory"),
        (["--baseline", "pyproject.toml"], "pyproject.toml: not a baseline of jaxlint"),
        (["--write-baseline", "no/b.json"], "b.json: no such file or directory"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    project: Path, run: Run, arguments: list[str], message: str
) -> None:
    result = run("check", "--no-cache", *arguments)
    assert 2 == result.exit_code
    assert message in result.stderr
    assert CODE == (project / "a.py").read_text()
    if "cannot be" not in message and "standard" not in message:
        assert 1 == result.stderr.count("\n")


def test_a_baseline_hides_what_is_known_until_it_is_gone(project: Path, run: Run) -> None:
    written = run(*CHECK, "--write-baseline", "known.json")
    assert (0, "") == (written.exit_code, written.stdout)
    assert "jaxlint: wrote 2 findings to known.json\n" == written.stderr
    (project / "a.py").write_text("import os\n\n" + CODE)
    known = run(*CHECK, "--baseline", "known.json")
    assert (0, "") == (known.exit_code, known.stdout)
    expected = "No findings in 2 files.\n2 findings of the baseline not reported.\n"
    assert expected == known.stderr
    (project / "a.py").write_text(CODE.replace("x > 0", "x > 1"))
    result = run(*CHECK, "--baseline", "known.json")
    assert 1 == result.exit_code
    assert ["a.py:5:8: JAX301"] == [line[:16] for line in result.stdout.splitlines()]
    stale = "1 finding of the baseline found no more: write it anew.\n"
    assert f"1 finding of the baseline not reported.\n{stale}" in result.stderr
    assert "no more" not in run(*CHECK, "--baseline", "known.json", "pkg").stderr
    assert "no more" not in run(*CHECK, "--baseline", "known.json", "--select", "JAX5").stderr
    (project / "pkg" / "b.py").unlink()
    assert "2 findings of the baseline found" in run(*CHECK, "--baseline", "known.json").stderr
    assert 0 == run(*CHECK, "--write-baseline", "known.json").exit_code
    assert ["a.py"] == list(json.loads((project / "known.json").read_text())["findings"])


def test_settings_name_a_baseline_for_the_command_flake8_and_the_writer(
    project: Path, run: Run
) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxlint]\nbaseline = "known.json"\n')
    assert "known.json: no such file" in run(*CHECK).stderr
    assert 0 == run(*CHECK, "--write-baseline", "known.json").exit_code
    for again in range(2):
        result = run(*CHECK, "pkg", "a.py")
        assert (0, again) == (result.exit_code, again), result.stderr
    # What is written does not depend on what was known.
    assert "wrote 2 findings" in run(*CHECK, "--write-baseline", "known.json").stderr
    (project / "a.py").write_text(CODE.replace("x > 0", "x > 1"))
    command = [sys.executable, "-m", "flake8", "--select", "JAX3", "--isolated", "a.py", "pkg"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert ["a.py:5:8:"] == [line.split()[0] for line in shown.splitlines()]
    (project / "known.json").write_text("{}")
    broken = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "not a baseline of jaxlint" in broken.stderr + broken.stdout
    assert "Traceback" not in broken.stderr + broken.stdout


def test_known_findings_are_left_out_of_every_format(project: Path, run: Run) -> None:
    run(*CHECK, "--write-baseline", "known.json")
    assert "[]\n" == run("check", "--output-format", "json", "--baseline", "known.json").stdout
    assert "" == run("check", "--statistics", "--baseline", "known.json").stdout

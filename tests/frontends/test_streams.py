"""Standard streams that are closed, full or gone, and a current directory that is: one line says
so, the exit code is 2, and nobody sees a traceback."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="redirects as a shell does")

BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"
PRINTING = [
    "check --no-cache a.py",
    "check --no-cache --output-format json a.py",
    "check --no-cache --output-format html a.py",
    "check --no-cache --statistics a.py",
    "check --no-cache --unsafe-fixes --diff a.py",
    "graph a.py",
    "why a.py:6",
    "rule JAX301",
    "config",
    "--help",
    "--version",
]
ENTRY = "from jaxlint.frontends.start import main; raise SystemExit(main())"


def shell(directory: Path, arguments: str, redirections: str) -> subprocess.CompletedProcess[str]:
    command = shlex.join([sys.executable, "-c", ENTRY, *shlex.split(arguments)])
    return subprocess.run(
        f"{command} {redirections}",
        cwd=directory,
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("checked")
    (directory / "a.py").write_text(BAD)
    return directory


@pytest.mark.parametrize("arguments", PRINTING)
@pytest.mark.parametrize(
    ("redirection", "why"),
    [(">&-", "bad file descriptor"), ("> /dev/full", "no space left on device")],
    ids=["closed", "full"],
)
def test_output_that_cannot_be_written_is_one_line(
    here: Path, arguments: str, redirection: str, why: str
) -> None:
    if "full" in redirection and not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    done = shell(here, arguments, redirection)
    expected = (2, f"jaxlint: error: cannot write to standard output: {why}")
    assert expected == (done.returncode, done.stderr.splitlines()[-1])
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full"], ids=["closed", "full"])
def test_findings_do_not_need_standard_error(here: Path, redirection: str) -> None:
    done = shell(here, "check --no-cache --output-format concise a.py", redirection)
    assert (1, "a.py:6:8: JAX301") == (done.returncode, done.stdout[:16])


@pytest.mark.parametrize("redirections", [">&- 2>&-", "> /dev/full 2> /dev/full"])
def test_the_exit_code_tells_where_nothing_can_be_written(here: Path, redirections: str) -> None:
    assert 2 == shell(here, "check --no-cache a.py", redirections).returncode


def test_a_report_in_a_file_needs_no_standard_output(here: Path) -> None:
    done = shell(here, "check --no-cache -q -o report.txt a.py", ">&-")
    assert (1, "") == (done.returncode, done.stderr)
    assert "JAX301" in (here / "report.txt").read_text()


def test_a_reader_that_leaves_is_no_news(here: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENTRY, "check", "--no-cache", "a.py"],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
    assert (2, "") == (running.returncode, said)


@pytest.mark.parametrize("arguments", ["check --no-cache -", "check --no-cache --fix -"])
def test_standard_input_that_is_closed_is_a_file_that_cannot_be_read(
    here: Path, arguments: str
) -> None:
    done = shell(here, arguments, "<&-")
    assert 2 == done.returncode
    assert "jaxlint: error: standard input: bad file descriptor" in done.stderr.splitlines()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    ["check", "check --no-cache", "check --fix", "check --watch", "graph", "config", "verify x.py"],
)
def test_a_current_directory_that_was_deleted_is_one_line(tmp_path: Path, arguments: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["import os, shutil, sys", f"shutil.rmtree({str(gone)!r})"]
    words += [f"sys.argv = ['jaxlint', *{shlex.split(arguments)!r}]", ENTRY]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(words)],
        cwd=gone,
        capture_output=True,
        text=True,
        check=False,
    )
    expected = "jaxlint: error: the current directory does not exist any more\n"
    assert (2, expected) == (done.returncode, done.stderr)


def test_an_unexpected_error_is_one_line(here: Path) -> None:
    broken = "import jaxlint.frontends.cli as cli\ncli.main = lambda: [][0]\n"
    done = subprocess.run(
        [sys.executable, "-c", broken + ENTRY, "rules"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 2 == done.returncode
    (line,) = done.stderr.splitlines()
    assert line.startswith("jaxlint: error: internal error, please report it: IndexError: ")


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """With descriptor 1 free, the next file to be opened would have it, and be written to."""
    shutil.rmtree(tmp_path / ".jaxlint_cache", ignore_errors=True)
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "pyproject.toml").write_text("")
    shell(tmp_path, "check a.py", ">&- 2>&- <&-")
    assert BAD == (tmp_path / "a.py").read_text()
    written = [path for path in (tmp_path / ".jaxlint_cache").rglob("*") if path.is_file()]
    assert not [path for path in written if b"JAX301 branch" in path.read_bytes()[:200]]

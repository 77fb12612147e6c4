"""Pages and lists of rules, and what the command imports and survives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import jaxlint
from jaxlint.registry.pages import page
from jaxlint.session.session import load_registry

Command = Callable[..., Result]


@pytest.mark.parametrize("command", ["explain", "rule"])
@pytest.mark.parametrize("word", ["JAX301", "branch-on-traced"])
def test_explain_prints_the_page(run: Command, command: str, word: str) -> None:
    result = run(command, word)
    assert result.exit_code == 0
    title, status, blank, rest = result.stdout.split("\n", 3)
    assert title == "JAX301 branch-on-traced"
    assert status == "severity error, on by default, unsafe fix, since 0.1"
    assert blank == ""
    assert rest == page(load_registry().find("JAX301"))


def test_explain_knows_our_own_codes(run: Command) -> None:
    assert "JAX009 internal-error\n" in run("explain", "internal-error").stdout


def test_explain_suggests_for_an_unknown_rule(run: Command) -> None:
    result = run("explain", "branch-on-trace")
    assert result.exit_code == 2
    assert "did you mean 'branch-on-traced'?" in result.stderr


def test_rules_are_listed_as_text_and_json(run: Command) -> None:
    codes = [entry.code for entry in load_registry().entries]
    header, *lines = run("rules").stdout.splitlines()
    assert header.split() == ["code", "name", "severity", "default", "summary"]
    assert codes == [line.split()[0] for line in lines]
    rows = json.loads(run("rules", "--output-format", "json").stdout)
    assert codes == [row["code"] for row in rows]
    assert list(rows[0]) == ["code", "name", "severity", "default", "fix", "since", "summary"]


WATCH = """
import sys
from jaxlint.frontends.cli import main
try:
    main({arguments!r})
except SystemExit as stop:
    assert not stop.code, stop.code
heavy = {{"jax", "jaxlint.rule", "libcst", "numpy", "pathspec"}}
print(*sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments, loaded",
    [
        (["--version"], ""),
        (["--help"], ""),
        (["check", "--help"], ""),
        (["rules"], "jaxlint.rule"),
        (["check", "plain.py"], ""),
    ],
    ids=str,
)
def test_nothing_is_imported_before_it_is_needed(
    here: Path, arguments: list[str], loaded: str
) -> None:
    (here / "plain.py").write_text("x = 1\n")
    outcome = subprocess.run(
        [sys.executable, "-OO", "-c", WATCH.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert outcome.stderr.splitlines()[-1].split() == loaded.split()


def test_the_version_is_that_of_the_package(run: Command) -> None:
    assert run("--version").stdout == f"jaxlint, version {jaxlint.__version__}\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_a_reader_that_goes_away_is_no_traceback(here: Path) -> None:
    for number in range(400):
        (here / f"broken_{number:03}.py").write_text("import jax\ndef f(:\n")
    command = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "check", "--output-format", "concise"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert command.stdout is not None and command.stderr is not None
    command.stdout.readline()
    command.stdout.close()
    complaints = command.stderr.read()
    command.stderr.close()
    assert command.wait() == 2
    assert complaints == b""


def test_help_and_pages_survive_python_without_docstrings(here: Path) -> None:
    command = [sys.executable, "-OO", "-m", "jaxlint"]
    shown = subprocess.run([*command, "check", "--help"], capture_output=True, text=True).stdout
    assert "Check files and directories" in shown
    shown = subprocess.run([*command, "explain", "JAX301"], capture_output=True, text=True).stdout
    assert "## Example" in shown

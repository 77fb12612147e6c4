"""`--output-format` and `--output-file`: what the command prints, where, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from jaxlint.report.formats.table import COUNTING, FORMATS

Command = Callable[..., Result]

HAZARD = "import jax\nhazard()\n"
MACHINES = sorted(FORMATS.keys() - {"full", "concise"})


def size(name: str, text: str) -> int:
    """How many findings a report for machines holds."""
    match name:
        case "json-lines" | "github":
            return len(text.splitlines())
        case "junit":
            return len(list(ElementTree.fromstring(text).iter("failure")))
        case "sarif":
            return len(json.loads(text)["runs"][0]["results"])
        case "html":
            return text.count("<article ")
        case "rdjson":
            return len(json.loads(text)["diagnostics"])
    return len(json.loads(text))


@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize("name", MACHINES)
class TestForMachines:
    def test_the_report_is_all_there_is(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text(HAZARD * 2)
        (here / "b.py").write_text(HAZARD)
        result = run("check", "--output-format", name)
        assert (result.exit_code, result.stderr) == (1, "")
        assert size(name, result.stdout) == 3

    def test_a_clean_run_has_a_report_too(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text("import jax\n")
        result = run("check", "--output-format", name)
        assert (result.exit_code, result.stderr) == (0, "")
        assert size(name, result.stdout) == 0

    def test_a_path_that_cannot_be_checked_fails(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "--output-format", name, "gone.py", "a.py")
        assert result.exit_code == 2
        assert result.stderr == "jaxlint: error: gone.py: no such file or directory\n"
        assert ("gone.py" in result.stdout) == (name in ("github", "html", "junit", "sarif"))
        assert size(name, result.stdout) == 1 + (name == "github")

    def test_standard_input_has_its_name(self, here: Path, run: Command, name: str) -> None:
        arguments = ("check", "--output-format", name, "-", "--stdin-filename", "src/x.py")
        result = run(*arguments, input=HAZARD)
        assert result.exit_code == 1
        assert "src/x.py" in result.stdout
        assert size(name, result.stdout) == 1

    def test_counting_is_for_some(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "--output-format", name, "--statistics")
        if name in COUNTING:
            assert result.exit_code == 1
        else:
            assert (result.exit_code, result.stdout) == (2, "")
            expected = f"--statistics has no {name} output, only full, concise, json"
            assert expected in result.stderr

    def test_a_file_holds_what_would_be_printed(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text(HAZARD)
        expected = run("check", "--output-format", name).stdout
        result = run("check", "--output-format", name, "-o", "out/deep/report")
        assert (result.exit_code, result.stdout, result.stderr) == (1, "", "")
        assert (here / "out" / "deep" / "report").read_bytes().decode() == expected

    def test_silence_is_explained_beside_it(self, here: Path, run: Command, name: str) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "--output-format", name, "--explain-silence")
        assert ("Traced code:" in result.stderr) == (name != "json")


@pytest.mark.usefixtures("fake_engine")
class TestOutputFile:
    def test_the_summary_goes_where_it_goes(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "--output-file", "report.txt", "--color", "always")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "Found 1 finding in 1 file (1 error).\n"
        report = (here / "report.txt").read_text()
        assert report.startswith("error[JAX901] loud: `hazard` is loud\n")

    def test_a_file_that_cannot_be_written_is_known_at_once(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "-o", "a.py/report.txt")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("jaxlint: error: cannot write a.py/report.txt: ")
        assert result.stderr.count("\n") == 1

    def test_a_run_that_fails_leaves_no_earlier_report(self, here: Path, run: Command) -> None:
        (here / "report.txt").write_text("old")
        assert run("check", "-o", "report.txt", "--select", "JAX801").exit_code == 2
        assert (here / "report.txt").read_text() == ""

    def test_a_device_is_a_file_too(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        assert run("check", "-o", os.devnull).exit_code == 1


def test_a_terminal_that_knows_few_characters_gets_the_others_escaped(here: Path) -> None:
    source = "import jax\n@jax.jit\ndef f(名):\n    return 2 if 名 > 0 else 3\n"
    (here / "größe.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "jaxlint", "check", "--no-cache", "--output-format", "github"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"\\u540d" in done.stdout

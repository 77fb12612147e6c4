"""`jaxlint check --timing`: what took how long, whoever did the work."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from jaxlint.report.timing import text

Command = Callable[..., Result]
BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"
LINES = re.compile(
    r"time: \d+\.\d\d s\n"
    r"tracing: \d+\.\d\d s, in all processes\n"
    r"files: 3 checked, (?P<traced>\d) traced\n"
    r"(?P<files>(?: +\d+\.\d\d s  \w+\.py\n)*)\Z"
)


@pytest.fixture
def project(here: Path) -> Path:
    (here / "pyproject.toml").write_text("")
    (here / "one.py").write_text(BAD)
    (here / "two.py").write_text(BAD)
    (here / "none.py").write_text("x = 1\n")
    return here


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_that_are_traced_have_their_time(project: Path, run: Command, jobs: str) -> None:
    result = run("check", "--timing", "-j", jobs, "--no-cache")
    found = LINES.search(result.stderr)
    assert found is not None
    assert "2" == found["traced"]
    assert ["one.py", "two.py"] == sorted(re.findall(r"\w+\.py", found["files"]))


def test_what_is_known_takes_no_time_and_is_measured_anew(project: Path, run: Command) -> None:
    first, second = run("check", "--timing", "-j", "1"), run("check", "--timing", "-j", "1")
    traced = [found["traced"] for one in (first, second) if (found := LINES.search(one.stderr))]
    assert ["2", "0"] == traced
    assert first.stdout == second.stdout


def test_without_the_option_nothing_is_said(project: Path, run: Command) -> None:
    assert "tracing:" not in run("check").stderr


def test_the_longest_come_first_and_ten_are_enough() -> None:
    traced = {f"/project/{number}.py": float(number) for number in range(12)}
    lines = text(70.0, 12, traced).splitlines()
    assert ["time: 70.00 s", "tracing: 66.00 s, in all processes"] == lines[:2]
    assert [f"    {11 - n:5.2f} s  /project/{11 - n}.py" for n in range(10)] == lines[3:]

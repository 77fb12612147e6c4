"""How sure findings must be to be shown: the option, the setting, and what the output says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import jaxlint

Command = Callable[..., Result]

PROGRAM = """\
import jax
import lib

@jax.jit
def step(x, limit=None):
    if limit is not None:
        if limit > 0:  # medium
            x = x + 1
    if lib.score(x) > 0:  # low
        x = x + 2
    if x > 0:  # high
        x = x + 3
    return x
"""
LINES = {"high": [11], "medium": [7, 11], "low": [7, 9, 11]}


@pytest.fixture
def program(here: Path) -> Path:
    (here / "a.py").write_text(PROGRAM)
    return here


def rows(result: Result) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(result.stdout)
    return found


def lines(result: Result) -> list[object]:
    return [row["line"] for row in rows(result)]


@pytest.mark.parametrize("least", LINES)
def test_the_option_says_how_sure_findings_must_be(program: Path, run: Command, least: str) -> None:
    result = run("check", "--min-confidence", least, "--output-format", "json")
    assert lines(result) == LINES[least]
    assert result.exit_code == 1


def test_without_a_word_from_the_user_guesses_are_left_out(program: Path, run: Command) -> None:
    assert lines(run("check", "--output-format", "json")) == LINES["medium"]
    assert [finding.line for finding in jaxlint.lint(program / "a.py")] == LINES["medium"]


@pytest.mark.parametrize("least", LINES)
def test_the_function_takes_it_too(program: Path, least: str) -> None:
    found = jaxlint.lint(program / "a.py", min_confidence=least)
    assert [finding.line for finding in found] == LINES[least]
    assert all(finding.confidence.reaches(jaxlint.Confidence(least)) for finding in found)


def test_json_has_the_confidence_and_the_doubt(program: Path, run: Command) -> None:
    medium, low, high = rows(run("check", "--min-confidence", "low", "--output-format", "json"))
    expected = [("medium", "warning"), ("low", "warning"), ("high", "error")]
    assert expected == [(row["confidence"], row["severity"]) for row in (medium, low, high)]
    assert medium["doubt"] == {
        "filename": "a.py",
        "line": 5,
        "column": 13,
        "end_line": 5,
        "end_column": 18,
        "message": "`limit` is traced only if it is passed, and no call here passes it",
    }
    assert "doubt" not in high


def test_the_full_form_says_why_a_finding_is_not_certain(program: Path, run: Command) -> None:
    shown = run("check", "--min-confidence", "low").stdout
    assert "  = medium confidence: a.py:5:13: `limit` is traced only if it is passed" in shown
    assert "  = low confidence: a.py:9:8: `lib.score(x)` is taken to be an array" in shown
    assert shown.count("confidence:") == 2


def test_a_finding_that_is_certain_hides_no_guess_and_changes_by_none(
    program: Path, run: Command
) -> None:
    sure = rows(run("check", "--output-format", "json"))
    with_guesses = rows(run("check", "--min-confidence", "low", "--output-format", "json"))
    assert sure == [row for row in with_guesses if row["confidence"] != "low"]


@pytest.mark.parametrize("least", LINES)
def test_the_setting_counts_until_the_option_is_given(
    program: Path, run: Command, least: str
) -> None:
    (program / "pyproject.toml").write_text(f'[tool.jaxlint]\nmin-confidence = "{least}"\n')
    assert lines(run("check", "--output-format", "json")) == LINES[least]
    for option, expected in LINES.items():
        result = run("check", "--min-confidence", option, "--output-format", "json")
        assert lines(result) == expected


def test_flake8_reads_the_setting(program: Path) -> None:
    (program / "pyproject.toml").write_text('[tool.jaxlint]\nmin-confidence = "high"\n')
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JAX", "a.py"]
    result = subprocess.run(command, cwd=program, capture_output=True, text=True, check=False)
    assert [int(line.split(":")[1]) for line in result.stdout.splitlines()] == LINES["high"]


def test_a_word_that_is_no_confidence_is_refused(program: Path, run: Command) -> None:
    result = run("check", "--min-confidence", "sure")
    assert result.exit_code == 2
    assert "'sure' is not one of 'high', 'medium', 'low'" in result.stderr


def test_a_guess_in_another_module_says_where_it_is(here: Path, run: Command) -> None:
    (here / "pyproject.toml").write_text('[tool.jaxlint]\nmin-confidence = "low"\n')
    (here / "train.py").write_text(
        "import jax\nimport ranks\n\n@jax.jit\ndef step(x):\n    return ranks.best(x)\n"
    )
    (here / "ranks.py").write_text(
        "import lib\n\ndef best(x):\n    found = lib.rank(x)\n    return x if found > 0 else -x\n"
    )
    (row,) = rows(run("check", "--output-format", "json", "train.py"))
    (other,) = rows(run("check", "--output-format", "json", "ranks.py"))
    places = [(one["filename"], one["line"], one["confidence"]) for one in (row, other)]
    assert places == [("train.py", 6, "low"), ("ranks.py", 5, "low")]
    doubts = [one["doubt"] for one in (row, other)]
    assert [doubt["filename"].rpartition("/")[2] for doubt in doubts] == ["ranks.py"] * 2
    assert [doubt["line"] for doubt in doubts] == [4, 4]


def test_methods_of_frameworks_are_analysed_on_request(here: Path, run: Command) -> None:
    (here / "layers.py").write_text(
        "import flax.linen as nn\n\nclass Gate(nn.Module):\n"
        "    def __call__(self, x):\n        return x if x.sum() > 0 else -x\n"
    )
    assert rows(run("check", "--output-format", "json")) == []
    (here / "pyproject.toml").write_text("[tool.jaxlint]\nframework-methods = true\n")
    (row,) = rows(run("check", "--output-format", "json"))
    assert (row["line"], row["code"], row["confidence"]) == (5, "JAX301", "medium")
    high = run("check", "--min-confidence", "high", "--output-format", "json")
    assert rows(high) == []


def test_a_declared_transform_is_one(here: Path, run: Command) -> None:
    (here / "pyproject.toml").write_text(
        '[tool.jaxlint]\ntransforms = {"fastlib.compile" = "jax.jit"}\n'
    )
    (here / "a.py").write_text(
        "from fastlib import compile\n\n"
        "@compile\ndef f(x):\n    return x if x > 0 else -x\n\n"
        '@compile(static_argnames="flag")\ndef g(x, flag):\n    return x if flag else float(x)\n'
    )
    assert lines(run("check", "--output-format", "json")) == [5, 9]
    (here / "pyproject.toml").write_text("[tool.jaxlint]\n")
    assert lines(run("check", "--output-format", "json")) == []


HANDED_ON = """\
import jax

class Cloud:
    def __init__(self, points, batch_size=None, **options):
        if batch_size is not None:
            assert batch_size > 0  # medium
        self.points = points

def scaled(x, *, factor):
    assert factor > 0  # high
    return factor * x

@jax.jit
def spread(x, **options):
    return Cloud(x, **options).points

@jax.jit
def large(x, **options):
    return scaled(x, **options)
"""


def test_unknown_keywords_need_not_hold_what_has_a_default(here: Path, run: Command) -> None:
    (here / "a.py").write_text(HANDED_ON)
    found = rows(run("check", "--select", "JAX303", "--output-format", "json"))
    assert [(row["line"], row["severity"]) for row in found] == [(6, "warning"), (10, "error")]

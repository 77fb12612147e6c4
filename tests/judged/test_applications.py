"""The ledgers of applications are complete, and the script lints a project as a whole."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from applications import APPLICATIONS, main
from ledgers import VERDICTS, Ledger, commit_of, read, write
from precision import SEVERITIES

from jaxlint.registry.registry import rules_in

NAMES = sorted(path.stem for path in APPLICATIONS.glob("*.toml"))
CODES = {rule.code for rule in rules_in("jaxlint.rules")}
ROWS = [row for name in NAMES for row in read(name, APPLICATIONS).rows]
LEAST_RIGHT = 0.8
TRAIN = """\
import jax
from mathx import clip


@jax.jit
def step(x):
    return clip(x)
"""
MATHX = """\
def clip(x):
    if x > 1.0:
        return x / x
    return x
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty ledger of a project with a hazard that another file leads to."""
    root = tmp_path / "small"
    root.mkdir()
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    (root / "mathx.py").write_text(MATHX, encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    made = tmp_path / "ledgers"
    made.mkdir()
    commit = commit_of(root)
    assert commit is not None
    write("small", Ledger("https://github.com/example/small", commit, ".", 0, ()), made)
    return made


def test_there_are_ledgers() -> None:
    assert len(NAMES) >= 5


@pytest.mark.parametrize("name", NAMES)
def test_a_ledger_says_what_was_judged_and_why(name: str) -> None:
    ledger = read(name, APPLICATIONS)
    assert ledger.repository.startswith("https://github.com/")
    assert len(ledger.commit) == 40
    assert ledger.lines > 1000
    assert sorted(row.key for row in ledger.rows) == [row.key for row in ledger.rows]
    for row in ledger.rows:
        assert row.code in CODES
        assert row.severity in SEVERITIES
        assert row.verdict in VERDICTS
        assert row.reason.endswith(".")


def test_everything_at_error_severity_is_right_and_most_of_the_rest() -> None:
    assert {row.verdict for row in ROWS if row.severity == "error"} <= {"right"}
    verdicts = Counter(row.verdict for row in ROWS)
    assert verdicts["unjudged"] == 0
    assert verdicts["right"] >= LEAST_RIGHT * (verdicts["right"] + verdicts["wrong"])


def test_a_project_is_linted_as_a_whole(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = f"small={tmp_path / 'small'}"
    assert main([checkout], folder) == 1
    printed = capsys.readouterr().out
    assert "new: mathx.py:2:8: JAX301" in printed
    assert "of train.py" in printed
    assert "small: 1 entry points, 2 functions reached, 1 calls, 0.0% unknown" in printed
    main([checkout, "--update"], folder)
    ledger = read("small", folder)
    assert ledger.lines == 11
    rows = tuple(replace(row, verdict="right", reason="It raises.") for row in ledger.rows)
    write("small", replace(ledger, rows=rows), folder)
    assert main([checkout], folder) == 0
    assert "1 right, 0 wrong; 0 unclear, 0 unjudged" in capsys.readouterr().out

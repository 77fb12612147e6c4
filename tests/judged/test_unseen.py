"""The verdicts on unseen repositories are complete, and the script compares findings with them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from ledgers import VERDICTS, commit_of
from precision import SEVERITIES
from unseen import UNSEEN, Judged, Verdicts, compare, main, read, table, write

from jaxlint.session.session import load_registry

NAMES = sorted(path.stem for path in UNSEEN.glob("*.toml"))
CODES = {entry.code for entry in load_registry().entries}
HAZARD = """\
import jax


@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""
FOUND = Judged("model.py", 0, 6, "JAX301", "error")
ROW = Judged("a.py", 0, 10, "JAX301", "error", "right")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of a module and a notebook with one hazard each, and a ledger without rows."""
    root = tmp_path / "small"
    root.mkdir()
    (root / "model.py").write_text(HAZARD, encoding="utf-8")
    cells = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        for source in ("import jax", HAZARD.partition("\n\n\n")[2])
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "train.ipynb").write_text(json.dumps(book), encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    commit = commit_of(root)
    assert commit is not None
    write("small", Verdicts("https://github.com/example/small", commit, ()), tmp_path)
    return root


def judge(checkout: Path, **verdicts: str) -> None:
    """Records both findings of the checkout with a verdict for each code's file ending."""
    folder = checkout.parent
    ledger = read("small", folder)
    rows = tuple(replace(row, verdict=verdicts[row.file.rpartition(".")[2]]) for row in ledger.rows)
    write("small", replace(ledger, rows=rows), folder)


def run(checkout: Path, *arguments: str) -> int:
    return main([*arguments, f"small={checkout}"], checkout.parent)


def test_thirty_repositories_are_judged() -> None:
    assert len(NAMES) == 30


@pytest.mark.parametrize("name", NAMES)
def test_a_ledger_holds_verdicts_on_findings_of_known_rules(name: str) -> None:
    ledger = read(name)
    assert ledger.repository.startswith("https://github.com/")
    assert len(ledger.commit) == 40
    assert sorted(ledger.rows) == list(ledger.rows)
    for row in ledger.rows:
        assert row.code in CODES
        assert row.severity in SEVERITIES
        assert row.verdict in VERDICTS
        assert row.line > 0
        assert (row.cell > 0) == row.file.endswith(".ipynb")
        assert not row.useless or row.verdict == "right"


def test_every_error_is_judged() -> None:
    rows = [row for name in NAMES for row in read(name).rows if row.severity == "error"]
    assert [] == [row for row in rows if row.verdict == "unjudged"]


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = (
        Judged('a "b".py', 0, 3, "JAX301", "error", "right", useless=True),
        Judged("b.ipynb", 2, 3, "JAX702", "perf", "wrong"),
    )
    ledger = Verdicts("https://github.com/example/small", "0" * 40, rows)
    write("small", ledger, tmp_path)
    assert ledger == read("small", tmp_path)


@pytest.mark.parametrize("moved", [-3, 0, 3])
def test_a_finding_that_moves_by_a_few_lines_is_the_same(moved: int) -> None:
    now = replace(ROW, line=ROW.line + moved, verdict="unjudged")
    outcome = compare([ROW], [now])
    assert ([(ROW, now)], [], []) == (outcome.kept, outcome.lost, outcome.new)


@pytest.mark.parametrize(
    "other",
    [
        replace(ROW, line=14),
        replace(ROW, file="b.py"),
        replace(ROW, cell=1),
        replace(ROW, code="JAX302"),
    ],
)
def test_what_is_elsewhere_or_of_another_rule_is_another_finding(other: Judged) -> None:
    outcome = compare([ROW], [other])
    assert ([], [ROW], [other]) == (outcome.kept, outcome.lost, outcome.new)


def test_each_finding_stands_for_one_and_the_nearest_ones_are_the_same() -> None:
    before = [ROW, replace(ROW, line=11)]
    after = [replace(ROW, line=11), replace(ROW, line=12)]
    outcome = compare(before, after)
    assert [(before[1], after[0]), (before[0], after[1])] == outcome.kept
    assert [ROW] == compare(before, after[:1]).lost


def test_a_changed_severity_is_listed_and_counts_as_it_is_now() -> None:
    wrong = replace(ROW, verdict="wrong")
    outcome = compare([wrong], [replace(ROW, severity="warning", verdict="unjudged")])
    assert "  severity changed: wrong a.py:10: JAX301 warning, recorded as error" in outcome.lines()
    none, one = [0] * 8, [0, 0, 1, 0, 0, 0, 0, 0]
    assert (none, one) == (outcome.counts("error"), outcome.counts("warning"))
    assert not outcome.fails()


def test_the_table_counts_each_verdict() -> None:
    recorded = [
        replace(ROW, useless=True),
        replace(ROW, line=30),
        replace(ROW, line=50, verdict="wrong"),
        replace(ROW, line=70, verdict="wrong"),
        replace(ROW, line=90, verdict="unclear"),
        replace(ROW, line=130, useless=True),
        replace(ROW, line=150, useless=True),
    ]
    found = [replace(ROW, line=line) for line in (10, 50, 90, 110)]
    found = [replace(row, verdict="unjudged") for row in found]
    outcome = compare(recorded, found)
    assert [1, 1, 1, 1, 1, 2, 1, 1] == outcome.counts("error")
    assert "0.500 [" in table(outcome)[1]


def test_new_errors_fail_until_they_are_judged_and_right(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(checkout, "--update") == 1
    printed = capsys.readouterr().out
    assert "unjudged: model.py:6: JAX301 error" in printed
    assert "unjudged: train.ipynb:cell 2:3: JAX301 error" in printed
    assert (FOUND, Judged("train.ipynb", 2, 3, "JAX301", "error")) == read(
        "small", checkout.parent
    ).rows
    judge(checkout, py="right", ipynb="right")
    assert run(checkout) == 0
    judge(checkout, py="right", ipynb="wrong")
    assert run(checkout) == 1
    assert "wrong left: train.ipynb:cell 2:3: JAX301 error" in capsys.readouterr().out


def test_a_right_error_that_other_rules_do_not_find_is_lost(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(checkout, "--update")
    judge(checkout, py="right", ipynb="wrong")
    capsys.readouterr()
    assert run(checkout, "--select", "JAX801,JAX802") == 1
    assert "right lost: model.py:6: JAX301 error" in capsys.readouterr().out


def test_what_is_useless_may_go() -> None:
    outcome = compare([replace(ROW, useless=True)], [])
    assert ([], False) == (outcome.lines(), outcome.fails())
    assert compare([ROW], []).fails()


def test_another_commit_is_refused(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "model.py").write_text("import jax\n", encoding="utf-8")
    assert run(checkout) == 1
    assert "+, recorded is" in capsys.readouterr().out


def test_without_a_checkout_the_ledgers_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "useful: " in capsys.readouterr().out

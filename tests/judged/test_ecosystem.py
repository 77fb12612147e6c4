"""The ledgers are complete and hold no false error, and the report says what differs from them."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from ecosystem import compare, linted, main
from ledgers import LEDGERS, VERDICTS, Ledger, Row, commit_of, read, write
from precision import SEVERITIES, interval, table

from jaxlint.registry.registry import rules_in

NAMES = sorted(path.stem for path in LEDGERS.glob("*.toml"))
CODES = {rule.code for rule in rules_in("jaxlint.rules")}
ROWS = [row for name in NAMES for row in read(name).rows]
# Wrong findings at error severity that are known: what is needed to tell them is not in sight.
MOST_WRONG_ERRORS = 2
HAZARD = """\
import jax


@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""


class Checkout(NamedTuple):
    """A git repository with one hazard, and the folder of its ledger, which is still empty."""

    root: Path
    folder: Path

    def run(self, *arguments: str) -> int:
        return main([*arguments, f"small={self.root}"], self.folder)

    def ledger(self) -> Ledger:
        return read("small", self.folder)

    def judge(self, verdict: str, reason: str) -> None:
        ledger = self.ledger()
        rows = tuple(replace(row, verdict=verdict, reason=reason) for row in ledger.rows)
        write("small", replace(ledger, rows=rows), self.folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "checkout", tmp_path / "ledgers")
    made.root.mkdir()
    (made.root / "model.py").write_text(HAZARD, encoding="utf-8")
    git = ["git", "-C", str(made.root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "model.py"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    made.folder.mkdir()
    commit = commit_of(made.root)
    assert commit is not None
    write("small", Ledger("https://github.com/example/small", commit, ".", 0, ()), made.folder)
    return made


def test_there_are_ledgers() -> None:
    assert len(NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_a_ledger_says_what_was_judged_and_why(name: str) -> None:
    ledger = read(name)
    assert ledger.repository.startswith("https://github.com/")
    assert len(ledger.commit) == 40
    assert ledger.lines > 0
    assert sorted(row.key for row in ledger.rows) == [row.key for row in ledger.rows]
    for row in ledger.rows:
        assert row.code in CODES
        assert row.severity in SEVERITIES
        assert row.verdict in VERDICTS
        assert row.reason.endswith(".")
        assert row.line > 0 and row.column > 0


def test_everything_at_error_severity_is_judged_and_nearly_all_of_it_is_right() -> None:
    verdicts = Counter(row.verdict for row in ROWS if row.severity == "error")
    assert verdicts["unjudged"] == 0
    assert verdicts["wrong"] <= MOST_WRONG_ERRORS


@pytest.mark.parametrize("name", ["flax", "optax", "brax", "dm-haiku"])
def test_no_error_in_a_library_is_a_false_alarm(name: str) -> None:
    errors = [row for row in read(name).rows if row.severity == "error"]
    assert [] == [row for row in errors if row.verdict == "wrong"]


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = Row("a/b.py", 3, 5, "JAX301", "error", 'a "quoted" \\ name\u2028', "right", "So it is.")
    ledger = Ledger("https://github.com/example/small", "0" * 40, "src", 12, (row,))
    write("small", ledger, tmp_path)
    assert ledger == read("small", tmp_path)


def test_a_new_finding_is_a_difference_until_it_is_recorded_and_judged(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checkout.run() == 1
    assert "new: model.py:6:8: JAX301" in capsys.readouterr().out
    assert checkout.run("--update") == 1
    assert "unjudged: model.py:6:8: JAX301" in capsys.readouterr().out
    checkout.judge("right", "It raises.")
    assert checkout.run() == 0
    printed = capsys.readouterr().out
    assert "small: 0.0 KLOC" in printed
    assert "1 right, 0 wrong; 0 unclear, 0 unjudged" in printed
    assert checkout.ledger().lines == 8


def test_a_known_false_alarm_is_listed_and_fails_nothing(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout.run("--update")
    checkout.judge("wrong", "Nobody calls it.")
    capsys.readouterr()
    assert checkout.run() == 0
    assert "wrong: model.py:6:8: JAX301" in capsys.readouterr().out


def test_verdicts_outlive_an_update(checkout: Checkout) -> None:
    checkout.run("--update")
    checkout.judge("unclear", "Who knows.")
    checkout.run("--update")
    found = [(row.verdict, row.reason) for row in checkout.ledger().rows]
    assert [("unclear", "Who knows.")] == found


def test_what_is_no_longer_found_and_what_is_said_otherwise_are_differences() -> None:
    one = Row("a.py", 1, 1, "JAX301", "error", "old words", "right", "Read.")
    other = replace(one, line=2)
    difference = compare([one, other], [replace(one, message="new words")])
    assert ((), (other,)) == (difference.new, difference.gone)
    assert ["  gone: a.py:2:1: JAX301 old words", "  changed: a.py:1:1: JAX301 new words"] == (
        difference.lines()
    )
    assert not compare([one], [one])


def test_another_commit_is_refused(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout.root / "model.py").write_text(HAZARD + "\n", encoding="utf-8")
    assert checkout.run() == 1
    assert "at commit" in capsys.readouterr().out


def test_a_list_file_names_checkouts(checkout: Checkout, tmp_path: Path) -> None:
    names = tmp_path / "list"
    names.write_text(f"# pinned\n\nsmall={checkout.root}\n", encoding="utf-8")
    assert main(["--update", "--list", str(names)], checkout.folder) == 1
    assert ["model.py"] == [row.file for row in checkout.ledger().rows]


def test_files_may_be_linted_side_by_side(checkout: Checkout) -> None:
    assert linted(checkout.root, jobs=2) == linted(checkout.root)


def test_the_interval_is_that_of_wilson() -> None:
    assert interval(0, 0) == (0.0, 1.0)
    assert pytest.approx((0.722467, 1.0), abs=1e-5) == interval(10, 10)
    assert pytest.approx((0.236593, 0.763407), abs=1e-5) == interval(5, 10)


def test_rates_are_per_thousand_lines() -> None:
    row = Row("a.py", 1, 1, "JAX301", "error", "words", "right", "Read.")
    lines = table([row, replace(row, verdict="wrong", line=2)], 4000)
    assert any("branch-on-traced" in line and "0.5000" in line for line in lines)
    assert lines[-1].startswith("all of severity error")


def test_without_a_checkout_the_ledgers_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert all(f"{name}: " in printed for name in NAMES)
    assert f"{len(ROWS)} findings" in printed

"""Baselines: what stays known while code changes, and what is new."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from silenced import HARMLESS, program, statement

from jaxlint.base.errors import SettingsError
from jaxlint.baseline import Baseline, read, written
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Report, Session

pytestmark = pytest.mark.usefixtures("empty_directory")

FEW = settings(derandomize=True, max_examples=15, deadline=None, database=None)
BOTH = "import jax\n@jax.jit\ndef f(x):\n    if x > 0:\n        y = 1\n    return int(x)\n"


def report(text: str, path: str = "src/a.py") -> Report:
    return Session().check_source(text, path)


def baseline_of(*reports: Report) -> Baseline:
    found = [(one.source, one.findings) for one in reports if one.source is not None]
    return read("known.json", Memory({"known.json": written(found, "known.json")[0]}))


def stale(baseline: Baseline) -> int:
    return baseline.stale(lambda code: True)


@FEW
@given(st.lists(statement(), min_size=1, max_size=4), st.data())
def test_findings_stay_known_when_lines_move(statements: list[str], data: st.DataObject) -> None:
    before = report(program(statements))
    baseline = baseline_of(before)
    moved = list(statements)
    for harmless in data.draw(st.lists(st.sampled_from(HARMLESS), max_size=4)):
        moved.insert(data.draw(st.integers(0, len(moved))), harmless)
    found = report("import os\n" + program(moved))
    assert () == baseline.without_known(found).findings
    assert (len(before.findings), 0) == (baseline.hidden, stale(baseline))


@pytest.mark.parametrize(
    "text",
    [
        BOTH.replace("x > 0:", "x  >  0:  # words"),
        BOTH.replace("        y = 1", "        y = 2"),
        BOTH.replace("def f", "def g"),
        BOTH.replace("\n", "\r\n"),
        BOTH.replace("import jax", "import jax\nclass C: pass"),
    ],
)
def test_findings_stay_known_when_what_is_around_them_changes(text: str) -> None:
    baseline = baseline_of(report(BOTH))
    assert () == baseline.without_known(report(text)).findings
    assert 0 == stale(baseline)


def test_a_line_that_changes_is_new_and_its_finding_of_before_stale() -> None:
    baseline = baseline_of(report(BOTH))
    new = baseline.without_known(report(BOTH.replace("x > 0", "x > 1"))).findings
    assert ["JAX301"] == [one.code for one in new]
    assert (1, 1) == (baseline.hidden, stale(baseline))
    assert 0 == baseline.stale(lambda code: code != "JAX301")


def test_repeats_are_counted() -> None:
    again = BOTH.replace("    return", "    if x > 0:\n        y = 1\n    return")
    baseline = baseline_of(report(BOTH))
    assert [6] == [one.line for one in baseline.without_known(report(again)).findings]
    baseline = baseline_of(report(again))
    assert () == baseline.without_known(report(BOTH)).findings
    assert 1 == stale(baseline)


def test_a_finding_of_the_same_function_is_taken_first() -> None:
    two = BOTH + BOTH.replace("import jax\n", "").replace("def f", "def g")
    baseline = baseline_of(report(BOTH))
    assert {"g"} == {
        one.message.split("parameter of `")[1][0]
        for one in baseline.without_known(report(two)).findings
    }


def test_files_are_known_by_their_place_below_the_baseline() -> None:
    baseline = baseline_of(report(BOTH, "src/a.py"))
    assert 2 == len(baseline.without_known(report(BOTH, "a.py")).findings)
    assert () == baseline.without_known(report(BOTH, "src/../src/a.py")).findings
    baseline = baseline_of(report(BOTH, "src/a.py"), report(BOTH, "b.py"))
    assert 4 == baseline.gone((), lambda path: False)
    assert 2 == baseline.gone((), lambda path: path.endswith("b.py"))
    assert 2 == baseline.gone(["b.py"], lambda path: False)


def test_a_file_that_cannot_be_checked_makes_nothing_stale() -> None:
    baseline = baseline_of(report(BOTH))
    broken = report(BOTH + "def\n")
    assert broken == baseline.without_known(broken)
    assert 0 == stale(baseline)
    assert '"findings": {}' in written([(broken.source, broken.findings)], "b")[0]  # type: ignore[list-item]


def test_the_file_is_sorted_and_names_everything_a_reader_wants() -> None:
    reports = [report(BOTH, "b.py"), report(BOTH, "a.py")]
    text, count = written(
        [(one.source, one.findings) for one in reports if one.source is not None], "known.json"
    )
    document = json.loads(text)
    assert ["a.py", "b.py"] == list(document["findings"])
    assert 4 == count
    expected = {"code": "JAX301", "rule": "branch-on-traced", "function": "f"}
    assert {**expected, "text": "if x > 0:", "count": 1} == document["findings"]["a.py"][0]


ROW = {"code": "JAX301", "rule": "r", "function": "", "text": "", "count": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "known.json: not a baseline of jaxlint: Expecting value"),
        (b"\xff", "known.json: not a baseline of jaxlint: 'utf-8' codec"),
        ("[]", "known.json: not a baseline of jaxlint: it has no 'jaxlint-baseline'"),
        ({"jaxlint_baseline": 1}, "it has no 'jaxlint-baseline' but 'jaxlint_baseline'"),
        (
            {"jaxlint-baseline": 2},
            "a baseline of format 2, and this version of jaxlint reads format 1",
        ),
        ({"jaxlint-baseline": 1}, "known.json: findings must be an object"),
        ({"jaxlint-baseline": 1, "findings": {"a.py": 3}}, "findings of 'a.py' must be a list"),
        (
            {"jaxlint-baseline": 1, "findings": {"a.py": [{**ROW, "count": True}]}},
            "must be a list of objects of code, rule, function, text, count",
        ),
        ("[" * 100_000, "known.json: not a baseline of jaxlint"),
    ],
)
def test_what_is_no_baseline_is_said(content: Mapping[str, object] | str, message: str) -> None:
    data = json.dumps(content) if isinstance(content, dict) else content
    with pytest.raises(SettingsError) as raised:
        read("known.json", Memory({"known.json": data}))  # type: ignore[dict-item]
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_baseline_that_is_not_there_is_said() -> None:
    with pytest.raises(SettingsError, match=r"known\.json: no such file or directory"):
        read("known.json", Memory({}))

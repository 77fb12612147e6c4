"""The differential test: jaxlint against JAX on a thousand generated programs, and its parts."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest
from archive import load, save
from compare import Comparison, Disagreement, compare
from constructs import Constructs
from contract import Effect, Label, Labels, Program, Site
from differential import judge
from gaps import Gap, read_gaps
from score import report, score
from shrink import shrink, specification

PROGRAMS = int(os.environ.get("JAXLINT_FUZZ_PROGRAMS", "1000"))
SEED = 20_000

SOURCE = textwrap.dedent(
    """\
    import jax


    @jax.jit
    def step(x):
        scale = 2
        y = x * scale
        if y > 0:
            y = -y
        print(scale)
        return y


    step(1.0)
    """
)
LINES = frozenset(range(6, 12))


def labels_of(*names: Label, sites: tuple[Site, ...] = (), **fields: object) -> Labels:
    """Labels of the program above."""
    known = {"effects": (), "executed": LINES, "endings": (), "exhausted": False, **fields}
    return Labels(sites=sites, names=names, **known)  # type: ignore[arg-type]


def label(line: int, name: str, kind: str) -> Label:
    return Label("step", 5, line, name, kind)


SITE = Site("bool", 8, 7, 8, 12, False)


@pytest.mark.jax
def test_jaxlint_agrees_with_jax_on_generated_programs(capsys: pytest.CaptureFixture[str]) -> None:
    total = judge(range(SEED, SEED + PROGRAMS), jobs=os.cpu_count() or 1)
    with capsys.disabled():
        print("", *report(total, most=15), sep="\n")
    assert [] == total.failures()


def test_a_right_answer_counts_as_agreement(tmp_path: Path) -> None:
    labels = labels_of(label(7, "scale", "static"), label(8, "y", "traced"), sites=(SITE,))
    found = compare(Program(1, SOURCE), labels, tmp_path)
    assert {"right": 2} == found.names
    assert {("bool", "found"): 1} == found.hazards
    assert [] == found.disagreements


def test_a_wrong_answer_names_the_statement_where_it_begins(tmp_path: Path) -> None:
    labels = labels_of(*(label(line, "y", "static") for line in (8, 9, 10)), sites=(SITE,))
    found = compare(Program(1, SOURCE), labels, tmp_path)
    assert {"wrong": 3} == found.names
    assert {"_ = _ * _"} == {one.construct for one in found.disagreements}
    assert {("traced", "static")} == {(one.says, one.shows) for one in found.disagreements}


def test_a_line_that_the_engine_does_not_reach_counts_against_it(tmp_path: Path) -> None:
    found = compare(Program(1, SOURCE), labels_of(label(99, "y", "traced")), tmp_path)
    assert {"unreached": 1} == found.names


def test_what_depends_or_cannot_be_looked_into_is_not_counted(tmp_path: Path) -> None:
    labels = labels_of(label(8, "y", "may"), label(8, "scale", "opaque"))
    assert {} == compare(Program(1, SOURCE), labels, tmp_path).names


def test_a_report_that_jax_does_not_show_is_a_false_alarm(tmp_path: Path) -> None:
    found = compare(Program(1, SOURCE), labels_of(), tmp_path)
    assert {("JAX301", "error", "false alarm"): 1} == found.findings
    assert ["_ > 0"] == [one.construct for one in found.disagreements]


def test_a_report_on_a_line_that_never_ran_is_unknown(tmp_path: Path) -> None:
    found = compare(Program(1, SOURCE), labels_of(executed=LINES - {8}), tmp_path)
    assert {("JAX301", "error", "unknown"): 1} == found.findings


def test_a_hazard_without_a_report_is_missed(tmp_path: Path) -> None:
    site = Site("float", 7, 8, 7, 9, False)
    found = compare(Program(1, SOURCE), labels_of(sites=(SITE, site)), tmp_path)
    assert {("bool", "found"): 1, ("float", "missed"): 1} == found.hazards


def test_an_effect_of_code_that_runs_at_each_call_is_no_hazard(tmp_path: Path) -> None:
    effects = (Effect("log", 10, staged=False), Effect("clock", 10, staged=True))
    found = compare(Program(1, SOURCE), labels_of(sites=(SITE,), effects=effects), tmp_path)
    assert {("bool", "found"): 1, ("clock effect", "missed"): 1} == found.hazards


def test_a_gap_takes_what_it_covers_out_of_the_figures() -> None:
    one = Disagreement("wrong", "y", 8, "_ = _ * _", "traced", "static")
    other = Disagreement("undecided", "y", 9, "_ = _ * _", "may", "static")
    compared = Comparison(1, disagreements=[one, other])
    compared.names.update({"right": 8, "wrong": 1, "undecided": 1})
    gap = Gap("wrong", r"\*", "a reason")
    assert pytest.approx(8 / 9) == score([compared], [gap]).agreement
    assert pytest.approx(0.8) == score([compared], []).agreement
    assert any("a reason" in line for line in report(score([compared], [gap])))


def test_a_gap_that_is_gone_is_reported() -> None:
    gap = Gap("wrong", "never", "a reason")
    assert any("GONE" in line for line in report(score([Comparison(1)], [gap])))


def test_every_recorded_gap_gives_its_reason() -> None:
    assert [] == [gap for gap in read_gaps() if len(gap.reason) < 20]


def test_a_program_that_breaks_the_comparison_fails_the_test() -> None:
    total = score([Comparison(7, problem="ValueError: no")], [])
    assert "program 7 broke: ValueError: no" in total.failures()


def test_constructs_keep_what_is_called_and_drop_names() -> None:
    source = "import jax.numpy as jnp\ntotal = jnp.where(mask, values[3], 1.5) + len(rows)\n"
    assert "_ = jnp.where(_, _[0], 0.0) + len(_)" == Constructs(source).of_line(2)


def test_labelled_programs_survive_being_saved(tmp_path: Path) -> None:
    labels = labels_of(label(8, "y", "traced"), sites=(SITE,), effects=(Effect("log", 10),))
    save(tmp_path / "labels", [(Program(3, SOURCE), labels)])
    assert [(Program(3, SOURCE), labels)] == list(load(tmp_path / "labels"))


def test_a_failing_program_shrinks_to_what_is_to_blame(tmp_path: Path) -> None:
    def check(program: Program) -> tuple[Comparison, Labels]:
        labels = labels_of(executed=frozenset(range(99)))
        return compare(program, labels, tmp_path), labels

    program = Program(1, SOURCE)
    (one,) = check(program)[0].disagreements
    small = shrink(program, one, check)
    assert "scale" not in small.source and "x" in small.source
    assert len(SOURCE.splitlines()) > len(small.source.splitlines())
    assert "# false-alarm: [branch-on-traced]" in specification(small, check(small)[0], one)

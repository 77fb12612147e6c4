"""Verdicts: what observations and misses of one finding add up to."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import pytest

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.text import Span
from jaxlint.base.verdict import Status, Verdict
from jaxlint.verify.judge import attach, verdicts
from jaxlint.verify.protocol import Hazard, Miss, Observation, Outcome, Source, Target


def target(number: int = 0, hazard: Hazard = "raises") -> Target:
    return Target(number, "/a.py", 3, 4, 3, 9, "JAX301", hazard)


def seen(
    outcome: Outcome, source: Source, signature: str = "x: f32[4]", number: int = 0, **evidence: Any
) -> Observation:
    assumption = "`n` is a traced i32[]" if source == "invented" else ""
    return Observation(number, outcome, source, signature, assumption, evidence)


def judged(*observations: Observation, hazard: Hazard = "raises", reason: str = "") -> Verdict:
    misses = [Miss(0, reason)] if reason else []
    return verdicts([target(hazard=hazard)], observations, misses)[0]


REAL: tuple[Source, ...] = ("run", "recorded", "given")


@pytest.mark.parametrize("source", REAL)
@pytest.mark.parametrize(
    "outcome, status",
    [
        ("shown", Status.CONFIRMED),
        ("next", Status.CONFIRMED_NEXT),
        ("absent", Status.REFUTED_FOR),
        ("eager", Status.EAGER_ONLY),
    ],
)
def test_real_arguments_decide(outcome: Outcome, source: Source, status: Status) -> None:
    verdict = judged(seen(outcome, source))
    assert (status, False, "") == (verdict.status, verdict.is_invented, verdict.assumption)
    assert (f"x: f32[4] ({source})",) == verdict.signatures


@pytest.mark.parametrize("outcome", ["shown", "next"])
def test_nothing_invented_is_called_confirmed(outcome: Outcome) -> None:
    verdict = judged(seen(outcome, "invented"))
    assert Status.CONFIRMED_IF == verdict.status
    assert verdict.assumption == "`n` is a traced i32[]"
    assert verdict.is_invented


def test_an_invented_refutation_says_so() -> None:
    verdict = judged(seen("absent", "invented"))
    assert (Status.REFUTED_FOR, True) == (verdict.status, verdict.is_invented)
    both = judged(seen("absent", "invented", "x: i32[]"), seen("absent", "recorded"))
    assert (False, ("x: f32[4] (recorded)",)) == (both.is_invented, both.signatures)


def test_what_was_shown_once_beats_what_was_absent_often() -> None:
    verdict = judged(
        seen("absent", "recorded", "n=2"),
        seen("absent", "run", "n=3"),
        seen("shown", "given", "n: i32[]", error="TracerBoolConversionError"),
    )
    assert Status.CONFIRMED == verdict.status
    assert verdict.signatures == ("n: i32[] (given)",)
    assert verdict.evidence["absent_for"] == ["n=2 (recorded)", "n=3 (run)"]


def test_a_program_is_shown_whichever_observation_has_it() -> None:
    verdict = judged(seen("shown", "run", error="E"), seen("shown", "recorded", program="{ }"))
    assert ("E", "{ }", "run") == tuple(
        verdict.evidence[key] for key in ("error", "program", "source")
    )


def test_the_order_of_observations_does_not_matter() -> None:
    observations = [
        seen("eager", "run"),
        seen("absent", "recorded"),
        seen("next", "recorded", after_sites=[4]),
        seen("shown", "invented"),
    ]
    outcomes = {
        (it.status, it.summary)
        for it in (judged(*order) for order in itertools.permutations(observations))
    }
    ((status, summary),) = outcomes
    assert Status.CONFIRMED_NEXT == status
    assert summary.endswith(", once line 4 no longer raises")


@pytest.mark.parametrize(
    "weaker, stronger, status",
    [
        (seen("next", "recorded"), seen("shown", "given"), Status.CONFIRMED),
        (seen("shown", "invented"), seen("next", "given"), Status.CONFIRMED_NEXT),
        (seen("absent", "recorded"), seen("shown", "invented"), Status.REFUTED_FOR),
        (seen("absent", "invented"), seen("shown", "invented"), Status.CONFIRMED_IF),
        (seen("eager", "recorded"), seen("shown", "invented"), Status.CONFIRMED_IF),
        (seen("eager", "run"), seen("absent", "invented"), Status.REFUTED_FOR),
    ],
)
def test_the_stronger_observation_wins(
    weaker: Observation, stronger: Observation, status: Status
) -> None:
    assert status == judged(weaker, stronger).status


def test_a_miss_gives_its_reason() -> None:
    verdict = judged(reason="import failed: No module named 'torch'")
    assert Status.NOT_REACHED == verdict.status
    assert verdict.summary == "import failed: No module named 'torch'"


def test_an_observation_counts_more_than_a_miss() -> None:
    assert Status.CONFIRMED == judged(seen("shown", "run"), reason="time-out").status
    assert Status.EAGER_ONLY == judged(seen("eager", "run"), reason="no arguments").status


def test_on_a_jax_that_cannot_be_observed_nothing_is_refuted() -> None:
    reason = "inconclusive: the explorer misses `int` on JAX 9.9"
    verdict = judged(reason=reason)
    assert Status.INCONCLUSIVE == verdict.status
    assert verdict.summary == "the explorer misses `int` on JAX 9.9"
    assert Status.INCONCLUSIVE == judged(seen("absent", "recorded"), reason=reason).status


def test_a_target_of_which_nothing_is_known_was_not_reached() -> None:
    given = verdicts([target(1), target(2)], [seen("shown", "run", number=2)], [])
    assert {1: Status.NOT_REACHED, 2: Status.CONFIRMED} == {
        number: verdict.status for number, verdict in given.items()
    }


@pytest.mark.parametrize("hazard", get_args(Hazard))
@pytest.mark.parametrize("outcome", ["shown", "next", "absent"])
def test_every_hazard_has_its_words(hazard: Hazard, outcome: Outcome) -> None:
    assert judged(seen(outcome, "run"), hazard=hazard).summary


@pytest.mark.parametrize(
    "hazard, evidence, summary",
    [
        (
            "raises",
            {"jax": "0.10.2", "error": "TracerBoolConversionError", "depends_on": ["x", "y"]},
            "JAX 0.10.2 raises TracerBoolConversionError; the value depends on x and y",
        ),
        (
            "effects",
            {"first_call": 1, "second_call": 0},
            "it ran once in the first call, which traced, and not at all in the second",
        ),
        (
            "freezes",
            {"before": "mul b 2.5", "after": "mul b 3.5", "value": "2.5", "changed": "3.5"},
            "the traced program holds 2.5 as a constant; after a change it holds 3.5",
        ),
        ("leaks", {"holder": "m.cache[0]"}, "`m.cache[0]` holds a tracer of a trace that is over"),
        (
            "recompiles",
            {"traces": 5, "functions": 5},
            "JAX traced 5 times for one signature, with 5 function objects",
        ),
        (
            "unrolls",
            {"iterations": 8, "equations_per_iteration": 2.0},
            "8 iterations were traced one by one, 2 equations each",
        ),
        ("donates", {"deleted": "x"}, "the buffer of `x` was donated and is deleted by now"),
        ("reuses-key", {"uses": [{"line": 5}, {"line": 6}]}, "2 operations consume one key"),
    ],
)
def test_evidence_in_one_sentence(hazard: Hazard, evidence: dict[str, Any], summary: str) -> None:
    verdict = judged(seen("shown", "run", **evidence), hazard=hazard)
    assert summary == verdict.summary
    assert evidence.items() <= verdict.evidence.items()


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize(
    "lowered, own, raised",
    [
        (Severity.WARNING, Severity.ERROR, Severity.ERROR),
        (Severity.INFO, Severity.PERF, Severity.PERF),
        (Severity.ERROR, Severity.WARNING, Severity.ERROR),
        (Severity.PERF, Severity.PERF, Severity.PERF),
    ],
)
def test_only_confirmed_raises_a_severity_and_never_above_the_rules(
    status: Status, lowered: Severity, own: Severity, raised: Severity
) -> None:
    finding = Finding("a.py", Span(1, 1, 1, 2), "JAX301", "branch", lowered, "m")
    verdict = Verdict(status, "s")
    judged = attach(finding, verdict, own)
    assert verdict is judged.verdict
    assert judged.severity is (raised if status is Status.CONFIRMED else lowered)

"""The graph of traced code and the sums of what is not known, held against files in `golden`."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.surveys.call_graph import (
    Edge,
    Opening,
    Reached,
    Seen,
    Spot,
    Start,
    Survey,
    best,
    merged,
)
from jaxlint.base.text import Span
from jaxlint.report import graph, silence

GOLDEN = Path(__file__).parent / "golden"


def spot(path: str, line: int, column: int, width: int = 4) -> Spot:
    return Spot(path, Span(line, column, line, column + width), f"/project/{path}")


STEP = Reached(spot("train.py", 9, 1), "step")
BODY = Reached(spot("train.py", 10, 5), "step.<lambda>")
NORM = Reached(spot("shop/math.py", 4, 1), "norm")
LOSS = Reached(spot("shop/math.py", 12, 1), 'Loss."call"')
JITTED = Start(spot("train.py", 8, 1), "step", "jitted", "decorator")
MAPPED = Start(spot("train.py", 20, 8), "norm", "mapped by `jax.vmap`", "call")
BLIND = Start(spot("train.py", 21, 8), "make()", "jitted", "call")
THIRD = "third party without a model: torch"

SURVEY = Survey(
    starts=frozenset({JITTED, MAPPED}),
    blind=frozenset({BLIND}),
    around=frozenset({(JITTED, ()), (MAPPED, ()), (BLIND, ())}),
    openings=frozenset({Opening(JITTED, STEP), Opening(MAPPED, NORM)}),
    functions=frozenset({STEP, BODY, NORM, LOSS}),
    edges=frozenset(
        {
            Edge(STEP, BODY, spot("train.py", 11, 12), "traced by `lax.scan`"),
            Edge(STEP, NORM, spot("train.py", 12, 12), ""),
            Edge(STEP, NORM, spot("train.py", 13, 12), ""),
            Edge(BODY, LOSS, spot("train.py", 10, 20), ""),
        }
    ),
    calls=frozenset(
        {
            Seen(spot("train.py", 11, 12), STEP, "jax.lax.scan", ""),
            Seen(spot("train.py", 12, 12), STEP, "norm", ""),
            Seen(spot("train.py", 13, 12), STEP, "norm", ""),
            Seen(spot("train.py", 14, 5), STEP, "jax.vmap", ""),
            Seen(spot("train.py", 10, 20), BODY, "loss", ""),
            Seen(spot("shop/math.py", 5, 5), NORM, "torch.abs", THIRD),
            Seen(spot("shop/math.py", 6, 5), NORM, "torch.exp", THIRD),
            Seen(spot("shop/math.py", 13, 5), LOSS, "x.do", "value that is not known: field"),
        }
    ),
    given=frozenset({Seen(spot("train.py", 14, 5), STEP, "function given to jax.vmap", THIRD)}),
    values=frozenset({("/project/train.py", "field", 3), ("/project/train.py", "call", 12)}),
)


def check_golden(name: str, actual: str) -> None:
    assert (GOLDEN / name).read_text(encoding="utf-8") == actual


def test_the_text_lists_starts_functions_and_sums() -> None:
    check_golden("graph.txt", graph.text(SURVEY))


def test_json_holds_the_same() -> None:
    check_golden("graph.json", graph.as_json(SURVEY))


def test_graphviz_gets_a_program() -> None:
    check_golden("graph.dot", graph.dot(SURVEY))


def test_mermaid_gets_a_flowchart() -> None:
    check_golden("graph.mmd", graph.mermaid(SURVEY))


def test_the_sums_say_how_much_is_not_known_and_why() -> None:
    check_golden("silence.txt", silence.text(SURVEY))


def test_control_characters_in_a_path_are_not_printed() -> None:
    strange = Reached(spot("a\x1b[31m\n.py", 1, 1), "f")
    survey = Survey(functions=frozenset({strange}))
    for form in (graph.text, graph.dot, graph.mermaid):
        assert "\x1b" not in form(survey)


class TestMerging:
    def test_what_one_survey_knows_is_known(self) -> None:
        place = spot("a.py", 1, 1)
        unknown = Survey(calls=frozenset({Seen(place, STEP, "f", "why")}))
        known = Survey(calls=frozenset({Seen(place, STEP, "f", "")}))
        for both in ([known, unknown], [unknown, known]):
            assert merged(both).calls == known.calls

    def test_of_two_reasons_the_first_is_kept(self) -> None:
        seen = [Seen(spot("a.py", 1, 1), STEP, "f", reason) for reason in ("b", "a", "c")]
        assert {call.reason for call in best(seen)} == {"a"}

    def test_it_changes_nothing_to_merge_again(self) -> None:
        once = merged([SURVEY, SURVEY])
        assert once == SURVEY
        assert merged([once]) == once

    def test_a_start_in_a_function_that_is_traced_is_none(self) -> None:
        inner = Start(spot("train.py", 11, 12), "<lambda>", "traced by `lax.scan`", "body")
        host = Survey(
            starts=frozenset({inner}),
            around=frozenset({(inner, (STEP,))}),
            openings=frozenset({Opening(inner, BODY)}),
            functions=frozenset({BODY}),
        )
        assert merged([host]).starts == {inner}
        assert merged([host, SURVEY]).starts == SURVEY.starts
        elsewhere = Survey(starts=frozenset({inner}), around=frozenset({(inner, ())}))
        assert inner in merged([host, SURVEY, elsewhere]).starts


@pytest.mark.parametrize(
    ("path", "starts", "functions"),
    [
        ("train.py", {JITTED, MAPPED, BLIND}, {STEP, BODY, NORM, LOSS}),
        ("shop/math.py", {JITTED, MAPPED}, {STEP, BODY, NORM, LOSS}),
    ],
)
def test_what_reaches_a_file(path: str, starts: set[Start], functions: set[Reached]) -> None:
    part = SURVEY.reaching(frozenset({f"/project/{path}"}))
    assert part.starts | part.blind == frozenset(starts)
    assert part.functions == frozenset(functions)


def test_what_is_written_in_a_file() -> None:
    part = SURVEY.within(frozenset({"/project/shop/math.py"}))
    assert part.functions == frozenset({NORM, LOSS})
    assert not part.starts
    assert (len(part.calls), len(part.unknown()), part.values) == (3, 3, frozenset())

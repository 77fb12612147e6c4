"""The JAX half of the proof of pages lets no lie pass."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest
from judging_pages import AGAIN, BRANCH, LEAK, SELECT, SELECTED, judged, page_of

from jaxlint.base.witness import (
    Differs,
    Effects,
    Freezes,
    Leaks,
    Raises,
    Recompiles,
    Unrolls,
    Witness,
)

pytestmark = pytest.mark.jax


def test_the_promised_error_at_the_marked_line_is_right() -> None:
    assert [] == judged(SELECTED, BRANCH)
    assert [] == judged(SELECTED, Raises("ConcretizationTypeError"))


def test_a_wrong_witness_is_caught() -> None:
    wrong = judged(SELECTED, Raises("TracerArrayConversionError"))
    assert 2 == len(wrong)
    assert wrong[0].startswith("page.md:4: raised TracerBoolConversionError at line 4")
    assert "page.md:4: did not raise TracerArrayConversionError" == wrong[1]


def test_an_error_elsewhere_than_marked_is_caught() -> None:
    text = SELECT.format(marker="", argument="2.0").replace("return x\n", "return x  # error\n")
    wrong = judged(text, BRANCH)
    assert ["page.md:4", "page.md:5"] == [text.partition(": ")[0] for text in wrong]
    assert [] == judged(text, Raises("TracerBoolConversionError", anywhere=True))


def test_a_hazard_that_runs_clean_is_caught() -> None:
    text = SELECTED.replace("@jax.jit", "")
    assert ["page.md:4: did not raise TracerBoolConversionError"] == judged(text, BRANCH)


def test_every_marker_needs_a_statement_that_shows_it() -> None:
    text = """\
        ```py
        @jax.jit
        def first(x):
            return 1 if x else 0  # error

        @jax.jit
        def second(x):
            return 1 if x else 0  # error

        first(1)
        {call}
        ```
        """
    assert [] == judged(text.format(call="second(1)"), BRANCH)
    assert ["page.md:8: did not raise TracerBoolConversionError"] == judged(
        text.format(call="None"), BRANCH
    )


def test_a_look_alike_that_raises_is_caught() -> None:
    wrong = judged(SELECT.format(marker="", argument="2.0"), BRANCH)
    assert 1 == len(wrong)
    assert wrong[0].startswith("page.md:4: must run clean, but raised TracerBoolConversionError")


def test_a_false_alarm_must_run_clean() -> None:
    text = "```py\nif True:  # false-alarm: [own-rule]\n    x = 1\nx\n```"
    assert [] == judged(text, BRANCH)
    assert 1 == len(judged(text.replace("x = 1", "1 / 0"), BRANCH))


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("jnp.where(x > 0, x, 0.0 * x)", []),
        (
            "jnp.where(x > 0, 0.0 * x, x)",
            ["page.md:12: the fix computes something else: 0.0, not 2.0"],
        ),
    ],
)
def test_a_fix_that_computes_something_else_is_caught(body: str, wrong: list[str]) -> None:
    fix = f"""\

    ```py fixed
    @jax.jit
    def relu(x):
        return {body}

    relu(jnp.float32(2.0))
    ```
    """
    assert wrong == judged(SELECTED + fix, BRANCH)


def test_a_fix_without_a_value_is_caught() -> None:
    fix = "\n    ```py fixed\n    x = 1\n    ```\n"
    wrong = judged(SELECTED + fix, BRANCH)
    assert ["page.md:12: a fix and its hazard end with the expression to compare"] == wrong


def test_a_fix_of_what_cannot_run_without_jit_is_counted() -> None:
    from jaxlint.testing.oracle import Verdict, judge

    page = page_of("```py\njax.vmap(bool)(jnp.ones(3))  # error\n```\n```py fixed\n1\n```")
    hazard, fixed = page.examples
    assert Verdict(note="fixes not compared: hazard does not run without jit either") == judge(
        fixed, {"own-rule": BRANCH}, hazard
    )


@pytest.mark.parametrize("witness", [Effects(), Differs(), Freezes()])
@pytest.mark.parametrize(
    "effect",
    [
        "print('x')",
        "print('x', file=__import__('sys').stderr)",
        "logging.getLogger('mine').info('x')",
        "warnings.warn('x')",
        "calls.append(1)",
    ],
)
def test_what_happens_once_per_trace_differs(effect: str, witness: Witness) -> None:
    text = f"""\
        ```py
        calls = []

        @jax.jit
        def double(x):
            {effect}  # error
            return 2 * x

        double(1.0)
        double(2.0)
        calls
        ```
        """
    assert [] == judged(text, witness)
    assert 1 == len(judged(text.replace("  # error", ""), witness))


def test_a_hazard_that_runs_alike_without_jit_is_caught() -> None:
    text = "```py\njax.jit(lambda x: x + 0.1)(0.2)  # error\n```"
    assert ["page.md:2: runs alike with and without jit, so there is no hazard"] == judged(
        text, Effects()
    )


def test_a_program_that_never_runs_alike_proves_nothing() -> None:
    wrong = judged("```py\ntime.perf_counter_ns()  # error\n```", Effects())
    assert 1 == len(wrong)
    assert "two runs differ anyway" in wrong[0]


def test_host_random_numbers_are_seeded() -> None:
    text = "```py\n(random.random(), np.random.rand())\n```"
    assert [] == judged(text, Effects())


def test_an_effect_that_is_staged_does_not_differ() -> None:
    text = """\
        ```py
        @jax.jit
        def double(x):
            jax.debug.print("{x}", x=x)
            return {"b": 2 * x, "a": x}

        double(1.5)
        double(2.5)
        ```
        """
    assert [] == judged(text, Effects())


@pytest.mark.parametrize(
    ("place", "store"),
    [
        ("None", "global kept; kept = y"),
        ("[]", "kept.append(y)"),
        ("{}", "kept['y'] = (y,)"),
        ("type('Box', (), {})()", "kept.y = y"),
        ("functools.lru_cache(lambda key: jnp.zeros(key))", "kept(2)"),
        ("functools.cache(lambda key: [jnp.zeros(key)])", "kept(2)"),
        ("[]", "kept.append(lambda: y)"),
        ("[]", "kept.append(partial(print, y))"),
        ("[]", "kept.append(y_ for y_ in [y])"),
    ],
)
def test_a_tracer_is_found_wherever_it_is_kept(place: str, store: str) -> None:
    text = LEAK.format(place=place, store=store)
    assert [] == judged(text, Leaks())
    assert ["page.md:2: leaks a tracer into kept"] == judged(text.replace("# error", ""), Leaks())


def test_using_a_leaked_tracer_is_a_witness() -> None:
    text = LEAK.format(place="[]", store="kept.append(y)")
    assert [] == judged(text.replace("double(1.0)", "double(1.0); kept.pop() + 1"), Leaks())


def test_a_hazard_that_leaks_nothing_is_caught() -> None:
    wrong = judged(LEAK.format(place="[]", store="kept.append(y.shape)"), Leaks())
    assert ["page.md:2: leaks no tracer, and raised nothing"] == wrong


def test_a_compilation_on_the_second_evaluation_is_a_witness() -> None:
    fresh = AGAIN.format(function="lambda v: v + 1", marker="{}")
    assert [] == judged(fresh.format("  # error"), Recompiles())
    assert ["page.md:2: compiles 1 programs when it is evaluated again"] == judged(
        fresh.format(""), Recompiles()
    )


def test_a_hazard_that_compiles_once_is_caught() -> None:
    same = AGAIN.format(function="jnp.tanh", marker="{}")
    assert [] == judged(same.format(""), Recompiles())
    assert ["page.md:2: compiles nothing when its last expression is evaluated again"] == judged(
        same.format("  # error"), Recompiles()
    )


@pytest.mark.parametrize("marker", ["", "  # error"])
def test_recompilation_needs_an_expression_to_evaluate(marker: str) -> None:
    wrong = judged(f"```py\nx = 1{marker}\n```", Recompiles())
    assert ["page.md:2: ends without an expression, so there is nothing to evaluate again"] == wrong


def test_each_named_rule_needs_its_own_witness() -> None:
    text = LEAK.format(place="[]", store="kept.append(y); print(y)").replace(
        "# error", "# error: [own-rule, other-rule]"
    )
    assert [] == judged(text, Leaks(), other_rule=Effects())
    assert ["page.md:7: did not raise TypeError"] == judged(
        text, Leaks(), other_rule=Raises("TypeError")
    )


def test_an_example_leaves_no_trace_in_the_process() -> None:
    before = (Path.cwd(), set(sys.modules), logging.getLogger().handlers[:])
    text = "```py\nopen('left', 'w').close()\nlogging.basicConfig()\n1\n```"
    assert [] == judged(text, BRANCH)
    assert before == (Path.cwd(), set(sys.modules), logging.getLogger().handlers)


LOOP = """\
    ```py
    @jax.jit
    def wave(x):
        for step in {steps}:{marker}
            x = {body}
        return x

    wave({argument})
    ```
    """


@pytest.mark.parametrize(
    ("steps", "argument"), [("range(4)", "1.0"), ("x", "jnp.ones(4)"), ("{1: 2, 3: 4}", "1.0")]
)
def test_a_loop_that_the_program_grows_with_is_a_witness(steps: str, argument: str) -> None:
    text = LOOP.format(steps=steps, argument=argument, body="jnp.sin(x)", marker="  # error")
    assert [] == judged(text, Unrolls())


def test_a_loop_that_leaves_no_equations_is_caught() -> None:
    text = LOOP.format(steps="range(99)", argument="1.0", body="x", marker="  # error")
    assert ["page.md:4: the program does not grow with this loop"] == judged(text, Unrolls())


def test_a_mark_where_no_loop_starts_is_caught() -> None:
    text = "```py\nx = 1  # error\njax.jit(jnp.sin)(1.0)\n```"
    assert ["page.md:2: starts no loop"] == judged(text, Unrolls())


@pytest.mark.parametrize("marker", ["", "  # error"])
def test_unrolling_needs_an_expression_to_trace(marker: str) -> None:
    text = f"```py\nfor step in range(3):{marker}\n    pass\n```"
    assert ["page.md:2: ends without an expression to trace"] == judged(text, Unrolls())


def test_a_look_alike_may_have_a_short_loop_only() -> None:
    short = LOOP.format(steps="range(3)", argument="1.0", body="jnp.sin(x)", marker="")
    assert [] == judged(short, Unrolls())
    assert ["page.md:2: half the iterations of its loops make 50 equations"] == judged(
        short.replace("range(3)", "range(100)"), Unrolls()
    )

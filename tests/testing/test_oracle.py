"""The JAX half of the proof of pages lets no lie pass."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from jaxlint.base.witness import (
    Differs,
    Donates,
    Effects,
    Expects,
    Freezes,
    Fruitless,
    Leaks,
    Raises,
    Recompiles,
    ReusesKey,
    Unrolls,
    Warns,
    Witness,
)
from jaxlint.testing.pages import Page, parse_page

pytestmark = pytest.mark.jax

BRANCH = Raises("TracerBoolConversionError")
SELECT = """\
    ```py
    @jax.jit
    def relu(x):
        if x > 0:{marker}
            return x
        return 0.0 * x

    relu(jnp.float32({argument}))
    ```
    """
SELECTED = SELECT.format(marker="  # error", argument="2.0")
LEAK = """\
    ```py
    kept = {place}

    @jax.jit
    def double(x):
        y = 2 * x
        {store}  # error
        return y

    double(1.0)
    ```
    """
AGAIN = """\
    ```py
    def run(x):
        return jax.jit({function})(x){marker}

    run(1.0)
    ```
    """


def page_of(text: str) -> Page:
    return parse_page(dedent(text).splitlines(), 1, "own-rule", "page.md")


def judged(text: str, witness: Witness, **others: Witness) -> list[str]:
    """What the JAX half says of a page, all its examples together."""
    # The jax door: nothing here is imported unless tests of JAX are run.
    from jaxlint.testing.oracle import judge

    page = page_of(text)
    witnesses = {"own-rule": witness, **{n.replace("_", "-"): w for n, w in others.items()}}
    return [
        wrong
        for example in page.examples
        for wrong in judge(
            example, witnesses, page.hazard_above(example) if example.is_fixed else None
        ).wrong
    ]


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


@pytest.mark.parametrize(
    ("use", "wrong"),
    [
        ("spent + 1  # error", []),
        ("add(spent)  # error", []),
        ("spent.shape  # error", ["page.md:5: uses no donated buffer"]),
        ("spent.shape", []),
    ],
)
def test_the_use_of_a_donated_buffer_is_a_witness(use: str, wrong: list[str]) -> None:
    text = f"""\
        ```py
        add = jax.jit(lambda x: x + 1, donate_argnums=0)
        spent = jnp.ones(3)
        kept = add(spent)
        {use}
        ```
        """
    assert wrong == judged(text, Donates())


@pytest.mark.parametrize("make", ["jax.random.key", "jax.random.PRNGKey"])
def test_a_key_that_is_used_twice_is_a_witness(make: str) -> None:
    text = f"""\
        ```py
        key = {make}(0)
        jax.random.normal(key)
        jax.random.uniform(key){{marker}}
        ```
        """
    assert [] == judged(text.format(marker="  # error"), ReusesKey())
    assert 1 == len(judged(text.format(marker=""), ReusesKey()))
    split = text.replace("jax.random.normal(key)", "key, _ = jax.random.split(key)")
    assert [] == judged(split.format(marker=""), ReusesKey())
    assert ["page.md:2: reuses no key, and raised nothing"] == judged(
        split.format(marker="  # error"), ReusesKey()
    )


def test_a_statement_that_does_nothing_is_a_witness() -> None:
    text = "```py\nx = 1.0\nx + 1  # error\nx\n```"
    assert [] == judged(text, Fruitless("TypeError"))


def test_a_statement_that_does_something_is_caught() -> None:
    text = "```py\nx = 1.0\nx = x + 1  # error\nx\n```"
    assert ["page.md:3: does something: without it, value 2.0 / 1.0"] == judged(
        text, Fruitless("TypeError")
    )


def test_what_does_nothing_has_a_value_to_compare() -> None:
    text = "```py\nx = 1.0\nx + 1  # error\ny = x\n```"
    assert ["page.md:2: ends without an expression, so there is nothing to compare"] == judged(
        text, Fruitless("TypeError")
    )


def test_a_fruitless_statement_may_raise() -> None:
    text = "```py\nx = 1.0\nx + ()  # error\nx\n```"
    assert [] == judged(text, Fruitless("TypeError"))
    assert 2 == len(judged(text, Fruitless("ValueError")))


def test_a_fix_of_what_does_nothing_does_something() -> None:
    text = "```py\nx = 1.0\nx + 1  # error\nx\n```\n\n```py fixed\n{fix}\n```"
    assert [] == judged(text.format(fix="2.0"), Fruitless())
    assert ["page.md:8: the fix computes what its hazard does"] == judged(
        text.format(fix="1.0"), Fruitless()
    )


# What the author expects


def test_an_expectation_that_does_not_hold_is_a_witness() -> None:
    text = "```py\nx = jnp.zeros(2)\nx.at[0].set(1)  # error\nx[0] == {expected}\n```"
    assert [] == judged(text.format(expected=1), Expects())
    assert ["page.md:2: what is expected holds"] == judged(text.format(expected=0), Expects())


def test_a_hazard_ends_with_what_is_expected() -> None:
    text = "```py\n1 / 0  # error\n```"
    assert ["page.md:2: raised ZeroDivisionError at line 2: division by zero"] == judged(
        text, Expects()
    )
    text = "```py\nx = 1  # error\n```"
    assert ["page.md:2: ends without an expression, so nothing is expected"] == judged(
        text, Expects()
    )


def test_a_fix_and_a_look_alike_meet_the_expectation() -> None:
    text = "```py\nx = 0  # error\nx == 1\n```\n\n```py fixed\n{fix}\n```"
    assert [] == judged(text.format(fix="True"), Expects())
    assert ["page.md:7: what is expected does not hold"] == judged(
        text.format(fix="False"), Expects()
    )
    assert ["page.md:7: a fix ends with what it expects"] == judged(
        text.format(fix="x = 1"), Expects()
    )


# Warnings

WARNING = "warnings.warn('soon gone', {category}, stacklevel=1)"


def test_a_warning_is_a_witness() -> None:
    text = f"```py\n{WARNING}  # error\n```"
    witness = Warns("DeprecationWarning")
    assert [] == judged(text.format(category="DeprecationWarning"), witness)
    assert ["page.md:2: draws no DeprecationWarning"] == judged(
        text.format(category="UserWarning"), witness
    )


def test_a_look_alike_draws_no_warning() -> None:
    text = f"```py\n{WARNING}\n```"
    wrong = judged(text.format(category="DeprecationWarning"), Warns("DeprecationWarning"))
    assert ["page.md:2: warns: DeprecationWarning soon gone"] == wrong
    assert [] == judged(text.format(category="UserWarning"), Warns("DeprecationWarning"))


# Versions


def test_what_is_for_other_versions_is_not_run() -> None:
    page = page_of("```py jax<0.1\n1 / 0\n```")
    from jaxlint.testing.oracle import judge

    verdict = judge(page.examples[0], {"own-rule": Raises("ValueError")})
    assert ((), "for other versions of JAX: <0.1") == (verdict.wrong, verdict.note)

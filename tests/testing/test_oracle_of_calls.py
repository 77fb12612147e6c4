"""The JAX half of the proof of pages: donation, keys, idle statements, expectations, warnings."""

from __future__ import annotations

import pytest
from judging_pages import judged, page_of

from jaxlint.base.witness import (
    Donates,
    Expects,
    Fruitless,
    Raises,
    ReusesKey,
    Warns,
)

pytestmark = pytest.mark.jax


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


def test_what_is_for_other_versions_is_not_run() -> None:
    page = page_of("```py jax<0.1\n1 / 0\n```")
    from jaxlint.testing.oracle import judge

    verdict = judge(page.examples[0], {"own-rule": Raises("ValueError")})
    assert ((), "for other versions of JAX: <0.1") == (verdict.wrong, verdict.note)

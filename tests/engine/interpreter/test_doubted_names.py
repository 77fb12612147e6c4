"""Findings about names that are bound again and raw keys, where that is not certain."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint.base.finding import Severity
from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint

REMADE = """
    import jax
    import optax

    def train(params):
        optimiser = optax.sgd(0.1)
        state = optimiser.init(params)

        @jax.jit
        def step(params, state):
            updates, state = optimiser.update(params, state)
            return optax.apply_updates(params, updates), state

        params, state = step(params, state)
        optimiser = optax.adam(0.1)
        {again}
        return step(params, state)
"""


@pytest.mark.parametrize(
    "again, severities",
    [
        ("state = optimiser.init(params)", {Severity.WARNING}),
        ("params = -params", {Severity.ERROR}),
    ],
    ids=["other state", "same state"],
)
def test_a_rebound_name_that_makes_the_arguments_may_have_the_function_traced_again(
    again: str, severities: set[Severity]
) -> None:
    program = textwrap.dedent(REMADE.format(again=again))
    found = lint(program, "program.py", rules_in("jaxlint.rules"))
    assert severities == {one.severity for one in found if one.code == "JAX209"}


KEYS = """
    import jax

    def draw(seed):
        key = {made}
        return jax.random.normal(key + 1)
"""


@pytest.mark.parametrize(
    "made, severities",
    [
        ("jax.random.PRNGKey(seed)", {Severity.WARNING}),
        ("jax.random.key(seed)", {Severity.ERROR}),
    ],
)
def test_arithmetic_with_raw_keys_is_no_error(made: str, severities: set[Severity]) -> None:
    program = textwrap.dedent(KEYS.format(made=made))
    found = lint(program, "program.py", rules_in("jaxlint.rules"))
    assert severities == {one.severity for one in found if one.code == "JAX807"}

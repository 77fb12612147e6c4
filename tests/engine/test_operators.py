"""The table of functions that run their functions at once has all that the engine needs of them."""

from __future__ import annotations

import pytest

from jaxlint.engine.transforms.control_flow import IMMEDIATE
from jaxlint.knowledge.host.purity import BODIES
from jaxlint.knowledge.transforms import CONTROL_FLOW, LOOPS, OPERATORS, REPEATING


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_has_a_meaning_and_counts_for_each_of_its_functions(name: str) -> None:
    operator = OPERATORS[name]
    assert name in IMMEDIATE
    assert not operator.takes or len(operator.takes) == len(operator.functions)
    assert not (operator.takes and operator.operands is not None)


def test_the_sets_of_control_flow_come_of_the_rows() -> None:
    assert LOOPS < REPEATING < CONTROL_FLOW < set(OPERATORS)
    assert "jax.lax.cond" in CONTROL_FLOW - REPEATING
    assert "jax.lax.map" in REPEATING - LOOPS
    assert (BODIES["jax.lax.cond"], BODIES["jax.lax.scan"]) == ((1, 2), (0,))
    assert "jax.lax.switch" not in BODIES

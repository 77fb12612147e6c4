"""What the code that ran has asked of JAX, in numbers."""

from __future__ import annotations

import pytest

from jaxlint.engine.domain.values import Concrete, Static
from jaxlint.engine.summaries.cost import NOTHING, Cost, CostMeter, holds_array


def test_the_cost_of_a_part_is_a_difference() -> None:
    assert Cost(2, 0, 1, 0) == Cost(3, 1, 1, 2).since(Cost(1, 1, 0, 2))


def test_what_is_done_once_more_counts_once_more() -> None:
    meter = CostMeter()
    meter.called(is_host=True, dotted="jax.jit", is_compiled=True)
    done = meter.now()
    meter.again(done)
    assert Cost(launched=2) == meter.now()
    assert done == meter.since(done)


@pytest.mark.parametrize(
    ("is_host", "dotted", "is_compiled", "expected"),
    [
        (False, "jax.jit", True, Cost(staged=1)),
        (True, "jax.jit", True, Cost(launched=1)),
        (True, "jax.grad", False, Cost(eager=1)),
        (True, "jax.make_jaxpr", False, NOTHING),
    ],
)
def test_a_call_counts_by_where_it_is_and_what_it_calls(
    is_host: bool, dotted: str, is_compiled: bool, expected: Cost
) -> None:
    meter = CostMeter()
    meter.called(is_host, dotted, is_compiled)
    assert expected == meter.now()


def test_an_array_is_held_and_a_number_is_none() -> None:
    assert holds_array(Concrete("float32", 1))
    assert not holds_array(Static(3))
    assert not holds_array(None)

"""A run of a function is charged once to what makes use of it."""

from __future__ import annotations

from jaxlint.engine.summaries.charges import Charge


def test_a_run_that_several_calls_led_to_is_charged_once() -> None:
    shared, first, second, outer = (Charge(at, 9) for at in range(4))
    first.inner = second.inner = [shared]
    outer.inner = [first, second, first]

    assert [outer, first, second, shared] == [*outer.reached((), 9)]
    assert [outer, second] == [*outer.reached({first, shared}, 9)]
    assert [] == [*outer.reached({outer}, 9)]


def test_no_run_is_charged_that_could_not_be_followed_so_deep() -> None:
    first, second, third = (Charge(at, 9) for at in range(3))
    first.inner, second.inner = [second], [third]

    assert [first, second] == [*first.reached((), 2)]
    assert [] == [*first.reached((), 0)]

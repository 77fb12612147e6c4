"""Checks hear the events that they subscribe to, in their order, and keep state for each run."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

from jaxlint.engine.domain.values import Concrete, Mapping, Sequence, Static, Value
from jaxlint.engine.machine.events import Check, Named, PerRun, Subscriptions, Typed, subscriptions
from jaxlint.engine.queries.checks import CHECKS


class Longer(Sequence):
    """A kind of sequence of which no check has heard."""


def hearer(said: list[str], name: str) -> Any:
    return lambda *event: said.append(name)


def test_handlers_of_an_event_are_called_in_the_order_of_the_checks() -> None:
    said: list[str] = []
    names = ("a", "b", "c")
    checks = tuple(Check(name, on_finish=hearer(said, name)) for name in names)
    for heard in Subscriptions(checks).finish:
        heard(None)
    assert said == ["a", "b", "c"]


def test_named_handlers_hear_their_names_and_the_others_all() -> None:
    said: list[str] = []
    some = Check("some", on_library_call=(Named(hearer(said, "some"), {"jax.jit"}),))
    each = Check("each", on_library_call=(Named(hearer(said, "each")),))
    calls = Subscriptions((some, each)).library_call
    for dotted in ("jax.jit", "jax.grad"):
        for heard in calls[dotted]:
            heard()
    assert said == ["some", "each", "each"]


def test_typed_handlers_hear_heirs_of_their_types() -> None:
    said: list[str] = []
    check = Check(
        "containers",
        on_item_store=(
            Typed(hearer(said, "any"), (Sequence, Mapping)),
            Typed(hearer(said, "sequence"), (Sequence,)),
        ),
    )
    stores = Subscriptions((check,)).item_store
    kinds: tuple[type[Value], ...] = (Longer, Mapping, Static, Concrete)
    for kind in kinds:
        for heard in stores[kind]:
            heard()
    assert said == ["any", "sequence", "any"]


def test_a_check_that_is_added_leaves_the_others_as_they_were() -> None:
    said: list[str] = []
    before = subscriptions((Check("a", on_finish=hearer(said, "a")),))
    after = before.plus(Check("b", on_finish=hearer(said, "b")))
    assert [len(before.finish), len(after.finish)] == [1, 2]
    assert before.plus() is before


def test_state_belongs_to_one_run() -> None:
    state: PerRun[list[int]] = PerRun(list)
    one, other = SimpleNamespace(check_states={}), SimpleNamespace(check_states={})
    state.of(one).append(1)
    assert state.of(one) == [1]
    assert state.of(other) == []


def test_every_check_has_a_name_of_its_own_and_listens() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    events = [field.name for field in fields(Check) if field.name != "name"]
    silent = [check.name for check in CHECKS if not any(getattr(check, one) for one in events)]
    assert silent == []


def test_every_field_of_a_check_is_an_event() -> None:
    events = {field.name.removeprefix("on_") for field in fields(Check)} - {"name"}
    assert {name.rstrip("_") for name in Subscriptions.__annotations__} - {"checks"} == events

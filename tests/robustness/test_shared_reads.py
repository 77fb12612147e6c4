"""What a chain of calls read of a module is shared, and no longer holds once it is bound again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Concrete, Static
from jaxlint.engine.summaries.effects import MOST_COPIED, Effects

LENGTH = 4 * MOST_COPIED
HOST = Trace("host", None, None, False)


def chain(module: Frame) -> list[Effects]:
    """The effects of calls of which each reads a name of its own and calls the one before."""
    found: list[Effects] = []
    for at in range(LENGTH):
        name, effects = f"g{at}", Effects()
        effects.read(module, name, module.env.get(name))
        if found:
            effects.include(found[-1], always=True)
        found.append(effects)
    return found


@pytest.fixture
def module() -> Frame:
    frame = Frame("module", None, HOST)
    for at in range(LENGTH):
        frame.env[f"g{at}"] = Static(at)
    return frame


def held(effects: list[Effects]) -> list[bool]:
    return [one.holds() for one in effects]


def rebound(module: Frame) -> None:
    module.env["g3"] = Static("other")


def removed(module: Frame) -> None:
    module.env.pop("g3")


def updated(module: Frame) -> None:
    module.env.update({"g3": Static("other")})


def forked(module: Frame) -> None:
    module.env = {**module.env, "g3": Static("other")}


def joined(module: Frame) -> None:
    forked(module)
    module.joined()


CHANGES = (rebound, removed, updated, forked, joined)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("asked", [False, True], ids=["first", "again"])
def test_what_was_read_holds_until_it_changes(
    module: Frame, asked: bool, change: Callable[[Frame], None]
) -> None:
    effects = chain(module)
    if asked:
        assert held(effects) == [True] * LENGTH
    before = module.env["g3"]
    change(module)
    assert held(effects) == [at < 3 for at in range(LENGTH)]
    module.env["g3"] = before
    assert held(effects) == [True] * LENGTH
    change(module)
    assert held(effects) == [at < 3 for at in range(LENGTH)]


def test_other_names_do_not_count(module: Frame) -> None:
    effects = chain(module)
    assert effects[-1].holds()
    module.env["other"] = Static(1)
    assert effects[-1].is_checked()
    module.env["g3"] = module.env["g3"]
    assert effects[-1].is_checked()


def test_a_name_that_was_not_bound_counts(module: Frame) -> None:
    effects = [Effects()]
    effects[0].read(module, "later", None)
    assert effects[0].holds()
    module.env["later"] = Static(1)
    assert not effects[0].holds()


def test_no_name_is_copied_along_a_long_chain(module: Frame) -> None:
    effects = chain(module)
    assert all(len(one.names) <= MOST_COPIED + 1 for one in effects)


def test_arrays_of_the_module_are_known_through_all_calls(module: Frame) -> None:
    array = module.env["g0"] = Concrete()
    effects = chain(module)
    assert effects[-1].reads_value(array)
    assert not effects[-1].reads_value(Concrete())

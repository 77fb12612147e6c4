"""What an analysis changes of what it shares is put back when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import AGES
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import INT, NONE, STR, Class, Heap, Instance, Mapping, Sequence
from jaxlint.engine.machine.loans import Loans
from jaxlint.syntax import ir

HOST = Trace("host", None, None, staged=False)


@pytest.fixture
def shared() -> Iterator[None]:
    with AGES.shared():
        yield


@pytest.fixture
def loans() -> Loans:
    return Loans()


def made() -> dict[str, Heap]:
    owner = Instance(Class("Owner", None, ()), HOST)
    owner.fields["x"] = INT
    return {
        "list": Sequence("list", [INT], HOST),
        "dict": Mapping({"a": INT}, HOST),
        "object": owner,
    }


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("name", ["list", "dict", "object"])
def test_an_object_is_as_it_was(loans: Loans, name: str) -> None:
    owner = made()[name]
    held = owner.children()
    content = owner.fields if isinstance(owner, Instance) else getattr(owner, "items", None)
    loans.take(owner)
    if isinstance(owner, Sequence):
        owner.items, owner.element = None, STR
    elif isinstance(owner, Mapping):
        owner.items["b"] = STR
    elif isinstance(owner, Instance):
        owner.fields = {"x": STR, "y": STR}
    owner.leaks.append("leak")
    owner.local = True
    assert owner.children() != held

    loans.give_back()

    assert owner.children() == held
    assert content is (owner.fields if isinstance(owner, Instance) else getattr(owner, "items", 0))
    assert owner.leaks == []
    assert not owner.local


@pytest.mark.usefixtures("shared")
def test_the_first_state_counts(loans: Loans) -> None:
    owner = Sequence("list", [INT], HOST)
    loans.take(owner)
    owner.items = [STR]
    loans.take(owner)
    loans.give_back()

    assert owner.items == [INT]


def test_what_an_analysis_made_itself_stays(loans: Loans) -> None:
    owner = Sequence("list", [INT], HOST)
    loans.take(owner)
    owner.items = [STR]
    loans.give_back()

    assert not loans.holds(owner)
    assert owner.items == [STR]


@pytest.mark.usefixtures("shared")
def test_names_are_bound_as_they_were(loans: Loans) -> None:
    frame = Frame("module", None, HOST)
    frame.env["known"] = INT
    for name in ("known", "new"):
        loans.take_name(frame, name)
        frame.env[name] = STR
    version = frame.env.version  # type: ignore[attr-defined]
    frame.env.read.add("known")  # type: ignore[attr-defined]
    loans.give_back()

    assert frame.env["known"] is INT
    assert "new" not in frame.env
    # What was read of it meanwhile does not hold any more.
    assert frame.env.version > version  # type: ignore[attr-defined]


@pytest.mark.usefixtures("shared")
def test_logs_end_where_they_ended(loans: Loans) -> None:
    owner = Sequence("list", [], HOST)
    node = ir.Name(ir.NOWHERE, "x")
    owner.changes.append((1, node))
    loans.take_log(owner.changes, owner.age)
    owner.changes.append((2, node))
    loans.give_back()

    assert owner.changes == [(1, node)]


@pytest.mark.usefixtures("shared")
def test_objects_of_one_kind_are_told(loans: Loans) -> None:
    owner, other = Sequence("list", [], HOST), Mapping({}, HOST)
    loans.take(owner)
    loans.take(other)

    assert loans.taken(Mapping) == [other]


def test_what_is_shared_is_older() -> None:
    own = Sequence("list", [NONE], HOST)
    with AGES.shared():
        older = Sequence("list", [NONE], HOST)
    later = Sequence("list", [NONE], HOST)

    assert older.age < own.age < later.age

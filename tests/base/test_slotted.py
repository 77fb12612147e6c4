"""Slotted classes of fields are what the standard library makes of the same declarations."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

import pytest

from jaxlint.base.dataclass import declared, is_slotted, replace, slotted

CHOICES: list[dict[str, bool]] = [
    {"frozen": frozen, "eq": eq, "order": order}
    for frozen in (False, True)
    for eq, order in ((False, False), (True, False), (True, True))
]


@pytest.fixture(params=CHOICES, ids=lambda choice: "-".join(k for k in choice if choice[k]) or "no")
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A class made here and its counterpart, each a subclass of another of its kind."""
    return _family(slotted(**request.param)), _family(dataclass(slots=True, **request.param))


def _family(make: Callable[[Any], Any]) -> Any:
    class Base:
        size: int
        named: str = field(default="n", kw_only=True)

    made_base: Any = make(Base)

    class Child(made_base):  # type: ignore[misc]
        kind: ClassVar[str] = "kind"
        parts: list[int] = field(default_factory=list)
        size: int = 3
        hidden: object = field(default=None, repr=False, compare=False)
        late: int = field(default=7, init=False)
        unset: int = field(init=False, repr=False, compare=False)

        def double(self) -> int:
            return int(self.size) * 2

    child: Any = make(Child)
    child.__qualname__ = "Child"
    return child


CALLS: list[Callable[[Any], Any]] = [
    lambda kind: kind(),
    lambda kind: kind(1),
    lambda kind: kind(1, [2]),
    lambda kind: kind(1, [2], "h", named="m"),
    lambda kind: kind(size=5, parts=[1]),
    lambda kind: replace(kind(1, [2], "h"), size=4),
    lambda kind: replace(kind(1, [2], "h"), size=4, named="m").named,
    lambda kind: dataclasses.replace(kind(1, [2], "h"), size=4),
    lambda kind: replace(kind(1), other=4),
    lambda kind: copy.deepcopy(kind(1, [2]), {}).parts if kind(1).parts == [] else None,
    lambda kind: kind(1) == kind(1, hidden="other"),
    lambda kind: kind(1) == kind(2),
    lambda kind: kind(1).__eq__(1),
    lambda kind: kind(1) < kind(1, [2]),
    lambda kind: kind(1) >= kind(2),
    lambda kind: kind(1) < 1,
    lambda kind: kind(1).double(),
    lambda kind: kind(1).parts is kind(1).parts,
    lambda kind: kind(1, [], None, 2),
    lambda kind: kind(other=1),
    lambda kind: kind.__match_args__,
    lambda kind: [one.name for one in fields(kind)],
    lambda kind: is_dataclass(kind),
    lambda kind: kind.kind,
    lambda kind: kind(1).unset,
    lambda kind: kind(1).__dict__,
    lambda kind: setattr(kind(1), "size", 2),
    lambda kind: delattr(kind(1), "size"),
    lambda kind: len({kind(1): 1, kind(1, [2]): 2, kind(1, hidden=3): 3}),
    lambda kind: kind.__hash__ is None,
    lambda kind: kind.__hash__ is object.__hash__,
    lambda kind: kind.__slots__,
]


@pytest.mark.parametrize("call", CALLS, ids=[str(at) for at in range(len(CALLS))])
def test_both_kinds_answer_alike(call: Callable[[Any], Any], pair: tuple[Any, Any]) -> None:
    ours, theirs = (_answer(call, kind) for kind in pair)
    assert ours == theirs


def _answer(call: Callable[[Any], Any], kind: Any) -> object:
    try:
        found = call(kind)
    except Exception as error:
        return type(error)
    return repr(found)


@slotted(frozen=True, order=True)
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError


def test_a_frozen_one_is_pickled_copied_and_hashed_by_its_fields() -> None:
    point = Point(1, 2)
    assert pickle.loads(pickle.dumps(point)) == point == copy.copy(point)
    assert hash(point) == hash((1, 2))
    assert sorted([Point(2), Point(1, 5)]) == [Point(1, 5), Point(2)]
    with pytest.raises(FrozenInstanceError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(ValueError):
        Point(-1)


def test_a_class_keeps_the_methods_that_it_has() -> None:
    @slotted()
    class Own:
        x: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Own(1)) == "own"
    assert Own(1) == Own(2)
    assert not is_slotted(int)


def test_a_cycle_of_values_is_shown_once() -> None:
    @slotted()
    class Link:
        next: object

    link = Link(None)
    link.next = link
    assert "..." in repr(link)


def test_every_class_of_ours_takes_what_a_data_class_would() -> None:
    classes = _ours()
    assert len(classes) > 150
    for kind in classes:
        body: dict[str, Any] = {
            "__annotations__": {n: one.type for n, one in declared(kind).items()}
        }
        twin = dataclass(type("twin", (), body | declared(kind)))
        if "__init__" in kind.__dict__ and kind.__init__.__name__ == "method":
            with pytest.raises(TypeError):
                kind(no_such_field=1)
            assert _parameters(kind) == _parameters(twin), kind
        assert {one.name for one in fields(kind)} == set(declared(kind))


def _ours() -> list[Any]:
    found = {}
    for package in ("base", "syntax", "knowledge", "project", "engine", "report"):
        root = importlib.import_module(f"jaxlint.{package}")
        for info in pkgutil.walk_packages(root.__path__, f"jaxlint.{package}."):
            for value in vars(importlib.import_module(info.name)).values():
                if isinstance(value, type) and "__slotted__" in value.__dict__:
                    found[value] = value
    return list(found)


def _parameters(kind: Any) -> list[tuple[str, object, object]]:
    found = inspect.signature(kind.__init__).parameters.values()
    return [(one.name, one.kind, one.default is inspect.Parameter.empty) for one in found]


def test_methods_are_compiled_when_they_are_called() -> None:
    program = (
        "from jaxlint.facts import Concretized\n"
        "assert Concretized.__init__.__name__ == 'method'\n"
        "try: Concretized()\nexcept TypeError: pass\n"
        "assert Concretized.__init__.__name__ == '__init__'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

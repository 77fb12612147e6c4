"""What jaxlint knows of attrs is what the installed attrs does."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from jaxlint.knowledge.attrs import COPIES, DECORATORS, FACTORY, FIELDS, POST_INIT

pytest.importorskip("attrs")


def found(dotted: str) -> Any:
    module, _, name = dotted.partition(".")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("field", sorted(FIELDS))
@pytest.mark.parametrize("decorator", sorted(DECORATORS))
def test_every_decorator_takes_every_field(decorator: str, field: str) -> None:
    make, calls = found(field), []

    class Record:
        first: int = make(converter=int)
        _second: list[int] = make(default=found(FACTORY)(list), kw_only=True)

    def noted(self: Any) -> None:
        calls.append(self)

    setattr(Record, POST_INIT, noted)
    cls: Any = found(decorator)(Record)
    made = cls("3", second=[1])
    assert (3, [1], [made]) == (made.first, made._second, calls)
    for copy in COPIES:
        changed = found(copy)(made, first=4)
        assert (4, [1]) == (changed.first, changed._second)

"""Answers about syntax are kept from one file to the next, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxlint.dataflow import memo

asked: list[int] = []


@memo.answered_once
def double(number: int) -> int:
    asked.append(number)
    return 2 * number


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    memo.forget()
    asked.clear()
    yield
    memo.forget()


def test_a_few_answers_are_kept() -> None:
    assert [2, 2] == [double(1), double(1)]
    memo.settle()

    assert 2 == double(1)
    assert [1] == asked


def test_many_answers_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "MOST_ANSWERS", 3)
    for number in range(4):
        double(number)
    memo.settle()

    assert 0 == double(0)
    assert [0, 1, 2, 3, 0] == asked

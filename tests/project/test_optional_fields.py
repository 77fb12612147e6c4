"""Fields that are None in all objects that a project makes, and that may hold other objects by
their annotations: code elsewhere may give them some."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, findings

from jaxlint.base.finding import Severity

MODEL = """\
from dataclasses import dataclass

import jax.numpy as jnp


class Memo:
    def __init__(self):
        self.kept = {}

    def keep(self, size, value):
        self.kept[size] = value
        return value


class Sums:
    def keep(self, size, value):
        return value + size


@dataclass(frozen=True)
class Model:
    rate: float
    memo: Memo | None = None

    def solve(self, x):
        y = jnp.sin(x) * self.rate
        if self.memo is not None:
            y = self.memo.keep(x.size, y)
        return y


def make_model(rate):
    return Model(rate)
"""
SOLVES = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames="model")
def solved(model, x):
    return model.solve(x)
"""
SILENT = {
    "another class": MODEL.replace("memo: Memo", "memo: Sums"),
    "no class": MODEL.replace("memo: Memo | None", "memo: object"),
    "it is always one": MODEL.replace("memo: Memo | None = None", "memo: Sums = Sums()"),
}


@pytest.mark.parametrize("annotation", ["Memo | None", "None | Sums | Memo", "Optional[Memo]"])
def test_what_an_annotation_allows_may_be_there(annotation: str) -> None:
    model = "from typing import Optional\n" + MODEL.replace("Memo | None", annotation)
    assert findings(model, SOLVES, PARTS) == [(PARTS, 12, Severity.WARNING)]


@pytest.mark.parametrize("name", SILENT)
def test_other_objects_are_not(name: str) -> None:
    assert findings(SILENT[name], SOLVES, PARTS) == []

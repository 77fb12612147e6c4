"""What is seen of a file without parsing it, and which files reach which."""

from __future__ import annotations

import random

import pytest

from jaxlint.project.file_facts import Reader
from jaxlint.project.graph import circles_of

LIBRARIES = ("brax", "chex", "einops", "flax", "jax", "jaxtyping", "optax")


@pytest.mark.parametrize(
    "text, name, expected",
    [
        ("import jax", "a", True),
        ("if x:\n    from flax import linen", "a", True),
        ("import os, chex.asserts as c", "a", True),
        ("importlib.import_module('optax.losses')", "a", True),
        ('pytest.importorskip("einops")', "a", True),
        ("load('jaxtyping')", "a", True),
        ("# jax, flax, chex", "a", False),
        ("x = 'relaxed', 'syntax.', 'chexmix', \"vertex\"", "a", False),
        ("import relaxed, jaxx", "a", False),
        ("from . import core  # of jax", "jax.numpy", True),
        ("from . import core", "numpy.linalg", False),
        ("\ufeffimport jax", "a", True),
    ],
)
def test_a_library_is_mentioned_where_it_may_be_imported(
    text: str, name: str, expected: bool
) -> None:
    found = Reader(LIBRARIES).contents("/a.py", name, text.encode())
    assert expected is found.mentions


def test_imports_of_the_standard_library_lead_nowhere() -> None:
    text = b"import os, json.tool\nfrom re import sub\nimport own, sys\nfrom .os import path\n"
    found = Reader(LIBRARIES).contents("/a.py", "a", text)
    assert [("own", 0), ("os", 1)] == [(one.module, one.level) for one in found.imports]


@pytest.mark.parametrize("seed", range(20))
def test_circles_are_what_reaches_each_other(seed: int) -> None:
    chance = random.Random(seed)
    size = chance.randrange(1, 12)
    edges = [[n for n in range(size) if chance.random() < 0.2] for _ in range(size)]

    def reached(start: int) -> set[int]:
        found, pending = {start}, [start]
        while pending:
            new = set(edges[pending.pop()]) - found
            found |= new
            pending += new
        return found

    circles = circles_of(edges)
    assert sorted(n for circle in circles for n in circle) == list(range(size))
    for number, circle in enumerate(circles):
        mutual = {n for n in range(size) if n in reached(circle[0]) and circle[0] in reached(n)}
        assert set(circle) == mutual
        behind = {n for before in circles[:number] for n in before}
        assert reached(circle[0]) <= behind | set(circle)

"""Calls of functions that another module compiles: what repeats is in the module that calls."""

from __future__ import annotations

import pytest

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

STEPS, RUN = "lib/steps.py", "lib/run.py"
COMPILED = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames=("rate", "count", "after"))
def advance(x, rate=0.1, count=1, after=None):
    for _ in range(count):
        x = x - rate * x
    return x if after is None else after(x)


@jax.jit
def plain(x, offset=0):
    return x + offset
"""
HEAD = "from lib.steps import advance, plain\n\n\n"
REPEATING = {
    "another number in each turn": (
        """\
def cool(x, rate):
    for _ in range(100):
        x = advance(x, rate=rate)
        rate *= 0.9
    return x
""",
        (6, "JAX507"),
    ),
    "the number of the turn": (
        """\
class Driver:
    def counted(self, x, turns):
        return [advance(x, count=turn) for turn in range(turns)]
""",
        (6, "JAX507"),
    ),
    "a lambda": (
        """\
def ends(xs, scale):
    return [advance(x, after=lambda end: scale * end) for x in xs]
""",
        (5, "JAX511"),
    ),
    "numbers of two types": (
        """\
def both(x):
    return plain(x, 1), plain(x, 1.0)
""",
        (5, "JAX509"),
    ),
}
ALIKE = {
    "the same number in each turn": """\
def cool(x, rate):
    for _ in range(100):
        x = advance(x, rate=rate)
    return x
""",
    "one function for all": """\
def ends(xs, scale):
    def end(x):
        return scale * x

    return [advance(x, after=end) for x in xs]
""",
    "one call": """\
def last(x, rate):
    return advance(x, rate=rate, after=lambda end: 2 * end)
""",
}


def reported(run: str) -> list[tuple[int, str]]:
    """The lines and codes that are reported in the calling module."""
    files = {"pyproject.toml": "", "lib/__init__.py": "", STEPS: COMPILED, RUN: run}
    session = Session(files=Memory(files))
    session.ask((RUN,))
    return [(one.span.line, one.code) for one in session.check(RUN).findings]


@pytest.mark.parametrize("name", REPEATING)
def test_what_compiles_again_is_reported_where_it_is_called(name: str) -> None:
    run, expected = REPEATING[name]
    assert reported(HEAD + run) == [expected]


@pytest.mark.parametrize("name", ALIKE)
def test_what_stays_the_same_is_not(name: str) -> None:
    assert reported(HEAD + ALIKE[name]) == []


def test_runs_that_only_make_objects_say_nothing_of_what_they_call() -> None:
    """Functions that make objects of a class run once more where such an object is presumed."""
    run = """\
from functools import partial

import jax


class Light:
    def __init__(self, width):
        self.width = width

    def spread(self, x):
        return self.width * x


@jax.jit
def grown(x, offset=0):
    return x + offset


def lit(x):
    return Light(2.0), grown(x, 1), grown(x, 1.0)


@partial(jax.jit, static_argnames="light")
def seen(light, x):
    return light.spread(x)
"""
    assert reported(run) == [(20, "JAX509")]


SCALED = """\
from functools import partial

import jax


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    @partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x * self.factor
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("    return [lib.Scaled(2.0).apply(x) for x in xs]\n", [(11, "JAX516")]),
        ("    one = lib.Scaled(2.0)\n    return [one.apply(x) for x in xs]\n", []),
    ],
)
def test_objects_of_a_loop_that_another_module_compiles_for(
    body: str, found: list[tuple[int, str]]
) -> None:
    run = f"import lib.scaled as lib\n\n\ndef every(xs):\n{body}"
    path = "lib/scaled.py"
    files = {"pyproject.toml": "", "lib/__init__.py": "", path: SCALED, RUN: run}
    session = Session(files=Memory(files))
    session.ask((RUN, path))
    assert [(one.span.line, one.code) for one in session.check(path).findings] == found

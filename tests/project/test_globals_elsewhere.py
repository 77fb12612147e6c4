"""Globals that compiled code reads, changed by functions of other files that nothing calls."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN

from jaxlint.project.file_facts import Reader
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

SETTINGS = "lib/settings.py"
DEFINES = """\
OPTIONS = {"rate": 0.5, "steps": 10}
RATE = 0.5


def choose(rate):
    global RATE
    RATE = rate
"""
READS = """\
import jax

from lib import settings
from lib.settings import OPTIONS


@jax.jit
def descend(weights):
    return weights - OPTIONS["rate"] * weights


@jax.jit
def follow(weights):
    return weights - settings.RATE * weights
"""
HALVES = """\
from .settings import OPTIONS


def halve():
    OPTIONS["rate"] *= 0.5
"""
THROUGH = """\
from lib import settings


def halve():
    settings.OPTIONS["rate"] = settings.OPTIONS["rate"] / 2
"""
OF_NAME = """\
from lib import settings


def halve():
    settings.RATE /= 2
"""
OTHERS = {
    "another key": HALVES.replace('"rate"', '"steps"'),
    "it is set": HALVES.replace("*=", "="),
    "it sets up": HALVES.replace("halve", "setup"),
    "it asks first": HALVES.replace("    OPT", "    if OPTIONS:\n        OPT"),
    "another dict": HALVES.replace("from .settings import OPTIONS", 'OPTIONS = {"rate": 1}'),
    "a dict of its own": HALVES.replace("():\n", '():\n    OPTIONS = {"rate": 1}\n'),
    "a dict that it is given": HALVES.replace("halve()", "halve(OPTIONS)"),
    "another name": OF_NAME.replace("RATE", "TITLE"),
    "another module": OF_NAME.replace("from lib import settings", "import types as settings"),
}


def lines(other: str, defines: str = DEFINES) -> list[int]:
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: defines, RUN: READS}
    session = Session(files=Memory({**files, PARTS: other}))
    session.ask([RUN])
    return [one.span.line for one in session.check(RUN).findings]


QUIET = DEFINES[: DEFINES.index("\n\ndef")]


@pytest.mark.parametrize(
    ("other", "expected"), [(HALVES, [9]), (THROUGH, [9]), (OF_NAME, [14]), ("", [])]
)
def test_a_change_by_what_was_there_is_seen(other: str, expected: list[int]) -> None:
    assert lines(other, QUIET) == expected


def test_the_module_of_a_global_sets_it() -> None:
    assert lines("") == [14]


@pytest.mark.parametrize("name", OTHERS)
def test_what_may_come_before_is_not(name: str) -> None:
    assert lines(OTHERS[name], QUIET) == []


def test_what_is_taken_from_a_file_that_hands_it_on() -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/base.py": QUIET}
    files |= {SETTINGS: "from .base import OPTIONS, RATE\n", RUN: READS, PARTS: HALVES}
    session = Session(files=Memory(files))
    session.ask([RUN])
    assert [one.span.line for one in session.check(RUN).findings] == [9]


def test_what_a_test_compiles_only_the_test_calls() -> None:
    name = "tests/test_run.py"
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: DEFINES, name: READS}
    session = Session(files=Memory({**files, PARTS: HALVES}))
    session.ask([name])
    assert not session.check(name).findings


def test_a_change_that_is_added_is_noticed() -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: QUIET, RUN: READS, PARTS: ""}
    system = Memory(files)
    session = Session(files=system)
    session.ask([RUN])
    assert not session.check(RUN).findings
    system.contents[PARTS] = HALVES.encode()
    session.changed(PARTS)
    assert [one.span.line for one in session.check(RUN).findings] == [9]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from .a import B\nB[0] = 1\n", ("B",)),
        ("from a import (B, C)\nB['x'] *= 1\nC[i] == 2\n", ("B",)),
        ("import B\nB[0] = 1\nC[0] = 2\n", ()),
        ("from a import *\nB[0] = 1\n", ()),
    ],
)
def test_what_is_set_is_read_from_the_text(text: str, expected: tuple[str, ...]) -> None:
    assert Reader(("jax",)).contents("/a.py", "a", text.encode()).stored == expected


WRAPS = """\
import functools

import jax


def compiled(function):
    fast = jax.jit(function)

    @functools.wraps(function)
    def wrapper(*arguments):
        return fast(*arguments)

    return wrapper
"""
FADES = """\
import jax.numpy as jnp

from lib.settings import compiled

SHARE = 0.5


def fading(x, turns):
    rest = 1.0

    @compiled
    def lost(x):
        return jnp.abs(x) / rest

    found = []
    for _ in range(turns):
        found.append(lost(x))
        rest = 0.9 * rest
    return found


@compiled
def shared(x):
    return SHARE * x


def halve():
    global SHARE
    SHARE *= 0.5
"""


def wrapped(text: str) -> list[int]:
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: WRAPS, RUN: text}
    session = Session(files=Memory(files))
    session.ask([RUN])
    return [one.span.line for one in session.check(RUN).findings]


def test_a_function_that_another_file_compiles_reads_what_its_own_file_changes() -> None:
    assert wrapped(FADES) == [13, 24]


def test_what_does_not_change_between_the_calls_is_read_once_and_for_all() -> None:
    assert (
        wrapped(FADES.replace("rest = 0.9 * rest", "x = 0.9 * x").split("\n\n@compiled")[0]) == []
    )

"""Globals that compiled code reads, changed elsewhere between two calls of what was compiled, and
by functions that are given the key."""

from __future__ import annotations

import pytest
from test_globals_elsewhere import SETTINGS
from test_presumed_objects import PARTS, RUN

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

SCRIPT = "scripts/sweep.py"
DEFINES = """\
import dataclasses


@dataclasses.dataclass
class Options:
    scale: float = 0.5


OPTIONS = Options()
RATES = {"low": 0.5, "high": 1.0}
LIMIT = 2.0
"""
READS = """\
import jax

from lib import settings
from lib.settings import OPTIONS, RATES


@jax.jit
def scaled(x):
    return x * OPTIONS.scale


@jax.jit
def rated(x):
    return x * RATES["low"]


def make():
    @jax.jit
    def limited(x):
        return x * settings.LIMIT

    return limited
"""
HEAD = "from lib import run, settings\nfrom lib.settings import OPTIONS, RATES\n\n\n"
TOP = HEAD + "a = run.scaled(1.0)\nOPTIONS.scale = 2.0\nb = run.scaled(1.0)\n"
BETWEEN = {
    "in a script": (TOP, [9]),
    "in a function": (
        HEAD + "def both(x):\n    a = run.rated(x)\n    RATES['low'] = 2.0\n"
        "    return a, run.rated(x)\n",
        [14],
    ),
    "in a loop": (
        HEAD + "def sweep(x):\n    for rate in (1.0, 2.0):\n        RATES['low'] = rate\n"
        "        print(run.rated(x))\n",
        [14],
    ),
    "what was made": (
        HEAD + "def both(x, make=run.make):\n    limited = make()\n    a = limited(x)\n"
        "    settings.LIMIT = 3.0\n    return a, limited(x)\n",
        [20],
    ),
}
FINE = {
    "before all calls": TOP.replace("a = run.scaled(1.0)\n", ""),
    "behind all calls": TOP.replace("b = run.scaled(1.0)\n", ""),
    "another function": TOP.replace("run.scaled", "print"),
    "it makes them forget": TOP.replace("b =", "run.scaled.clear_cache()\nb ="),
    "another attribute": TOP.replace("OPTIONS.scale", "OPTIONS.title"),
    "each turn makes one": (
        HEAD + "def sweep(x):\n    for limit in (1.0, 2.0):\n        settings.LIMIT = limit\n"
        "        limited = run.make()\n        print(limited(x))\n"
    ),
    "it sets it back": (
        HEAD + "def both(x):\n    old = RATES['low']\n    a = run.rated(x)\n    try:\n"
        "        RATES['low'] = 2.0\n        b = run.rated(x)\n    finally:\n"
        "        RATES['low'] = old\n    return a, b\n"
    ),
}
SETTERS = {
    "by a key": "def choose(name, value):\n    RATES[name] = value\n",
    "by keywords": "def choose(**given):\n    RATES.update(given)\n",
    "unpacked": "def choose(**given):\n    RATES.update(**given)\n",
    "a dict": "def choose(given):\n    RATES.update(given)\n",
}
QUIET = {
    "it sets up": "def setup(name, value):\n    RATES[name] = value\n",
    "a dict of its own": "def choose(name, value):\n    RATES = {}\n    RATES[name] = value\n",
    "it reads": "def choose(name):\n    return RATES[name]\n",
}


def lines(path: str, text: str, defines: str = DEFINES) -> list[int]:
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: defines, RUN: READS}
    session = Session(files=Memory({**files, path: text}))
    session.ask([RUN])
    return [one.span.line for one in session.check(RUN).findings]


@pytest.mark.parametrize("name", BETWEEN)
def test_a_change_between_two_calls_is_seen(name: str) -> None:
    text, expected = BETWEEN[name]
    assert lines(SCRIPT, text) == expected


@pytest.mark.parametrize("name", FINE)
def test_other_changes_are_not(name: str) -> None:
    assert lines(SCRIPT, FINE[name]) == []


def test_what_tests_change_only_tests_see() -> None:
    assert lines("tests/test_sweep.py", TOP) == []


@pytest.mark.parametrize("name", SETTERS)
def test_a_function_that_is_given_the_key_may_change_any(name: str) -> None:
    assert lines(PARTS, "", f"{DEFINES}\n\n{SETTERS[name]}") == [14]


@pytest.mark.parametrize("name", QUIET)
def test_other_functions_change_none(name: str) -> None:
    assert lines(PARTS, "", f"{DEFINES}\n\n{QUIET[name]}") == []

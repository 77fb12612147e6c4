"""Attributes of a global object that compiled code reads, changed by functions that nothing calls,
and for a while by context managers."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

SETTINGS = "lib/settings.py"
DEFINES = """\
import contextlib
import dataclasses


@dataclasses.dataclass
class Settings:
    rate: float = 0.5
    steps: int = 10
    rule: object = print


SETTINGS = Settings()
"""
READS = """\
import jax

from lib import settings
from lib.settings import SETTINGS


@jax.jit
def descend(weights):
    return weights - SETTINGS.rate * weights
"""
MANAGER = """

@contextlib.contextmanager
def slower(rate):
    old, SETTINGS.rate = SETTINGS.rate, rate
    try:
        yield
    finally:
        SETTINGS.rate = old
"""
SETTER = """

def choose(rate):
    SETTINGS.rate = rate
"""
INSIDE = {
    "a setter": SETTER,
    "a context manager": MANAGER,
    "a method": SETTER.replace(
        "def choose(rate):\n    ", "class Choice:\n    def take(self, rate):\n        "
    ),
    "a factor": SETTER.replace("= rate", "*= rate"),
}
SILENT = {
    "nothing": "",
    "another attribute": SETTER.replace("SETTINGS.rate", "SETTINGS.steps"),
    "an object of its own": SETTER.replace("    SETT", "    SETTINGS = Settings()\n    SETT"),
    "another object": SETTER.replace("SETTINGS.", "OTHERS.") + "\n\nOTHERS = Settings()\n",
    "it is set back": MANAGER.replace("        yield\n", "        print()\n").replace(
        "@contextlib.contextmanager\n", ""
    ),
    "it sets up": SETTER.replace("choose", "setup"),
    "an attribute that holds a function": SETTER.replace(".rate", ".rule"),
}
THROUGH = """\
from lib import settings


def halve():
    settings.SETTINGS.rate /= 2
"""
OF_NAME = """\
from lib.settings import SETTINGS


def halve():
    SETTINGS.rate *= 0.5
"""
OTHERS = {
    THROUGH: [9],
    OF_NAME: [9],
    OF_NAME.replace("*= 0.5", "= 0.5"): [],
    OF_NAME.replace("halve()", "halve(SETTINGS)"): [],
    OF_NAME.replace("lib.settings", "types"): [],
}


def lines(defines: str, other: str = "") -> list[int]:
    files = {"pyproject.toml": "", "lib/__init__.py": "", SETTINGS: DEFINES + defines, RUN: READS}
    session = Session(files=Memory({**files, PARTS: other}))
    session.ask([RUN])
    return [one.span.line for one in session.check(RUN).findings]


@pytest.mark.parametrize("how", INSIDE)
def test_the_module_of_an_object_changes_it(how: str) -> None:
    assert lines(INSIDE[how]) == [9]


@pytest.mark.parametrize("how", SILENT)
def test_what_is_no_change_of_what_is_read(how: str) -> None:
    assert lines(SILENT[how]) == []


@pytest.mark.parametrize("other", OTHERS)
def test_another_module_changes_it_by_what_was_there(other: str) -> None:
    assert lines("", other) == OTHERS[other]

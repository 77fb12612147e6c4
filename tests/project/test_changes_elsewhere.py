"""Attributes that compiled methods read, changed by functions of other files that are given the
object and do not name its class."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity
from jaxlint.project.file_facts import Reader
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

PREDICTOR = """\
import jax


class Predictor:
    def __init__(self, weight, temperature=1.0):
        self.weight = weight
        self.temperature = temperature
        self.scores = jax.jit(self._scores)

    def _scores(self, x):
        return self.weight * x / self.temperature
"""
CALIBRATES = """\
def calibrated(predictor, x, temperatures):
    found = []
    for temperature in temperatures:
        predictor.temperature = temperature
        found.append(float(predictor.scores(x)))
    return found
"""
READS = CALIBRATES.replace("predictor.temperature =", "_ =")
OTHERS = {
    "nothing of it is used": CALIBRATES.replace("predictor.scores", "float"),
    "another attribute": CALIBRATES.replace("predictor.temperature", "predictor.title"),
    "what it does not have": CALIBRATES.replace("found = []", "predictor.open()\n    found = []"),
    "an annotation": CALIBRATES.replace("(predictor,", "(predictor: 'Oven',"),
}
WARNED = [(PARTS, 11, Severity.WARNING)]


def test_a_change_in_another_file_is_seen() -> None:
    assert findings(PREDICTOR, CALIBRATES, RUN, PARTS) == WARNED


def test_the_file_alone_hears_of_it() -> None:
    assert findings(PREDICTOR, CALIBRATES, PARTS) == WARNED


@pytest.mark.parametrize("name", OTHERS)
def test_what_may_be_another_object_is_not(name: str) -> None:
    oven = "\n\nclass Oven:\n    def open(self):\n        self.temperature = 20\n"
    assert findings(PREDICTOR + oven, OTHERS[name], RUN, PARTS) == []


def test_a_change_that_is_added_is_noticed() -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", PARTS: PREDICTOR, RUN: READS}
    system = Memory(files)
    session = Session(files=system)
    session.ask([PARTS])
    assert not session.check(PARTS).findings
    system.contents[RUN] = CALIBRATES.encode()
    session.changed(RUN)
    assert [one.span.line for one in session.check(PARTS).findings] == [11]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b = 1\nc.d.e += 2\nf.g[0] = 3\nh.i[j:k] *= 4\n", ("b", "e", "g", "i")),
        ("self.a.b = 1\nself.c.d[0] **= 2\n", ("b", "d")),
        ("self.a = 1\nself.b[0] = 2\nself.c += 3\nother = 4\nd[0] = 5\n", ()),
        ("a.b == 1\nc.d <= 2\ne.f[0] == 3\ng.h(i=1)\n", ()),
    ],
)
def test_what_is_set_is_read_from_the_text(text: str, expected: tuple[str, ...]) -> None:
    assert Reader(("jax",)).contents("/a.py", "a", text.encode()).stored == expected

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


BASE = """\
import jax


class Stepper:
    def __init__(self, rate):
        self.rate = rate
        self.step = jax.jit(self._step)

    def _step(self, x):
        return x - self.rate * self.slope(x)

    def slope(self, x):
        return x
"""
HEIR = """\
from lib.parts import Stepper


class Powered(Stepper):
    def __init__(self, rate, power):
        super().__init__(rate)
        self.power = power

    def slope(self, x):
        return self.power * x

    def strengthen(self):
        self.power *= 2
"""


def test_what_a_base_in_another_file_compiles_reads_what_an_heir_changes() -> None:
    assert findings(BASE, HEIR, RUN, PARTS) == [(RUN, 10, Severity.WARNING)]


def test_what_an_heir_sets_up_is_no_change() -> None:
    heir = HEIR.replace("strengthen", "setup").replace("self.power * x", "x")
    assert findings(BASE, heir, RUN, PARTS) == []


SHIFT = """\
import jax.numpy as jnp
import numpy as np


class Shift:
    def __init__(self, size):
        self.shift = np.zeros(size)

    def __call__(self, x):
        return x + jnp.asarray(self.shift)
"""
APPLIES = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames="steps")
def applied(x, steps):
    for step in steps:
        x = step(x)
    return x
"""
USES = """\
import jax.numpy as jnp

from lib.parts import Shift
from lib.run import applied


class Player:
    def __init__(self, size):
        self.shift = Shift(size)
        self.steps = (self.shift,)

    def play(self, x):
        return applied(jnp.asarray(x), self.steps)

    def move(self, at):
        self.shift.shift[at] = 1.0
"""
PLAYER = "lib/player.py"


def test_what_a_file_leads_the_compiled_code_of_another_one_to() -> None:
    assert findings(SHIFT, APPLIES, PLAYER, PARTS, player=USES) == [(PARTS, 10, Severity.WARNING)]


def test_an_attribute_of_a_new_object_of_another_class_is_another() -> None:
    changed = USES.replace("        self.steps", "        self.own = Own()\n        self.steps")
    changed = changed.replace("self.shift.shift[at]", "self.own.shift[at]")
    changed += "\n\nclass Own:\n    def __init__(self):\n        self.shift = [0.0]\n"
    assert findings(SHIFT, APPLIES, PLAYER, PARTS, player=changed) == []


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

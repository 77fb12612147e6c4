"""Methods that only make changed copies, called of objects that nothing in sight makes.

In each case `lib/parts.py` has the classes and `lib/run.py` the statements that call their methods.
"""

from __future__ import annotations

import pytest

from jaxlint.base.finding import Severity
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

PARTS = """\
import dataclasses

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Averages:
    total: jax.Array

    def add(self, value):
        return self.replace(total=self.total + value)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Bodies:
    rot: jax.Array

    def normalised(self):
        return dataclasses.replace(self, rot=self.rot / jnp.linalg.norm(self.rot))


class Lens:
    def __init__(self, gaps):
        if not gaps:
            raise ValueError("a lens has gaps")
        self.gaps = tuple(gaps)

    def with_gap(self, at, gap):
        gaps = list(self.gaps)
        gaps[at] = gap
        return Lens(gaps)

    def refocused(self, shift):
        return self.with_gap(-1, self.gaps[-1] + shift)


class Journal:
    def __init__(self):
        self.pages = []

    def written(self, page):
        self.pages.append(page)
        return self


class Frozen(Lens):
    def turned(self):
        return Frozen(self.gaps)


class Motor:
    def turned(self):
        self.angle = 1.0
        return self
"""


LOST = {
    "a method that few objects have": "def run(b):\n    b.normalised()\n    return b\n",
    "one that calls others": "def run(lens):\n    lens.refocused(0.1)\n    return lens\n",
    "a name like that of a class": "def run(averages):\n    averages.add(1.0)\n",
    "an annotation": """\
from lib.parts import Averages


def run(total: Averages):
    total.add(1.0)
    return total
""",
    "a parameter of compiled code": """\
@jax.jit
def run(averages, x):
    averages.add(x)
    return averages
""",
    "an attribute": """\
class Trainer:
    def __init__(self, lens):
        self.lens = lens

    def run(self):
        self.lens.refocused(0.1)
        return self.lens
""",
    "a state of training": """\
def run(state, grads):
    state.apply_gradients(grads=grads)
    return state
""",
}
FINE = {
    "a set": "def run(seen, x):\n    seen.add(x)\n",
    "a method that changes its object": "def run(journal, x):\n    journal.written(x)\n",
    "one that does so in another class": "def run(motor):\n    motor.turned()\n",
    "a call that is tried": """\
def run(lens):
    try:
        lens.with_gap(9, 1.0)
    except IndexError:
        return False
    return True
""",
    "a call that is timed": "def benchmark(lens):\n    lens.refocused(0.1)\n",
    "a result that is taken": "def run(lens):\n    lens = lens.refocused(0.1)\n    return lens\n",
    "no state of training": "def run(optimizer, pairs):\n    optimizer.apply_gradients(pairs)\n",
}


def lines_lost(run: str, parts: str = PARTS) -> list[str]:
    """The statements of `lib/run.py` that are said to do nothing."""
    text = f"import jax\n\n{run}"
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/parts.py": parts, "lib/run.py": text}
    session = Session(files=Memory(files))
    session.ask(["lib/run.py", "lib/parts.py"])
    found = [one for one in session.check("lib/run.py").findings if one.code == "JAX155"]
    assert {one.severity for one in found} <= {Severity.WARNING}
    return [text.splitlines()[one.span.line - 1].strip() for one in found]


@pytest.mark.parametrize("name", LOST)
def test_a_copy_is_lost_that_a_class_of_the_project_makes(name: str) -> None:
    lines = [line.strip() for line in LOST[name].splitlines()]
    calls = [line for line in lines if line.endswith(")") and "=" not in line.partition("(")[0]]
    assert lines_lost(LOST[name]) == calls


@pytest.mark.parametrize("name", FINE)
def test_what_changes_something_or_may_be_another_object_is_left_alone(name: str) -> None:
    assert lines_lost(FINE[name]) == []


def test_a_state_that_takes_gradients_in_place_is_one_of_the_project() -> None:
    method = "def apply_gradients(self, grads):\n        self.last = grads"
    parts = f"{PARTS}\n\nclass State:\n    {method}\n"
    assert lines_lost(LOST["a state of training"], parts) == []


def test_a_method_that_begins_to_change_its_object_is_noticed() -> None:
    run = f"import jax\n\n{LOST['a method that few objects have']}"
    files = Memory({"lib/__init__.py": "", "lib/parts.py": PARTS, "lib/run.py": run})
    session = Session(files=files)
    session.ask(["lib/run.py", "lib/parts.py"])
    assert [one.span.line for one in session.check("lib/run.py").findings] == [4]
    changing = "self.rot = self.rot * 2\n        return self"
    changed = PARTS.replace(
        "return dataclasses.replace(self, rot=self.rot / ",
        f"{changing}\n\n    def unit(self):\n        return (self.rot / ",
    )
    files.contents["lib/parts.py"] = changed.encode()
    session.changed("lib/parts.py")
    assert session.check("lib/run.py").findings == ()

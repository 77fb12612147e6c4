"""Objects that traced code is given and that nothing in sight makes: what code asks of them tells
which classes they may be of.

In each case `lib/parts.py` has the classes, whose lines are the findings, and `lib/run.py` the code
that is compiled and does not know them.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from jaxlint.base.finding import Severity
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

PARTS, RUN = "lib/parts.py", "lib/run.py"

WALKS = """\
import jax.numpy as jnp


class Kernel:
    def step(self, x):
        raise NotImplementedError


class Walk(Kernel):
    def step(self, x):
        return x + 1


class Greedy(Kernel):
    def step(self, x):
        if x > 0:
            return x
        return -x
"""
STATIC = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames="kernel")
def run(kernel, x):
    return kernel.step(x)
"""
CLOSURE = """\
import jax


def compiled(kernel):
    @jax.jit
    def run(x):
        return kernel.step(x)

    return run
"""
FIELD = """\
from functools import partial

import jax


class Chain:
    def __init__(self, kernel):
        self.kernel = kernel

    @partial(jax.jit, static_argnums=0)
    def run(self, x):
        return self.kernel.step(x)
"""
HANDED_ON = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames="kernel")
def run(kernel, x):
    return jax.lax.fori_loop(0, 3, lambda i, x: kernel.step(x), x)
"""
ANNOTATED = """\
from functools import partial

import jax

from lib.parts import Kernel


@partial(jax.jit, static_argnames="kernel")
def run(kernel: Kernel, x):
    return kernel.step(x)
"""
CALLED = """\
import jax


def fit(likelihood):
    return jax.jit(lambda x: likelihood(x))
"""
LIKELIHOODS = """\
class Likelihood:
    def __call__(self, x):
        raise NotImplementedError


class Clipped(Likelihood):
    def __call__(self, x):
        if x > 0:
            return x
        return -x
"""
GIVEN = """\
from functools import partial

import jax

from lib.parts import Likelihood


class Chain:
    def __init__(self, target: Likelihood):
        self.target = target

    @partial(jax.jit, static_argnums=0)
    def run(self, x):
        return self.target(x)
"""
HELD = """\
from dataclasses import dataclass
from functools import partial

import jax

from lib.parts import Likelihood


@dataclass(frozen=True)
class Chain:
    target: Likelihood

    @partial(jax.jit, static_argnums=0)
    def run(self, x):
        return self.target(x)
"""
INNER = """\
class Env:
    def step(self, x):
        return x, x > 3


class Plain(Env):
    pass


class Wrapper:
    def __init__(self, env):
        self.env = env

    def step(self, x):
        return self.env.step(x)


class Reset(Wrapper):
    def step(self, x):
        x, done = self.env.step(x)
        return 0 if done else x
"""
FUNCTIONS = """\
import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Problem:
    objective: Callable
    bound: float


def steep():
    def objective(x):
        return x if x > 0 else -x

    return Problem(objective, 3.0)
"""
DESCENDS = """\
from functools import partial

import jax


@partial(jax.jit, static_argnames="problem")
def run(problem, x):
    return problem.objective(x) + problem.bound
"""
LEAVES = """\
import jax
from flax import struct


@struct.dataclass
class Replay:
    rewards: jax.Array
    size: jax.Array

    def average(self):
        if self.size > 0:
            return self.rewards.sum() / self.size
        return 0.0
"""
READS = """\
import jax


@jax.jit
def report(replay):
    return replay.average() + replay.rewards.max()
"""
DUCKS = """\
class Meter:
    def note(self, name, value):
        pass


class Printer:
    def note(self, name, value):
        if value > 0:
            pass
"""
NOTES = """\
import jax


def noted(recorder):
    @jax.jit
    def run(x):
        recorder.note("x", x)
        return x

    return run
"""


@dataclass(frozen=True)
class Case:
    """Classes, the code that is given their objects, and the lines of the findings."""

    parts: str
    run: str
    lines: tuple[int, ...]


CASES = {
    "a static argument": Case(WALKS, STATIC, (16,)),
    "a name of a function around": Case(WALKS, CLOSURE, (16,)),
    "an attribute": Case(WALKS, FIELD, (16,)),
    "in a loop of JAX": Case(WALKS, HANDED_ON, (16,)),
    "an annotation": Case(WALKS, ANNOTATED, (16,)),
    "an object that is called": Case(LIKELIHOODS, CALLED, (8,)),
    "an attribute that is called": Case(LIKELIHOODS, GIVEN, (8,)),
    "a field that is called": Case(LIKELIHOODS, HELD, (8,)),
    "an object in an object": Case(INNER, STATIC.replace("kernel", "env"), (21,)),
    "functions that a dataclass holds": Case(FUNCTIONS, DESCENDS, (13,)),
    "a pytree": Case(LEAVES, READS, (11,)),
    "classes with nothing in common but what they take": Case(DUCKS, NOTES, (8,)),
}
every_case = pytest.mark.parametrize("name", CASES)

OTHER = {
    "a method that takes other arguments": WALKS.replace("self, x", "self, key, x"),
    "a method with an argument more": WALKS.replace("self, x", "self, x, rate"),
    "a method that is called otherwise": WALKS.replace("step", "advance"),
    "classes of several kinds that do not take the same": """\
class Walk:
    def step(self, x):
        if x > 0:
            return x
        return -x


class Clock:
    def step(self, seconds):
        return seconds
""",
}


def findings(parts: str, run: str, *asked: str, **others: str) -> list[tuple[str, int, Severity]]:
    """What is found in the files asked for; `others` are more modules of the library."""
    files = {"pyproject.toml": "", "lib/__init__.py": "", PARTS: parts, RUN: run}
    files |= {f"lib/{name}.py": text for name, text in others.items()}
    session = Session(files=Memory(files))
    session.ask(asked)
    return [
        (path, one.span.line, one.severity)
        for path in asked
        for one in session.check(path).findings
    ]


@every_case
def test_classes_that_have_what_is_asked_are_followed(name: str) -> None:
    case = CASES[name]
    warned = [(PARTS, line, Severity.WARNING) for line in case.lines]
    assert warned == findings(case.parts, case.run, RUN, PARTS)


@every_case
def test_a_file_alone_hears_of_code_that_does_not_name_it(name: str) -> None:
    case = CASES[name]
    warned = [(PARTS, line, Severity.WARNING) for line in case.lines]
    assert warned == findings(case.parts, case.run, PARTS)


@pytest.mark.parametrize("name", OTHER)
def test_other_classes_are_not(name: str) -> None:
    assert findings(OTHER[name], STATIC, RUN, PARTS) == []


def test_an_annotation_leaves_no_other_class() -> None:
    assert findings(WALKS, ANNOTATED.replace("Kernel", "Walk"), RUN, PARTS) == []


def test_a_protocol_is_one_without_a_name() -> None:
    protocol = "\n\nclass Stepping(Protocol):\n    def step(self, x): ...\n"
    parts = f"from typing import Protocol\n\n{WALKS}{protocol}"
    found = findings(parts, ANNOTATED.replace("Kernel", "Stepping"), RUN, PARTS)
    assert found == [(PARTS, 18, Severity.WARNING)]


def test_all_that_can_be_called_fits_a_protocol_of_that() -> None:
    protocol = "\n\nclass Target(Protocol):\n    def __call__(self, x): ...\n"
    parts = f"from typing import Protocol\n\n{LIKELIHOODS}{protocol}"
    assert findings(parts, GIVEN.replace("Likelihood", "Target"), RUN, PARTS) == []


def test_scripts_that_nobody_brings_together_are_strangers() -> None:
    files = {"pyproject.toml": "", "walks.py": WALKS, "run.py": STATIC}
    session = Session(files=Memory(files))
    session.ask(files)
    assert session.check("walks.py").findings == ()
    files["both.py"] = "import run\nimport walks\n"
    session = Session(files=Memory(files))
    session.ask(files)
    assert [one.span.line for one in session.check("walks.py").findings] == [16]


def test_tests_make_what_they_use() -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", PARTS: WALKS, "tests/test_run.py": STATIC}
    session = Session(files=Memory(files))
    session.ask([PARTS, "tests/test_run.py"])
    assert session.check(PARTS).findings == ()


def test_classes_of_tests_are_for_tests() -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", RUN: STATIC, "tests/fakes.py": WALKS}
    session = Session(files=Memory(files))
    session.ask([RUN, "tests/fakes.py"])
    assert session.check("tests/fakes.py").findings == ()


def test_a_class_that_gets_what_is_asked_is_noticed() -> None:
    files = Memory({"lib/__init__.py": "", PARTS: WALKS.replace("step", "go"), RUN: STATIC})
    session = Session(files=files)
    session.ask([RUN, PARTS])
    assert session.check(PARTS).findings == ()
    files.contents[PARTS] = WALKS.encode()
    session.changed(PARTS)
    assert [one.span.line for one in session.check(PARTS).findings] == [16]

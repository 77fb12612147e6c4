"""What is known of objects after a call that was not followed."""

from __future__ import annotations

import pytest

from jaxlint.engine.machine import activation
from jaxlint.testing.lint import reveals

HEAD = "import jax\nimport jax.numpy as jnp\n"
CALL = """
@jax.jit
def f(x):
    made = Made(x)
    reveal(made.size)  # followed
    made.change(1)
    made.change(2.0)
    made.change(True)
    reveal(made.size)  # not followed
    reveal(made.other)
    return x


f(jnp.ones(3))
"""
ITSELF = """
class Made:
    def __init__(self, x):
        self.size, self.other = 1, 1

    def change(self, how):
        self.size = how
"""
BY_A_METHOD = """
class Base:
    def set(self, how):
        self.size = how

    def change(self, how):
        self.set(how)


class Made(Base):
    def __init__(self, x):
        self.size, self.other = 1, 1

    def change(self, how):
        super().change(how)
"""
BY_AUGMENTED_ASSIGNMENT = """
class Made:
    def __init__(self, x):
        self.size, self.other = 1, 1

    def change(self, how):
        self.size += how
"""
OF_THE_CLASS = """
class Made:
    size, other = 1, 1

    def __init__(self, x):
        pass

    def change(self, how):
        self.size = how
"""


@pytest.mark.parametrize("cls", [ITSELF, BY_A_METHOD, BY_AUGMENTED_ASSIGNMENT, OF_THE_CLASS])
def test_an_attribute_that_a_call_sets_is_unknown_where_the_call_is_not_followed(
    cls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "MOST_RUNS", 2)
    program = HEAD + cls + CALL
    found = reveals(program, "m.py")
    lines = program.splitlines()
    followed, left_out, other = (at for at, line in enumerate(lines, 1) if "reveal(" in line)

    assert {followed: "static", left_out: "unknown", other: "static"} == found


# -- containers, and what lies behind other names --------------------------------------------------

KEPT = """
class Kept:
    NAMED = 1

    def __init__(self):
        self.stack, self.other = [1], [1]
        self.inner = Inner()

    def change(self, how):
        %s


class Inner:
    def __init__(self):
        self.stack = [1]

    def fill(self, how):
        self.stack.append(how)


def fill(stack, how):
    stack.append(how)


STACK = NAMED = [1]
kept = Kept()


@jax.jit
def f(x):
    reveal(%s[-1])
    kept.change(1)
    kept.change(2.0)
    kept.change(True)
    reveal(%s[-1])
    reveal(kept.other[-1])
    return x


f(jnp.ones(3))
"""
BEHIND = [
    ("self.stack.append(how)", "kept.stack"),
    ("self.stack[0] = how", "kept.stack"),
    ("del self.stack[how]", "kept.stack"),
    ("self.inner.fill(how)", "kept.inner.stack"),
    ("self.inner.stack.append(how)", "kept.inner.stack"),
    ("fill(self.stack, how)", "kept.stack"),
    ("fill(how=how, stack=self.stack)", "kept.stack"),
    ("stack = self.stack; stack.append(how)", "kept.stack"),
    ("STACK.append(how)", "STACK"),
    ("fill(STACK, how)", "STACK"),
    ("NAMED.append(how)", "NAMED"),
]


@pytest.mark.parametrize(("how", "what"), BEHIND)
def test_a_container_that_a_call_changes_is_unknown_where_the_call_is_not_followed(
    how: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "MOST_RUNS", 2)
    program = HEAD + KEPT % (how, what, what)
    found = reveals(program, "m.py")
    before, after, other = (
        at for at, line in enumerate(program.splitlines(), 1) if "reveal(" in line
    )

    assert {before: "static", after: "unknown", other: "static"} == found


SHADOWED = ["stack = [how]; stack.append(how)", "kept = Kept(); kept.other[0] = how"]


@pytest.mark.parametrize("how", SHADOWED)
def test_a_container_of_the_call_itself_is_none_of_those_around(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "MOST_RUNS", 2)
    program = HEAD + KEPT % (how, "kept.stack", "kept.stack")

    assert set(reveals(program, "m.py").values()) == {"static"}

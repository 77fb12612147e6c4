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

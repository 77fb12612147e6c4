"""Objects that functions make which nobody calls, such as `main` and tests: what their fields hold
is what any of them may hold."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint.base.finding import Severity
from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint

PROGRAM = """
    import jax

    class Clipped:
        def __call__(self, x):
            return x if x > 0 else -x

    class Chain:
        def __init__(self, {field}s):
            self.{field}s = {made}

        def __call__(self, x):
            {run}
            return x

    def main(x):
        return jax.jit(Chain({given}))(x)
"""
CASES = {
    "one": PROGRAM.format(field="step", made="steps", run="x = self.steps(x)", given="Clipped()"),
    "several": PROGRAM.format(
        field="step",
        made="tuple(steps)",
        run="for step in self.steps: x = step(x)",
        given="[Clipped(), Clipped()]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_function_gives_an_object_is_followed(name: str) -> None:
    found = lint(textwrap.dedent(CASES[name]), "program.py", rules_in("jaxlint.rules"))
    assert [(6, Severity.WARNING)] == [
        (one.span.line, one.severity) for one in found if one.code == "JAX301"
    ]


COMPILED = """
    import jax

    @jax.jit
    def step(x, flag):
        if flag:
            return x
        return -x

    def run(x, count):
        {calls}
"""


@pytest.mark.parametrize(
    "calls, lines",
    [
        ("return step(x, True)", [6]),
        ("return step(x, count > 3)", [6]),
        ("return step(x, not count)", [6]),
        ("return step(x, count)", []),
        ("return step(x, True), step(x, None)", []),
    ],
)
def test_a_parameter_that_calls_give_numbers_is_one(calls: str, lines: list[int]) -> None:
    program = textwrap.dedent(COMPILED.format(calls=calls))
    found = lint(program, "program.py", rules_in("jaxlint.rules"))
    assert lines == [one.span.line for one in found if one.code == "JAX301"]

"""What a setting guards is reported, but as no certain error."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint.base.finding import Severity
from jaxlint.registry import rules_in
from jaxlint.testing.lint import lint

SETTING = """
    import time
    import jax
    from elsewhere import Settings

    settings = Settings()

    @jax.jit
    def step(x):
        if settings.timed:
            started = time.time()
            return x * started
        return x
"""
CERTAIN = """
    import jax

    @jax.jit
    def step(x):
        return float(x)

    step(1.0)
"""


@pytest.mark.parametrize(
    "program, severities",
    [
        (SETTING, {Severity.WARNING}),
        (CERTAIN, {Severity.ERROR}),
    ],
    ids=["setting", "certain"],
)
def test_what_may_be_switched_off_is_no_error(program: str, severities: set[Severity]) -> None:
    found = lint(textwrap.dedent(program), "program.py", rules_in("jaxlint.rules"))
    assert severities == {one.severity for one in found if one.code in ("JAX110", "JAX310")}

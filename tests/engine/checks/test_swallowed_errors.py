"""Handlers of what tracers raise: when the finding is an error, and when a warning."""

from __future__ import annotations

import pytest

import jaxlint

PROGRAM = """
import jax
import jax.numpy as jnp


@jax.jit
def bounded(xs, limit):
    try:
        most = float(limit)
    except Exception:
        most = {fallback}
    return xs if most is None else jnp.minimum(xs, most)


bounded(jnp.arange(3.0), 2.0)
"""


@pytest.mark.parametrize(("fallback", "severity"), [("1.0", "error"), ("None", "warning")])
def test_a_handler_that_binds_none_may_mean_tracers(fallback: str, severity: str) -> None:
    (found,) = jaxlint.lint(PROGRAM.format(fallback=fallback), select=["JAX321"])
    assert severity == found.severity.value

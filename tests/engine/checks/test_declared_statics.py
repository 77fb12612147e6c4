"""Static parameters that an annotation gives objects without a hash, of functions that nothing
calls."""

from __future__ import annotations

import pytest

from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

PROGRAM = """
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass({options})
class Learning:
    rate: float = 0.1
    stops: {kind} = ()


@partial(jax.jit, static_argnames="options")
def decayed(x, options: Learning):
    return x * options.rate
{call}
"""
CALL = "\ndecayed(jnp.ones(2), options=Learning())\n"


@pytest.mark.parametrize(
    ("options", "kind", "call", "lines"),
    [
        ("", "tuple", "", [16]),
        ("frozen=True", "tuple", "", []),
        ("", "tuple", CALL, [19]),
        ("frozen=True", "list", "", []),
    ],
)
def test_an_annotation_tells(options: str, kind: str, call: str, lines: list[int]) -> None:
    text = PROGRAM.format(options=options, kind=kind, call=call)
    found = lint(text, "learning.py", builtin_rules().values())
    assert [one.line for one in found if one.code == "JAX512"] == lines

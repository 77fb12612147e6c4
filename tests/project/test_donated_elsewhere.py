"""Buffers that functions of another module give away, read in the module that calls these."""

from __future__ import annotations

import pytest

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

STEPS, RUN = "lib/steps.py", "lib/run.py"
COMPILED = """\
import functools

import jax


def compiled(donate):
    def decorate(function):
        fast = jax.jit(function, donate_argnames=donate)

        @functools.wraps(function)
        def run(*args, **options):
            return fast(*args, **options)

        return run

    return decorate


@compiled(donate=("weights",))
def lowered(weights, rate):
    return {name: one - rate for name, one in weights.items()}


halve = jax.jit(lambda tree: jax.tree.map(lambda v: v / 2, tree), donate_argnums=0)


def settle(tree):
    tree = halve(tree)
    return tree
"""
HEAD = "import jax\nimport jax.numpy as jnp\n\nfrom lib.steps import lowered, settle\n\n\n"
READING = {
    "by a decorator": "def run(w):\n    v = lowered(w, 0.1)\n    return v['a'] - w['a']\n",
    "by a helper": "def run(w):\n    v = settle(w)\n    return v['a'] - w['a']\n",
    "a list": (
        "def run(n):\n    w = [jnp.ones(2) for _ in range(n)]\n"
        "    v = settle(w)\n    return v[0] - w[0]\n"
    ),
}
FINE = {
    "a copy": (
        "def run(w):\n    v = settle(jax.tree.map(jnp.copy, w))\n    return v['a'] - w['a']\n"
    ),
    "bound again": "def run(w):\n    w = settle(w)\n    return w['a'] + 1\n",
    "not the donated one": "def run(w, r):\n    w = lowered(w, r)\n    return w['a'] * (r + 1)\n",
}


def reported(run: str) -> list[tuple[int, str]]:
    """The lines and codes that are reported in the calling module."""
    files = {"pyproject.toml": "", "lib/__init__.py": "", STEPS: COMPILED, RUN: HEAD + run}
    session = Session(files=Memory(files))
    session.ask((RUN,))
    return [(one.span.line, one.code) for one in session.check(RUN).findings]


@pytest.mark.parametrize("name", READING)
def test_what_another_module_gave_away_is_not_read(name: str) -> None:
    last = (HEAD + READING[name]).count("\n")
    assert reported(READING[name]) == [(last, "JAX611")]


@pytest.mark.parametrize("name", FINE)
def test_what_it_left_alone_is(name: str) -> None:
    assert reported(FINE[name]) == []

"""Pytrees that host code gives to loops of `jax.lax` and of which nothing is known: what the body
reads of them tells their class."""

from __future__ import annotations

import pytest
from test_presumed_objects import RUN, findings

from jaxlint.base.finding import Severity

PART = """\
import equinox as eqx
import jax


class Observation(eqx.Module):
    value: jax.Array
    present: jax.Array
    unit: str = eqx.field(static=True, default="m")
"""
LOOPS = {
    "a scan of its own": (
        "def filtered(observed):\n"
        "    def body(total, one):\n"
        "        if one.present:\n"
        "            total = total + one.value\n"
        "        return total, total\n\n"
        "    return lax.scan(body, 0.0, observed)\n",
        6,
    ),
    "a method": (
        "class Filter:\n"
        "    def run(self, observed):\n"
        "        return lax.scan(self.body, 0.0, observed)\n\n"
        "    def body(self, total, one):\n"
        "        return (total + one.value if one.present else total), total\n",
        9,
    ),
    "a helper": (
        "def added(total, one):\n"
        "    while one.present:\n"
        "        total = total + one.value\n"
        "    return total\n\n\n"
        "def filtered(observed):\n"
        "    return lax.fori_loop(0, 3, lambda at, it: it.replace(value=added(0, it)), observed)\n",
        5,
    ),
}
BODY = LOOPS["a scan of its own"][0]
SILENT = {
    "a static field": BODY.replace("one.present:", "one.present is None or one.unit:"),
    "a field of no class": BODY.replace("one.value", "one.weight"),
    "a loop that is not traced": BODY.replace("lax.scan(body", "functools.reduce(body"),
}
HEAD = "import functools\nfrom jax import lax\n\n"


@pytest.mark.parametrize("how", LOOPS)
def test_what_a_body_reads_tells_the_class(how: str) -> None:
    code, line = LOOPS[how]
    assert findings(PART, HEAD + code, RUN) == [(RUN, line, Severity.WARNING)]


@pytest.mark.parametrize("what", SILENT)
def test_what_is_not_known_to_be_an_array_may_be_tested(what: str) -> None:
    assert findings(PART, HEAD + SILENT[what], RUN) == []

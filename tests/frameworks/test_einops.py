"""What jaxlint knows of einops is what the installed einops does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jaxlint.knowledge.ecosystems.einops import COMBINING, PACK, PARSE_SHAPE, REARRANGING, UNPACK
from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint

einops = pytest.importorskip("einops")
jax = pytest.importorskip("jax")
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

CALLS: dict[str, Callable[[Any], Any]] = {
    "einops.rearrange": lambda x: einops.rearrange(x, "a b -> b a"),
    "einops.repeat": lambda x: einops.repeat(x, "a b -> a b c", c=2),
    "einops.reduce": lambda x: einops.reduce(x, "a b -> a", "mean"),
    "einops.einsum": lambda x: einops.einsum(x, x, "a b, a b -> a"),
    "einops.pack": lambda x: einops.pack([x, x], "a *")[0],
    "einops.unpack": lambda x: einops.unpack(x, [(1,), (2,)], "a *")[0],
}


def test_every_function_is_called() -> None:
    assert CALLS.keys() == REARRANGING | COMBINING | {PACK, UNPACK}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_tracers_stay_traced_and_numpy_arrays_stay_numpy_arrays(name: str) -> None:
    seen: list[Any] = []

    def body(x: Any) -> Any:
        seen.append(CALLS[name](x))
        seen.append(CALLS[name](np.ones((2, 3))))
        return x

    jax.jit(body)(jax.numpy.ones((2, 3)))
    assert isinstance(seen[0], jax.core.Tracer)
    assert isinstance(seen[1], np.ndarray)


def test_a_parsed_shape_holds_plain_integers() -> None:
    seen: list[dict[str, Any]] = []

    def body(x: Any) -> Any:
        seen.append(einops.parse_shape(x, "a b"))
        return x

    jax.jit(body)(jax.numpy.ones((2, 3)))
    assert seen == [{"a": 2, "b": 3}]
    assert PARSE_SHAPE == "einops.parse_shape"


PROGRAM = """\
import jax
import numpy as np
from einops import parse_shape, rearrange, reduce


@jax.jit
def f(x):
    table = np.asarray(rearrange(np.ones((2, 3)), "a b -> b a"))
    if table.sum() > 0 and parse_shape(x, "a b")["a"] > 1:
        x = x * 2
    if reduce(x, "a b -> ", "sum") > 0:
        return x
    return np.asarray(rearrange(x, "a b -> b a"))
"""


def test_rules_see_what_becomes_of_tracers() -> None:
    found = lint(PROGRAM, "f.py", rules_in("jaxlint.rules"))
    assert [(one.line, one.code) for one in found] == [(11, "JAX301"), (13, "JAX314")]

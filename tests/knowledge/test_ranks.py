"""How many dimensions results have is what the installed JAX makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.engine.domain.ranks import made_rank
from jaxlint.engine.domain.values import Concrete, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.ranks import BROADCAST, ELEMENTWISE, FLAT, RANKS, REDUCTIONS, SHAPED
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

HOMES = ("jax.numpy", "jax.lax", "jax.nn", "jax.random", "jax.scipy.special")
ARRAYS = {rank: jnp.ones((2,) * rank) for rank in range(3)}
PLACE: Any = ir.Const


def _value(given: Any) -> Value:
    if isinstance(given, jax.Array):
        return Concrete("float", given.ndim)
    return Static(given)


def _calls(spec: FunctionSpec, most: int) -> Iterator[dict[str, Any]]:
    """Arguments by parameter that the function may be called with, in its order."""
    required = spec.params[: max(spec.positional, 0)]
    for count in range(1, most + 1):
        for ranks in product(ARRAYS, repeat=min(count, 2)):
            given = [ARRAYS[rank] for rank in (*ranks, ranks[0])[:count]]
            yield dict(zip(required, given, strict=False))
    for rank, axis in ((1, 0), (2, 1), (2, -1)):
        if spec.params[1:2] == ("axis",):
            yield {required[0]: ARRAYS[rank], "axis": axis}


@pytest.mark.parametrize(
    "name", sorted(ELEMENTWISE | BROADCAST | REDUCTIONS | FLAT | {"dot", "vdot"})
)
def test_results_have_the_rank_that_is_promised(name: str) -> None:
    for home in HOMES:
        function = getattr(import_module(home), name, None)
        spec = lookup.function(f"{home}.{name}")
        if function is None or spec is None or spec.result not in ("array", "same"):
            continue
        for arguments in _calls(spec, 3 if name in ("clip", "where") else 2):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = function(*arguments.values())
            except Exception:
                continue
            if not isinstance(result, jax.Array):
                continue
            bound = {key: (_value(given), PLACE) for key, given in arguments.items()}
            promised = made_rank(name, spec, bound)
            assert promised in (None, jnp.ndim(result)), (home, arguments)


@pytest.mark.parametrize("name", sorted(SHAPED))
def test_arrays_have_the_shape_that_is_asked_for(name: str) -> None:
    for home in ("jax.numpy", "jax.random"):
        function = getattr(import_module(home), name, None)
        if function is None:
            continue
        more = {"full": (1.0,), "randint": (0, 5)}.get(name, ())
        first = (jax.random.key(0),) if home == "jax.random" else ()
        assert function(*first, (2, 3), *more).ndim == 2


def test_some_functions_make_arrays_of_one_rank() -> None:
    made = (jnp.linspace(0, 1, 3), jnp.arange(3), jnp.eye(2))
    assert [array.ndim for array in made] == [RANKS[name] for name in ("linspace", "arange", "eye")]

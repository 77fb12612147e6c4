"""The names in the tables about dispatch are those of the installed JAX."""

from __future__ import annotations

import math
from functools import reduce
from importlib import import_module

import jax
import pytest

from jaxlint.knowledge.host import costs

NAMES = sorted(
    {
        *costs.WAITS,
        *costs.RUNS,
        *costs.TRACES_ONLY,
        *costs.MAPS,
        *costs.GROWING,
        *costs.NAMESAKES,
        *(name for name in costs.DEBUGGING if name.startswith("jax.")),
        *costs.DEBUGGING_CONTEXTS,
    }
)


def found(dotted: str) -> object:
    """What a dotted name stands for."""
    parts = dotted.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            module = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[count:], module)
    raise AttributeError(dotted)


@pytest.mark.parametrize("dotted", NAMES)
def test_the_name_exists(dotted: str) -> None:
    assert callable(found(dotted))


def test_the_options_exist() -> None:
    options = {*costs.DEBUGGING_OPTIONS, *costs.STARTUP_OPTIONS}
    assert options <= set(jax.config.values)


@pytest.mark.parametrize(("dotted", "other"), sorted(costs.NAMESAKES.items()))
def test_python_computes_the_same(dotted: str, other: str) -> None:
    python = found(other) if "." in other else __builtins__[other]  # type: ignore[index]
    given = (0.75, 0.5) if other in ("max", "min", "math.pow") else (0.75,)
    assert math.isclose(float(found(dotted)(*given)), python(*given), rel_tol=1e-5)  # type: ignore[operator]

"""Functions that take logits, asked of the installed libraries."""

from __future__ import annotations

import importlib
import inspect
from functools import reduce

import pytest

from jaxlint.knowledge.arrays.logits import LOGITS, PROBABILITIES

jax = pytest.importorskip("jax")

pytestmark = pytest.mark.jax


@pytest.mark.parametrize("dotted", sorted(LOGITS))
def test_the_parameter_is_where_the_table_has_it(dotted: str) -> None:
    package, _, names = dotted.partition(".")
    home = pytest.importorskip(package)
    try:
        function = reduce(getattr, names.split("."), home)
    except AttributeError:
        pytest.skip("not in this release")
    assert list(inspect.signature(function).parameters)[LOGITS[dotted]] == "logits"


@pytest.mark.parametrize("name", sorted(PROBABILITIES))
def test_the_results_are_probabilities(name: str) -> None:
    homes = [importlib.import_module(home) for home in ("jax.nn", "jax.scipy.special")]
    function = next(getattr(home, name) for home in homes if hasattr(home, name))
    values = function(jax.numpy.array([-4.0, 0.0, 4.0]))
    assert bool((values > 0).all()) and bool((values < 1).all())

"""Which files are looked at: those that take something from JAX, seen from their text."""

from __future__ import annotations

import pytest

from jaxlint.knowledge import models
from jaxlint.knowledge.libraries import JAX_LIKE
from jaxlint.project.imports import imports_in
from jaxlint.project.relevance import takes_jax


def _takes(source: str, package: str = "") -> bool:
    data = source.encode()
    return takes_jax(data, imports_in(data), package, JAX_LIKE | models.libraries())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import jax", True),
        ("import jax.numpy as jnp", True),
        ("from jax.numpy import sin", True),
        ("from jax import *", True),
        ("def f():\n    from jax import jit", True),
        ("import flax.linen as nn", True),
        ("import equinox", True),
        ("import haiku as hk", True),
        ("import optax", True),
        ("from equinox.internal import ω", True),
        ("from jax import ", True),
        ("jax = pytest.importorskip('jax')", True),
        ('numpy = importlib.import_module("jax.numpy")', True),
        ("# import jax", False),
        ('"""How jax does it."""', False),
        ("", False),
        ("import ajax, jaxws, my_jax", False),
        ("import numpy", False),
    ],
)
def test_a_file_matters_that_takes_something_from_jax(source: str, expected: bool) -> None:
    assert expected == _takes(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from jax._src import api\napi.jit(f)", True),
        ("from jax._src import api as it\nx = it.jit", True),
        ("from jax._src.api import jit", True),
        ("from jax._src.api import *", True),
        ("import jax._src.api\njax._src.api.jit(f)", True),
        ("import jax._src.api\njax.numpy.sin(x)", True),
        ("import jax._src.api as it\nit.jit(f)", True),
        ("from . import api\napi.jit(f)", True),
        ("from .api import jit", True),
        ("from .. import numpy", True),
        ("from jax._src import config\nconfig.read('x')", False),
        ("from jax._src import api\nrapi.jit(f)", False),
        ("from . import config\nconfig.jit", False),
        ("import jax._src.config\njax._src.config.read", False),
    ],
)
def test_of_private_names_those_matter_that_something_is_known_of(
    source: str, expected: bool
) -> None:
    assert expected == _takes(source, "jax._src")

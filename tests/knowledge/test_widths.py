"""Widths of dtypes are what the installed JAX makes of them, whatever its flag says."""

from __future__ import annotations

from itertools import combinations_with_replacement

import jax
import jax.numpy as jnp
import pytest

from jaxlint.knowledge.arrays.widths import DEFAULTS, WIDTHS, promoted_width, width_of

pytestmark = [
    pytest.mark.jax,
    pytest.mark.filterwarnings("ignore:Explicitly requested dtype"),
]
NAMES = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64"),
]


@pytest.mark.parametrize("wide", [False, True])
def test_names_are_dtypes_of_their_width(wide: bool) -> None:
    with jax.enable_x64(wide):
        for name in WIDTHS:
            dtype = getattr(jnp, name, None) or jnp.dtype(name)
            assert width_of(jnp.zeros((), dtype).dtype.name) == width_of(name), name


@pytest.mark.parametrize("wide", [False, True])
def test_plain_numbers_have_the_width_of_their_kind(wide: bool) -> None:
    with jax.enable_x64(wide):
        for one in (True, 1, 1.0, 1j):
            assert width_of(jnp.array([one]).dtype.name) == DEFAULTS[type(one).__name__]


@pytest.mark.parametrize("wide", [False, True])
def test_promotions(wide: bool) -> None:
    told = 0
    with jax.enable_x64(wide):
        for one, other in combinations_with_replacement(NAMES, 2):
            if ("float" in one) != ("float" in other):
                continue
            made = jnp.zeros((), one) + jnp.zeros((), other)
            width = promoted_width([width_of(one), width_of(other)])
            assert width in ("", width_of(made.dtype.name)), (one, other)
            told += width != ""
    assert told > 35

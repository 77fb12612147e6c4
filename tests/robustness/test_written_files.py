"""Annotations and objects of libraries crash nothing, nor do numbers that no machine can hold."""

from __future__ import annotations

import ast

import numerals
import pytest
import uses
from robustness import check_all
from vocabulary import members, names, transforms

# What is known of JAX and NumPy alone comes behind what is known of other libraries.
OTHERS = sum(
    name.partition(".")[0] not in ("jax", "numpy") for group in uses.groups() for name in group
)
FILES = {
    "libraries": [range(OTHERS // uses.SIZE), range(OTHERS // uses.SIZE, 10**5, 4999)],
    "numbers": [range(-(-len(numerals.functions()) // numerals.SIZE))],
}


@pytest.mark.parametrize("kind", sorted(FILES))
def test_no_written_file_crashes_hangs_or_takes_findings_of_others(kind: str) -> None:
    outcomes = [one for seeds in FILES[kind] for one in check_all(seeds, kind)]

    assert [] == [f"{one.failure}\n    {one}" for one in outcomes if one.failure]
    assert all(one.analysed for one in outcomes)


def test_all_that_the_models_know_is_written_about() -> None:
    known = {name for library in names().values() for name in library}

    assert known == {name for group in uses.groups() for name in group}
    assert {
        "optax.GradientTransformation",
        "distrax.Normal",
        "numpyro.distributions.Normal",
    } < known
    assert {"equinox.nn.Linear", "haiku.Linear", "jax.numpy.sum", "flax.nnx.Rngs"} < known
    assert {"update", "init", "gradient_transformation"} < set(members("optax"))
    assert {"log_prob", "sample", "batch_shape"} < set(members("numpyro"))
    assert {"jax.jit", "equinox.filter_jit", "flax.nnx.jit", "haiku.remat"} < set(transforms())


@pytest.mark.parametrize("write", [uses.program, numerals.program])
def test_a_seed_gives_one_file(write) -> None:
    for seed in range(20):
        text, chosen = write(seed)
        ast.parse(text)
        assert (text, chosen) == write(seed)
        assert chosen
        assert any(name in text for name in chosen)

"""Random modules that use JAX, to hold jaxlint against JAX.

The generator knows the class, the dtype and the shape of every value, so that its programs run,
and never whether a value is traced: only JAX decides that.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from contract import Program

from generator.assembly import module

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def generate(seed: int) -> Program:
    """The program of a seed."""
    return Program(seed, module(random.Random(seed)))


def write(rng: random.Random) -> Program:
    """A program made of the choices of `rng`. It has no seed: -1."""
    return Program(-1, module(rng))


def modules() -> SearchStrategy[Program]:
    """Programs whose choices hypothesis makes, and makes smaller."""
    from hypothesis import strategies

    return strategies.randoms(use_true_random=False).map(write)

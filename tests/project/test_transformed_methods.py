"""Methods of unknown objects that code transforms: each class that may be meant is tried."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, findings

from jaxlint.base.finding import Severity

MODELS = """\
import jax.numpy as jnp


class Mixture:
    def __init__(self, means):
        self.means = means

    def log_density(self, x):
        if x[0] > 0:
            return -x
        return jnp.sum(x - self.means)

    def update(self, x):
        return x if x.sum() > 0 else -x
"""
USES = {
    "mapped at once": "def labels(mixture, draws):\n"
    "    return jax.vmap(mixture.log_density)(draws)\n",
    "compiled first": "def compiled(mixture, draws):\n"
    "    density = jax.jit(mixture.log_density)\n"
    "    return density(draws)\n",
    "kept by an object": "class Runner:\n"
    "    def __init__(self, mixture):\n"
    "        self.run = jax.jit(mixture.log_density)\n",
}


@pytest.mark.parametrize("how", USES)
def test_the_method_of_the_only_class_that_has_it_is_meant(how: str) -> None:
    found = findings(MODELS, f"import jax\n\n\n{USES[how]}", PARTS)
    assert [(PARTS, 9, Severity.WARNING)] == found


def test_a_name_that_objects_of_all_kinds_have_tells_nothing() -> None:
    use = "import jax\n\n\ndef advance(system, x):\n    return jax.jit(system.update)(x)\n"
    assert findings(MODELS, use, PARTS) == []

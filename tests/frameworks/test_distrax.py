"""What jaxlint knows of distrax is what the installed distrax does."""

from __future__ import annotations

from typing import Any

import pytest

from jaxlint.engine.frameworks import distributions
from jaxlint.knowledge.ecosystems.distrax import DISTRIBUTIONS
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

distrax = pytest.importorskip("distrax")
jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

PROGRAM = """
import distrax
import jax
import jax.numpy as jnp

class Squashed(distrax.Distribution):
    def __init__(self, loc, scale, low=-1.0):
        super().__init__()
        self.inner = distrax.Normal(loc, scale)
        self.low = low

    def _sample_n(self, key, n):
        return jnp.tanh(self.inner.sample(seed=key, sample_shape=(n,)))

    def log_prob(self, value):
        if self.low < 0:
            value = jnp.clip(value, self.low, 1.0)
        if {test}:
            return jnp.zeros_like(value)
        return self.inner.log_prob(value)

    @property
    def event_shape(self):
        return self.inner.event_shape

@jax.jit
def loss(loc, action):
    policy = Squashed(loc, 1.0)
    if len(policy.batch_shape) > 3:
        raise ValueError("too many dimensions")
    return policy.log_prob(action).sum()

loss(jnp.zeros(3), jnp.zeros(3))
"""


def tracers(function: Any) -> list[bool]:
    seen: list[bool] = []

    def run(array: Any) -> int:
        leaves = jax.tree.leaves(function(array))
        seen.extend(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        return 0

    jax.jit(run)(jnp.zeros(3))
    return seen


@pytest.mark.parametrize("dotted", sorted(DISTRIBUTIONS))
def test_a_distribution_is_one(dotted: str) -> None:
    value = getattr(distrax, dotted.removeprefix("distrax."))
    assert not isinstance(value, type) or issubclass(value, distrax.Distribution)


@pytest.mark.parametrize("name", ["log_prob", "prob", "cdf"])
def test_a_density_of_a_captured_distribution_is_traced(name: str) -> None:
    policy = distrax.Normal(0.0, 1.0)
    assert [True] == tracers(lambda _: getattr(policy, name)(0.0))


def test_a_sample_of_a_captured_distribution_is_traced() -> None:
    policy = distrax.Categorical(logits=jnp.zeros(3))
    assert [True] == tracers(lambda _: policy.sample(seed=jax.random.key(0)))
    assert [True] == tracers(lambda _: policy.entropy())
    assert [True, True] == tracers(lambda _: policy.sample_and_log_prob(seed=jax.random.key(0)))


def test_a_distribution_is_a_pytree_of_its_parameters() -> None:
    def run(policy: Any) -> Any:
        assert isinstance(policy.logits, jax.core.Tracer)
        return policy

    assert isinstance(jax.jit(run)(distrax.Categorical(logits=jnp.zeros(3))), distrax.Categorical)


def test_shapes_are_static() -> None:
    assert [False] == tracers(lambda array: distrax.Normal(array, 1.0).batch_shape)
    assert {"batch_shape", "event_shape"} == distributions._SHAPES


@pytest.mark.parametrize(
    ("test", "codes"), [("self.low > 5", []), ("value[0] > 0", ["JAX301"]), ("value.ndim > 3", [])]
)
def test_a_distribution_of_ones_own_is_followed(test: str, codes: list[str]) -> None:
    program = PROGRAM.replace("{test}", test)
    try:
        exec(compile(program, "policy.py", "exec"), {})
        raised = False
    except jax.errors.TracerBoolConversionError:
        raised = True
    assert bool(codes) is raised
    assert codes == [
        finding.code for finding in lint(program, "policy.py", builtin_rules().values())
    ]

"""What jaxlint knows of TensorFlow Probability on JAX is what the installed one does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jaxlint.knowledge.ecosystems.tensorflow_probability import DISTRIBUTIONS
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

tfd = pytest.importorskip("tensorflow_probability.substrates.jax").distributions
jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

PROGRAM = """
import jax
import jax.numpy as jnp
from tensorflow_probability.substrates import jax as tfp

tfd = tfp.distributions

def draw(key, first, second):
    noise = tfd.Normal(0.0, 1.0)
    return first(noise, key), second(noise, key)

draw(jax.random.key(0), lambda d, key: {first}, lambda d, key: {second})
"""


def codes(program: str) -> list[str]:
    return [one.code for one in lint(program, "draws.py", builtin_rules().values())]


@pytest.mark.parametrize("dotted", sorted(DISTRIBUTIONS))
def test_a_distribution_is_one(dotted: str) -> None:
    assert issubclass(getattr(tfd, dotted.rpartition(".")[2]), tfd.Distribution)


def test_a_distribution_is_a_pytree_of_its_parameters() -> None:
    seen: list[bool] = []

    def run(policy: Any) -> Any:
        seen.append(isinstance(policy.loc, jax.core.Tracer))
        seen.append(isinstance(policy.log_prob(0.0), jax.core.Tracer))
        seen.append(isinstance(policy.batch_shape, jax.core.Tracer))
        return policy.sample(3, seed=jax.random.key(0))

    assert jax.jit(run)(tfd.Normal(jnp.zeros(()), 1.0)).shape == (3,)
    assert seen == [True, True, False]


@pytest.mark.parametrize(
    "first, second, same",
    [
        ("d.sample(seed=key)", "d.sample(seed=key)", True),
        ("d.sample(5, key)", "d.sample(sample_shape=(5,), seed=key)", True),
        ("d.sample(seed=jax.random.fold_in(key, 1))", "d.sample(seed=key)", False),
        ("d.sample(5, seed=key)", "d.log_prob(0.0)", False),
    ],
)
def test_a_key_makes_the_same_draws(first: str, second: str, same: bool) -> None:
    key, policy = jax.random.key(0), tfd.Normal(0.0, 1.0)
    scope = {"jax": jax, "key": key, "d": policy}
    both = [np.ravel(eval(text, scope)) for text in (first, second)]
    assert (both[0].shape == both[1].shape and np.array_equal(*both)) is same
    program = PROGRAM.format(first=first, second=second)
    assert codes(program) == (["JAX801"] if same else [])


def test_a_branch_on_a_density_is_found() -> None:
    program = """
import jax
import jax.numpy as jnp
from tensorflow_probability.substrates.jax import distributions as tfd

@jax.jit
def act(params, key):
    policy = tfd.Independent(tfd.Normal(params, 1.0), reinterpreted_batch_ndims=1)
    action = policy.sample(seed=key)
    if policy.log_prob(action) > 0:
        return action
    return policy.mode()

act(jnp.zeros(3), jax.random.key(0))
"""
    with pytest.raises(jax.errors.TracerBoolConversionError):
        exec(compile(program, "act.py", "exec"), {})
    assert codes(program) == ["JAX301"]

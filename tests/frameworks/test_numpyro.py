"""What jaxlint knows of numpyro is what the installed numpyro does."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from jaxlint.knowledge.ecosystems.numpyro import (
    KERNELS,
    OUTER_KERNELS,
    PLAIN_HANDLERS,
    is_distribution,
    model,
)
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

numpyro = pytest.importorskip("numpyro")
jax = pytest.importorskip("jax")
np = pytest.importorskip("numpy")
dist = numpyro.distributions
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.infer import HMC, MCMC, NUTS, SVI, Predictive, Trace_ELBO

key = jax.random.key(0)

def model(x, flag=True, y=None):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    if {test}:
        a = a + 1.0
    numpyro.sample("y", dist.Normal(a * jnp.asarray(x), 1.0), obs=y)

def guide(x, flag=True, y=None):
    loc = numpyro.param("loc", 0.0)
    numpyro.sample("a", dist.Normal(loc, 1.0))

svi = SVI(model, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
x = np.ones(3)
"""
RUNS = {
    "nuts": "MCMC(NUTS(model), num_warmup=1, num_samples=1, progress_bar=False).run(key, x, y=x)",
    "hmc": "MCMC(HMC(model), num_warmup=1, num_samples=1, progress_bar=False).run(key, x, y=x)",
    "svi": "svi.run(key, 1, x, y=x, progress_bar=False)",
    "predictive": "Predictive(model, num_samples=2)(key, x)",
    "step": "state = svi.init(key, x)\njax.jit(lambda x: svi.update(state, x)[1])(x)",
    "traced": "jax.jit(handlers.seed(model, key))(1.0)",
}
# Runs in which samples have values.
CONCRETE = {
    "seed": "handlers.seed(model, key)(x)",
    "trace": "handlers.trace(handlers.seed(model, key)).get_trace(x)",
    "init": "svi.init(key, x)",
    "update": "svi.evaluate(svi.init(key, x), x)",
    "one": "Predictive(model, num_samples=1)(key, x)",
}
# Tests inside the model that are Python, whoever runs it, unless an argument is traced.
STATIC = ("flag", "x.ndim == 1", "y is None", "a.shape == ()")


def ran(program: str) -> str:
    """The name of the error that a program raises, "" for none."""
    try:
        exec(compile(program, "model.py", "exec"), {})
    except Exception as error:
        return type(error).__name__
    return ""


def found(program: str) -> list[str]:
    return [finding.code for finding in lint(program, "model.py", builtin_rules().values())]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_branch_on_a_sample_fails_where_a_model_is_compiled(name: str) -> None:
    program = dedent(HEAD).replace("{test}", "a > 0") + RUNS[name]
    assert ("TracerBoolConversionError", ["JAX301"]) == (ran(program), found(program))


@pytest.mark.parametrize("name", sorted(CONCRETE))
def test_a_sample_has_a_value_elsewhere(name: str) -> None:
    program = dedent(HEAD).replace("{test}", "a > 0") + CONCRETE[name]
    assert ("", []) == (ran(program), found(program))


@pytest.mark.parametrize("test", STATIC)
@pytest.mark.parametrize("name", ["predictive", "svi"])
def test_what_is_passed_to_a_model_stays_as_it_is(name: str, test: str) -> None:
    program = dedent(HEAD).replace("{test}", test) + RUNS[name]
    assert ("", []) == (ran(program), found(program))


def test_a_jax_operation_in_a_compiled_model_is_traced() -> None:
    program = dedent(HEAD).replace("{test}", "jnp.sum(x) > 0") + RUNS["nuts"]
    assert ("TracerBoolConversionError", ["JAX412"]) == (ran(program), found(program))


@pytest.mark.parametrize(
    "dotted",
    sorted(
        {*KERNELS, *OUTER_KERNELS, *PLAIN_HANDLERS, *model.aliases, *model.aliases.values()}
        | {f"numpyro.{name}" for name in ("deterministic", "factor", "param", "plate", "sample")}
        | {"numpyro.prng_key", *model.plain_bases}
    ),
)
def test_every_name_is_there(dotted: str) -> None:
    home, _, name = dotted.rpartition(".")
    module = importlib.import_module(home)
    assert dotted in model.aliases or hasattr(module, name)


@pytest.mark.parametrize("spelling", sorted(model.aliases))
def test_an_alias_is_the_same_object(spelling: str) -> None:
    def get(dotted: str) -> Any:
        home, _, name = dotted.rpartition(".")
        return getattr(importlib.import_module(home), name, None)

    assert get(spelling) in (None, get(model.aliases[spelling]))


def test_capitalised_names_are_distributions() -> None:
    for name in dir(dist):
        value: Callable[..., Any] = getattr(dist, name)
        if is_distribution(f"numpyro.distributions.{name}") and isinstance(value, type):
            assert issubclass(value, dist.Distribution)
    assert not is_distribution("numpyro.distributions.Distribution")
    assert not is_distribution("numpyro.distributions.constraints")
    assert not is_distribution("numpyro.distributions.transforms.AffineTransform")

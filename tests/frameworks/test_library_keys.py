"""Keys that objects of libraries draw with."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint

CASES = {
    "dropout": (
        """
        import equinox as eqx

        def noisy(key, x):
            drop = eqx.nn.Dropout(0.5)
            return drop(x, key=key) + jax.random.normal(key, x.shape)  # JAX801
        """
    ),
    "dropout of each row": (
        """
        import equinox as eqx

        def noisy(key, rows):
            drop = eqx.nn.Dropout(0.5)
            return jax.vmap(lambda row: drop(row, key=key))(rows)  # JAX803
        """
    ),
    "dropout that is switched off": (
        """
        import equinox as eqx

        def noisy(key, x):
            drop = eqx.nn.Dropout(0.5, inference=True)
            return drop(x, key=key) + jax.random.normal(key, x.shape)
        """
    ),
    "chains": (
        """
        from numpyro.infer import MCMC, NUTS

        def chains(key, model):
            found = []
            for _ in range(2):
                mcmc = MCMC(NUTS(model), num_warmup=10, num_samples=10)
                mcmc.run(key)  # JAX802
                found.append(mcmc.get_samples())
            return found
        """
    ),
    "predictive": (
        """
        from numpyro.infer import Predictive

        def draws(key, model, x):
            prior = Predictive(model, num_samples=2)(key, x)
            return prior["y"] + jax.random.normal(key, (2,))  # JAX801
        """
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_draws_uses_the_key(name: str) -> None:
    program = "import jax\n" + textwrap.dedent(CASES[name])
    marked = {
        (number, line.partition("# ")[2])
        for number, line in enumerate(program.splitlines(), 1)
        if "# JAX" in line
    }
    found = lint(program, "program.py", rules_in("jaxlint.rules"))
    assert marked == {(one.span.line, one.code) for one in found}

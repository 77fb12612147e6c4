"""What jaxlint knows of numpyro: distributions, inference that runs models, handlers.

Source: numpyro documentation, "Pyro Primitives", "Distributions", "Markov Chain Monte Carlo",
"Stochastic Variational Inference" and "Effect Handlers"; `tests/frameworks/test_numpyro.py`
observes what is traced.
"""

from jaxlint.knowledge.models import Model

KERNELS: frozenset[str] = frozenset(
    f"numpyro.infer.{name}" for name in ("HMC", "NUTS", "BarkerMH", "SA")
)
"""Samplers made of a model, the first argument."""

OUTER_KERNELS: frozenset[str] = frozenset(
    f"numpyro.infer.{name}" for name in ("DiscreteHMCGibbs", "HMCECS", "MixedHMC")
)
"""Samplers made of such a sampler."""

PLAIN_HANDLERS: frozenset[str] = frozenset(
    f"numpyro.handlers.{name}" for name in ("block", "mask", "scale", "seed", "trace")
)
"""Handlers under which samples are what they are without them: arrays."""

# Objects of `numpyro.distributions` that are no classes of distributions.
_OTHERS = frozenset({"numpyro.distributions.Distribution"})
_HOME = "numpyro.distributions."


def is_distribution(dotted: str) -> bool:
    """Whether this is the name of a class of distributions: they alone are capitalised there."""
    name = dotted.removeprefix(_HOME)
    plain = dotted.startswith(_HOME) and "." not in name and dotted not in _OTHERS
    return plain and name[:1].isupper()


model = Model(
    "numpyro",
    aliases={
        "numpyro.infer.mcmc.MCMC": "numpyro.infer.MCMC",
        "numpyro.infer.hmc.HMC": "numpyro.infer.HMC",
        "numpyro.infer.hmc.NUTS": "numpyro.infer.NUTS",
        "numpyro.infer.svi.SVI": "numpyro.infer.SVI",
        "numpyro.infer.util.Predictive": "numpyro.infer.Predictive",
        "numpyro.primitives.sample": "numpyro.sample",
        "numpyro.primitives.param": "numpyro.param",
        "numpyro.primitives.plate": "numpyro.plate",
        "numpyro.primitives.deterministic": "numpyro.deterministic",
        "numpyro.primitives.factor": "numpyro.factor",
    },
    plain_bases=frozenset({"numpyro.distributions.Distribution"}),
    is_summary=True,
)

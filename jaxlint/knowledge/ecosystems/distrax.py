"""What jaxlint knows of distrax.

Source: distrax documentation, "Distributions"; `tests/frameworks/test_distrax.py` observes it.
"""

from jaxlint.knowledge.models import Model

DISTRIBUTIONS: frozenset[str] = frozenset(
    f"distrax.{name}"
    for name in (
        "Bernoulli", "Beta", "Categorical", "CategoricalUniform", "Clipped", "ClippedLogistic",
        "ClippedNormal", "Deterministic", "Dirichlet", "EpsilonGreedy", "Gamma", "Greedy",
        "Gumbel", "Independent", "Joint", "Laplace", "LogStddevNormal", "Logistic",
        "MixtureOfTwo", "MixtureSameFamily", "Multinomial", "MultivariateNormalDiag",
        "MultivariateNormalDiagPlusLowRank", "MultivariateNormalFromBijector",
        "MultivariateNormalFullCovariance", "MultivariateNormalTri", "Normal",
        "OneHotCategorical", "Quantized", "Softmax", "Transformed", "Uniform", "VonMises",
    )
)  # fmt: skip
"""Classes whose objects are distributions."""

model = Model("distrax", plain_bases=frozenset({"distrax.Distribution"}), is_summary=True)

"""What jaxlint knows of TensorFlow Probability on JAX.

Source: TensorFlow Probability documentation, "TensorFlow Probability on JAX" and
`tfp.distributions.Distribution`; `tests/frameworks/test_tensorflow_probability.py` observes it.
"""

from jaxlint.knowledge.models import Model

LIBRARY = "tensorflow_probability"
DISTRIBUTIONS: frozenset[str] = frozenset(
    f"{LIBRARY}.substrates.jax.distributions.{name}"
    for name in (
        "Bernoulli", "Beta", "BetaBinomial", "Binomial", "Categorical", "Cauchy", "Chi", "Chi2",
        "Deterministic", "Dirichlet", "DirichletMultinomial", "ExpGamma", "Exponential", "Gamma",
        "GeneralizedNormal", "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy",
        "HalfNormal", "HalfStudentT", "Independent", "InverseGamma", "InverseGaussian",
        "JohnsonSU", "Kumaraswamy", "Laplace", "LogLogistic", "LogNormal", "Logistic",
        "LogitNormal", "MixtureSameFamily", "Moyal", "Multinomial", "MultivariateNormalDiag",
        "MultivariateNormalDiagPlusLowRank", "MultivariateNormalFullCovariance",
        "MultivariateNormalTriL", "NegativeBinomial", "Normal", "OneHotCategorical", "Pareto",
        "Poisson", "QuantizedDistribution", "RelaxedBernoulli", "RelaxedOneHotCategorical",
        "Sample", "SinhArcsinh", "Skellam", "StudentT", "TransformedDistribution", "Triangular",
        "TruncatedCauchy", "TruncatedNormal", "Uniform", "VonMises", "VonMisesFisher", "Weibull",
        "Zipf",
    )
)  # fmt: skip
"""Classes whose objects are distributions of single arrays."""

model = Model(
    LIBRARY,
    plain_bases=frozenset({f"{LIBRARY}.substrates.jax.distributions.Distribution"}),
    is_summary=True,
)

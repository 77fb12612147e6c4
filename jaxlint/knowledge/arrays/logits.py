"""Functions that take unnormalised log-probabilities, and those that give probabilities.

Source: the API references of JAX (`jax.random.categorical`), optax ("Losses"), distrax, NumPyro and
TensorFlow Probability.
"""

from __future__ import annotations

from typing import Final

_LOSSES = """
    ctc_loss ctc_loss_with_forward_probs safe_softmax_cross_entropy sigmoid_binary_cross_entropy
    sigmoid_focal_loss softmax_cross_entropy softmax_cross_entropy_with_integer_labels
"""

# By the place of the parameter `logits`.
LOGITS: Final = {
    "jax.random.categorical": 1,
    **{f"optax.{home}{name}": 0 for name in _LOSSES.split() for home in ("", "losses.")},
    **{f"distrax.{name}": 0 for name in ("Bernoulli", "Categorical", "OneHotCategorical")},
    **{
        f"numpyro.distributions.{home}{name}Logits": 0
        for name in ("Bernoulli", "Categorical")
        for home in ("", "discrete.")
    },
    **{
        f"tensorflow_probability.substrates.jax.distributions.{name}": 0
        for name in ("Bernoulli", "Categorical", "OneHotCategorical")
    },
}
# The last names of functions whose results are probabilities.
PROBABILITIES: Final = frozenset({"expit", "sigmoid", "softmax"})
# Methods that give the same numbers in another form.
SAME_NUMBERS: Final = frozenset({"astype", "copy", "flatten", "ravel", "reshape", "squeeze"})

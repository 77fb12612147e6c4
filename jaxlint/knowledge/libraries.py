"""The libraries that mean something to the analysis, by their top-level packages."""

from __future__ import annotations

# JAX, and what hands out its transforms under its own name and has no model.
JAX_LIKE = frozenset({"brax", "jax"})
# The module of `jaxlint.knowledge.ecosystems` for each library that has a model.
BUILT_IN: dict[str, str] = {
    "flax": "flax",
    "equinox": "equinox",
    "haiku": "haiku",
    "optax": "optax",
    "chex": "chex",
    "jax_dataclasses": "jax_dataclasses",
    "jaxtyping": "jaxtyping",
    "diffrax": "diffrax",
    "lineax": "lineax",
    "optimistix": "optimistix",
    "distrax": "distrax",
    "numpyro": "numpyro",
    "einops": "einops",
    "tensorflow_probability": "tensorflow_probability",
}
# Libraries that make objects of classes that a configuration or a registry names.
CONFIGURING: frozenset[str] = frozenset(
    {
        *("fiddle", "gin", "gym", "gymnasium"),
        *("hydra", "hydra_zen", "ml_collections", "omegaconf"),
    }
)
# Modules that hold their arrays themselves: transforms take them as arguments, and they are called.
CALLED_MODULES = frozenset({"equinox.Module", "flax.nnx.Module"})

"""Functions of JAX that differentiate, by the mode that they go in.

Source: JAX documentation, "The Autodiff Cookbook" and the API reference, "Automatic
differentiation".
"""

from __future__ import annotations

from typing import Final

GRADIENTS: Final = frozenset({"jax.grad", "jax.value_and_grad"})
DERIVATIVES: Final = GRADIENTS | {"jax.jacfwd", "jax.jacrev", "jax.jacobian", "jax.hessian"}
# Those that differentiate a function at a point, with no function in between.
AT_A_POINT: Final = frozenset({"jax.jvp", "jax.linearize", "jax.vjp"})
REVERSE: Final = DERIVATIVES - {"jax.jacfwd"}
# Those of libraries that ask the same of what a function returns, by the names that messages have.
# Source: documentation of `flax.nnx.grad` and `equinox.filter_grad`;
# `tests/rules/grad-output-misuse.md` runs them.
LIBRARY_GRADIENTS: Final[dict[str, str]] = {
    "equinox.filter_grad": "eqx.filter_grad",
    "equinox.filter_value_and_grad": "eqx.filter_value_and_grad",
    "flax.nnx.grad": "nnx.grad",
    "flax.nnx.value_and_grad": "nnx.value_and_grad",
}
SINGLE: Final = GRADIENTS | LIBRARY_GRADIENTS.keys()
"""Functions that differentiate one number."""
DIFFERENTIATING: Final = DERIVATIVES | LIBRARY_GRADIENTS.keys() | AT_A_POINT
"""All functions that differentiate."""
UNPACKING: Final = frozenset({"flax.nnx.grad", "flax.nnx.value_and_grad"})
"""Those that unpack the pair that a function with an auxiliary value returns, be it an array."""
# Those that go forward through their arguments, which then are real numbers.
FORWARD_THROUGH: Final = frozenset({"jax.jacfwd", "jax.hessian"})
# The ends of the names of those that go forward and ask for a rule that does, as `eqx.filter_jvp`.
# `jax.linearize` asks for it where its linear function is called, and not where that is transposed.
FORWARD_ENDS: Final = ("jvp", "jacfwd")

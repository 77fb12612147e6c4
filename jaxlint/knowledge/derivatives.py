"""Functions of JAX that differentiate, by the mode that they go in.

Source: JAX documentation, "The Autodiff Cookbook" and the API reference, "Automatic
differentiation".
"""

from __future__ import annotations

from typing import Final

GRADIENTS: Final = frozenset({"jax.grad", "jax.value_and_grad"})
DERIVATIVES: Final = GRADIENTS | {"jax.jacfwd", "jax.jacrev", "jax.jacobian", "jax.hessian"}
REVERSE: Final = DERIVATIVES - {"jax.jacfwd"}
# Those that go forward through their arguments, which then are real numbers.
FORWARD_THROUGH: Final = frozenset({"jax.jacfwd", "jax.hessian"})
# The ends of the names of those that go forward and ask for a rule that does, as `eqx.filter_jvp`.
# `jax.linearize` asks for it where its linear function is called, and not where that is transposed.
FORWARD_ENDS: Final = ("jvp", "jacfwd")

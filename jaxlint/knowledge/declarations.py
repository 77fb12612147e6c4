"""What transforms check when they are applied, before any function runs.

Source: `jax.jit` and `jax.pmap` in the JAX documentation, its change log, and the signatures of
the releases; `tests/knowledge/test_declarations.py` asks the installed JAX.
"""

from __future__ import annotations

from typing import Final

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class Options:
    """The options of a transform that choose parameters, by the kind of what they hold.

    `signature` tells that they are compared with the function's signature, `merged` that the
    numbers of static and of donated parameters are compared with each other.
    """

    static_numbers: str
    static_names: str = ""
    donated_numbers: str = "donate_argnums"
    donated_names: str = ""
    signature: bool = False
    merged: bool = False

    def numbers(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.static_numbers, self.donated_numbers)))

    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.static_names, self.donated_names)))


_JIT = Options(
    "static_argnums", "static_argnames", "donate_argnums", "donate_argnames", signature=True
)

OPTIONS: dict[str, Options] = {
    "jax.jit": _JIT,
    "flax.nnx.jit": _JIT,
    "jax.pmap": Options("static_broadcasted_argnums", merged=True),
}

# Transforms with the numbers of what they differentiate.
DIFFERENTIATING: tuple[str, ...] = (
    "jax.grad",
    "jax.hessian",
    "jax.jacfwd",
    "jax.jacobian",
    "jax.jacrev",
    "jax.value_and_grad",
)

# Transforms that count the arguments which a call passes by position, and refuse a call that leaves
# out one of these numbers. Source: `jax.checkpoint` in the JAX documentation, "static_argnums";
# `jax.grad`, "argnums".
COUNTED: dict[str, str] = {
    **dict.fromkeys(DIFFERENTIATING, "argnums"),
    "jax.checkpoint": "static_argnums",
    "jax.pmap": "static_broadcasted_argnums",
}

# Transforms that refuse at once what is no function: what cannot be called, static methods as
# objects, functions that make generators.
DEMANDING: frozenset[str] = frozenset(
    {
        "jax.grad",
        "jax.hessian",
        "jax.jacfwd",
        "jax.jacobian",
        "jax.jacrev",
        "jax.jit",
        "jax.pmap",
        "jax.value_and_grad",
        "jax.vmap",
    }
)
# Those whose function's results must be arrays.
ARRAYS_ONLY: frozenset[str] = frozenset({"jax.jit", "jax.pmap"})

# Transforms whose result says that it has its function's signature.
SAME_SIGNATURE: frozenset[str] = frozenset(
    {
        "jax.checkpoint",
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.grad",
        "jax.hessian",
        "jax.jacfwd",
        "jax.jacobian",
        "jax.jacrev",
        "jax.jit",
        "jax.pmap",
        "jax.remat",
        "jax.value_and_grad",
        "jax.vmap",
    }
)

# The releases since which `jax.jit` takes its options by name alone, and without a function.
BY_NAME_ALONE = "0.7"
POSTPONED = "0.8.1"

# Options that warn, or that new releases do not know at all.
DEPRECATED_OPTIONS: dict[str, frozenset[str]] = {
    "jax.jit": frozenset({"abstracted_axes", "backend", "device"}),
}

CONSTRUCTED: Final = frozenset({"flax.struct.dataclass", "jax.tree_util.register_dataclass"})
"""Decorators of pytrees whose objects transforms make by calling the class."""

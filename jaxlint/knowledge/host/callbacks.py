"""What lets `vmap` map a callback: held against JAX by `tests/rules/callback-without-rule.md`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MappedCallback:
    """A callback can be mapped if an `option` is given, or if one is not `refused`. The function
    does not get what the `options` say. JAX refuses it from the release `since` on, before that
    it maps each."""

    option: str
    refused: bool | None
    options: frozenset[str]
    since: str = ""


MAPPED_CALLBACKS: dict[str, MappedCallback] = {
    "jax.pure_callback": MappedCallback(
        "vmap_method",
        None,
        frozenset({"callback", "result_shape_dtypes", "sharding", "vmap_method", "vectorized"}),
        since="0.6.0",
    ),
    "jax.experimental.io_callback": MappedCallback(
        "ordered",
        True,
        frozenset({"callback", "result_shape_dtypes", "sharding", "ordered"}),
    ),
}

# The parameter that says what comes back.
DECLARED = "result_shape_dtypes"
# Callbacks that declare what comes back, by the options that are not for their function.
OWN_OPTIONS: dict[str, frozenset[str]] = {
    **{name: one.options for name, one in MAPPED_CALLBACKS.items()},
    "jax.experimental.pure_callback": MAPPED_CALLBACKS["jax.pure_callback"].options,
}
# Those that refuse a result where none is declared.
STRICT = frozenset({"jax.experimental.io_callback"})
# What becomes of an effect in a branch that `vmap` selects by a mapped predicate: it happens
# whatever the predicate is, or JAX refuses it.
MAPPED_BRANCHES: dict[str, str] = {
    "jax.debug.callback": "branch-effect",
    "jax.debug.print": "branch-effect",
    "jax.experimental.io_callback": "branch-refused",
}

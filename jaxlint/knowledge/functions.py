"""What public JAX functions do to abstract values, and the public name of every spelling."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class FunctionSpec:
    """What a call of a JAX function or array method gives, and what its parameters need.

    `result` is "array", "static" (a Python value), "tuple"/"list"/"dict" (of arrays), "same"
    (the structure of the first argument), "key" (PRNG keys), "object" or "none". `dtype` is
    "bool", "int", "float" or "complex" when the result always has that kind, whatever the
    arguments, and "" otherwise.

    `params` holds the names in positional order, keyword-only ones last. The first `positional`
    of them can be passed by position; -1 says that the function takes `*rest`.

    `shape` names the parameters that decide the result's shape, `layout` those that rearrange
    (`reshape`, `tile`, `split`, `pad`, `dynamic_slice` sizes) and `static` all others that must
    be Python values: a traced value raises in each. `counts` names parameters that decide the
    shape only when they are zero-dimensional (`jax.random.permutation(key, n)`).

    `data` names the parameters whose values decide the result's shape, unless one of `bound`
    gets a value other than its default, or all of `unless` one other than None; `family` says
    how: "nonzero", "filter", "repeat", "set" or "length". In staged code such a call raises
    even for NumPy data, except in the parameters that `concrete` names. "self" is the array
    whose method is called, which `params` leaves out. Source: the `size` arguments in the
    documentation of `jax.numpy`, and `ConcretizationTypeError` in that of `jax.errors`.

    `scalar` promises a zero-dimensional result. `rest` is the name of `*rest`. `restructures`
    names flags for which any value but the default swaps "array" and "tuple" in `result`
    (`return_index=True`, `compute_uv=False`).

    `keys` names the parameters whose PRNG key is consumed: drawing from it again gives the same
    numbers (JAX documentation, `jax.debug_key_reuse`). `makes` is "consumer" when the result is
    called as `made(key, shape)` and consumes that key. `parts` holds the kinds of a tuple's parts,
    in the words of `result`, where they are not all arrays.
    """

    result: str
    dtype: str = ""
    params: tuple[str, ...] = ()
    positional: int = 0
    shape: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    family: str = ""
    scalar: bool = False
    rest: str = ""
    restructures: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    concrete: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    makes: str = ""
    parts: tuple[str, ...] = ()


# Of how many of the names that a project mentions it is remembered what they stand for.
MOST_NAMES = 4096

_TABLES = {
    "numpy": "jax_numpy",
    "lax": "jax_lax",
    "random": "jax_random",
    "scipy": "jax_scipy",
}
_LISTS = (
    "shape", "layout", "static", "data", "bound", "unless", "restructures", "counts", "concrete",
    "keys", "parts",
)  # fmt: skip

# Spellings that are not the same object as the public function, but the same function.
_SAME_FUNCTION = {
    "jax.api.jit": "jax.jit",
    "jax.experimental.pjit.pjit": "jax.jit",
    "jax._src.pjit.pjit": "jax.jit",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax._src.shard_map.shard_map": "jax.shard_map",
    "jax.remat": "jax.checkpoint",
    "jax.ad_checkpoint.remat": "jax.checkpoint",
    "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
    "jax.new_checkpoint": "jax.checkpoint",
    "jax.jacobian": "jax.jacrev",
    "jax.custom_derivatives.custom_jvp": "jax.custom_jvp",
    "jax.custom_derivatives.custom_vjp": "jax.custom_vjp",
    "jax.tree_map": "jax.tree.map",
    "jax.tree_multimap": "jax.tree.map",
    "jax.tree_util.tree_multimap": "jax.tree.map",
    "jax.tree_leaves": "jax.tree.leaves",
    "jax.tree_flatten": "jax.tree.flatten",
    "jax.tree_unflatten": "jax.tree.unflatten",
    "jax.tree_structure": "jax.tree.structure",
    "jax.tree_util.tree_map_with_path": "jax.tree.map_with_path",
    "jax.tree_util.tree_flatten_with_path": "jax.tree.flatten_with_path",
    "jax.tree_util.tree_leaves_with_path": "jax.tree.leaves_with_path",
    "jax.scipy.misc.logsumexp": "jax.scipy.special.logsumexp",
    "jax.core.axis_index": "jax.lax.axis_index",
    "jax.experimental.enable_x64": "jax.enable_x64",
}
_TREE = (
    "all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten",
)  # fmt: skip
_SAME_FUNCTION |= {f"jax.tree_util.tree_{name}": f"jax.tree.{name}" for name in _TREE}


def _rows(module: str) -> dict[str, Any]:
    # Imported at the first question about such a name, to keep start-up fast.
    table: dict[str, Any] = import_module(f"jaxlint.knowledge.tables.{module}").TABLE
    return table


def spec_from(row: tuple[Any, ...]) -> FunctionSpec:
    """The specification that a row of a generated table stands for."""
    result, dtype, params, positional, *more = row
    extra: dict[str, str] = more[0] if more else {}
    return FunctionSpec(
        result=result,
        dtype=dtype,
        params=tuple(params.split()),
        positional=positional,
        family=extra.get("family", ""),
        scalar=bool(extra.get("scalar")),
        rest=extra.get("rest", ""),
        makes=extra.get("makes", ""),
        **{name: tuple(extra.get(name, "").split()) for name in _LISTS},
    )


@lru_cache(maxsize=MOST_NAMES)
def canonical(dotted: str) -> str:
    """The public name of a JAX function, for any spelling that reaches it.

    Private defining modules (`jax._src...`), deprecated and experimental homes are resolved;
    two public names of one function (`jnp.abs`, `jnp.absolute`) stay as they are, as does
    every name that is not JAX's.
    """
    if not dotted.startswith("jax."):
        return dotted
    found = _SAME_FUNCTION.get(dotted)
    if found is None:
        private = dotted.startswith("jax._src.")
        found = _rows("private_aliases" if private else "aliases").get(dotted, dotted)
    return _SAME_FUNCTION.get(found, found)


@lru_cache(maxsize=MOST_NAMES)
def function(dotted: str) -> FunctionSpec | None:
    """What the JAX function of this canonical name does; None when that is not known."""
    if not dotted.startswith("jax."):
        return None
    head = dotted.split(".", 2)[1]
    row = _rows(_TABLES.get(head, "jax_other")).get(dotted)
    return None if row is None else spec_from(row)

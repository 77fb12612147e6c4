"""What NumPy and SciPy functions do when one of their arguments is traced."""

from __future__ import annotations

from functools import cache
from importlib import import_module

# Functions that take any object as it is: a dict becomes an array that holds this dict.
CONVERTERS = frozenset({
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "atleast_1d",
    "atleast_2d", "atleast_3d", "copy",
})  # fmt: skip


@cache
def numpy_function(dotted: str) -> str | None:
    """What a NumPy or SciPy function does with a traced argument; None for unknown functions.

    "raises" (`TracerArrayConversionError`), "delegates" (forwards to the tracer's method, the
    result is traced), "static" (asks only for shape or dtype), "swallows" (catches the error
    and answers wrongly, `np.array_equal`), or "other" (raises something else, returns an
    object array, or differs from case to case). Source: JAX's documentation of
    `TracerArrayConversionError`, and calls under `jax.jit`.
    """
    if not dotted.startswith(("numpy.", "scipy.")):
        return None
    # Imported at the first question, to keep start-up fast.
    found: str | None = import_module("jaxlint.knowledge.tables.numpy_outcomes").TABLE.get(dotted)
    return found

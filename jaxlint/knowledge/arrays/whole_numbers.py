"""Functions that take whole numbers alone for one of their arguments, such as indices and labels:
its place and name. Held against JAX by `tests/knowledge/test_whole_numbers.py`."""

from __future__ import annotations

_SEGMENTS = ("segment_max", "segment_min", "segment_prod", "segment_sum")

WHOLE: dict[str, tuple[int, str]] = {
    "jax.numpy.bincount": (0, "x"),
    "jax.numpy.take": (1, "indices"),
    "jax.numpy.take_along_axis": (1, "indices"),
    "jax.lax.dynamic_index_in_dim": (1, "index"),
    "jax.lax.dynamic_slice_in_dim": (1, "start_index"),
    "jax.lax.switch": (0, "index"),
    "optax.softmax_cross_entropy_with_integer_labels": (1, "labels"),
    **{f"jax.ops.{name}": (1, "segment_ids") for name in _SEGMENTS},
}

"""Conditions, as patterns like those of expressions."""

from __future__ import annotations

TESTS: tuple[str, ...] = (
    "$f > $f2",
    "$f > 0",
    "$f > 0 and $i > 1",
    "$f < 0 or $b",
    "not $f > 1",
    "0 < $f < 2",
    "$i in (1, 2)",
    "$i == 2",
    "$n > 1",
    "$n == 2",
    "$i > $n",
    "jnp.any($v > 0)",
    "any(value > 0 for value in $v)",
    "$b",
    "not $b",
    "$b and $f > 0",
    "$s == '$mode'",
    "$s in ('mean', 'sum')",
    "$s != '$mode'",
    "$i % 2 == 0",
    "$v.mean() < 1.0",
    "$n in $z",
    "$n in {0, 3}",
    "bool($f)",
    "jnp.all($v > 0) or $f > 1",
    "np.any($v > 0)",
    "jnp.linalg.norm($v) < $f",
    "$v[0] > $f",
    "int($i) > 1",
    "float($f) > 0.5",
    "$I == 1",
)
"""Conditions that may go either way."""

CONSTANT: tuple[str, ...] = (
    "$L",
    "$n",
    "len($L) > 0",
    "$v.shape[0] == 3",
    "$m.ndim == 2",
    "$v.dtype == jnp.float32",
    "$v is not None",
    "isinstance($v, jax.Array)",
    "callable($g)",
    "$v.shape == $v2.shape",
    "jnp.issubdtype($v.dtype, jnp.floating)",
    "'scale' in $d",
    "$s in MODES",
)
"""Conditions that most often hold. What they exclude is never run, so they exclude little."""

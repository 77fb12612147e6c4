"""Ways of NumPy to change an array, which JAX arrays have not or only by name.

Source: JAX documentation, "The Sharp Bits", section "In-place updates", and `jax.Array.at`.
"""

from __future__ import annotations

from typing import Final

# Methods of NumPy arrays that change them, and that JAX arrays do not have.
MISSING_METHODS: Final = frozenset(
    {"fill", "itemset", "partition", "put", "resize", "setfield", "setflags"}
)
# Functions that change an argument, by the parameter that it is.
IN_PLACE: Final = {
    "jax.numpy.fill_diagonal": "a",
    "jax.numpy.place": "arr",
    "jax.numpy.put": "a",
    "jax.numpy.put_along_axis": "arr",
    "numpy.copyto": "dst",
    "numpy.fill_diagonal": "a",
    "numpy.place": "arr",
    "numpy.put": "a",
    "numpy.put_along_axis": "arr",
    "numpy.putmask": "a",
    "numpy.random.shuffle": "x",
    "operator.delitem": "a",
    "operator.setitem": "a",
    "random.shuffle": "x",
}
# What `x.at[index]` has, in any version of JAX.
UPDATE_METHODS: Final = frozenset(
    {
        "add",
        "apply",
        "array",
        "divide",
        "get",
        "index",
        "max",
        "min",
        "mul",
        "multiply",
        "power",
        "set",
        "subtract",
    }
)

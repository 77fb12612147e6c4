"""What functions of NumPy give, where that of their namesakes in `jax.numpy` does not tell:
held against NumPy by `tests/knowledge/test_host_results.py`."""

from __future__ import annotations

# Functions that give so many arrays, unless they are told otherwise.
COUNTS: dict[str, int] = {
    "divmod": 2,
    "frexp": 2,
    "histogram": 2,
    "linalg.eig": 2,
    "linalg.eigh": 2,
    "linalg.qr": 2,
    "linalg.slogdet": 2,
    "linalg.svd": 3,
    "modf": 2,
}
# Of these, arrays whose length an argument says, by their place and the argument.
LENGTHS: dict[str, dict[int, str]] = {"histogram": {0: "bins"}}
# The kinds of numbers that functions give whatever they are given, "" where these decide, or
# releases differ.
KINDS: dict[str, str] = {
    "argsort": "int",
    "fft.fftn": "",
    "fft.ifftn": "",
    "fix": "",
    "linalg.eigvals": "",
    "poly": "",
    "reciprocal": "",
    "roots": "",
}
# Options that change the kind of the numbers.
RETYPING: frozenset[str] = frozenset({"density", "out", "weights"})
# Functions that give something else than their namesakes: several arrays, or more axes.
UNLIKE: frozenset[str] = frozenset({
    *("atleast_1d", "atleast_2d", "atleast_3d", "gradient", "trim_zeros", "tril", "triu"),
})  # fmt: skip
# Parts of NumPy that JAX has as well.
HOMES: frozenset[str] = frozenset({"fft", "linalg"})
# Functions that make an axis of a number, and as many arguments as they take for one result.
WITH_AXIS: frozenset[str] = frozenset({"argsort"})
WHOLE_CALLS: dict[str, int] = {"where": 3}

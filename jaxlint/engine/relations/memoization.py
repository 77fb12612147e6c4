"""Functions whose results are kept, by the arguments as keys."""

from __future__ import annotations

from jaxlint.engine.domain.values import Function, LibraryName

# The decorator that `functools.lru_cache(maxsize=8)` gives.
MEMO = "functools.cache(...)"


def is_memoised(func: Function) -> bool:
    """Whether a function's results are kept."""
    return isinstance(func.wraps, LibraryName) and func.wraps.dotted == MEMO

"""Public JAX functions that take functions: what they hand to them, and what comes back."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class HigherOrder:
    """What a JAX function does with the functions that it is given.

    `gives` is "function" for transforms, else the kind of the result in the words of
    `FunctionSpec`; "" where no call works in staged code. `params` holds the names of the
    parameters, the first `positional` of which can be passed by position.

    `sees` says by parameter what the function there is called with: "staged" (tracers, and what
    it makes itself is traced too), "traced" (tracers, but nothing is staged), "plain" (the
    arguments as they are) or "host" (values, when the program runs). A function that has to be
    called first to learn this is left out.
    """

    gives: str
    params: tuple[str, ...]
    positional: int
    sees: dict[str, str]


@cache
def higher_order(dotted: str) -> HigherOrder | None:
    """What the function of this full name does; None when it takes no functions."""
    # Imported at the first question, to keep start-up fast.
    row = import_module("jaxlint.knowledge.tables.higher_order").TABLE.get(dotted)
    if row is None:
        return None
    gives, params, positional, sees = row
    return HigherOrder(gives, tuple(params.split()), positional, sees)

"""Calls of the modules `math` and `cmath`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import Sequence, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# What `math` gives as other than a float.
_KINDS = {
    **dict.fromkeys(("ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm"), "int"),
    "trunc": "int",
    **dict.fromkeys(("isclose", "isfinite", "isinf", "isnan"), "bool"),
    **dict.fromkeys(("frexp", "modf", "prod", "sumprod"), ""),
}
# Results grow beyond all bounds.
_UNBOUNDED = frozenset({"comb", "factorial", "lcm", "ldexp", "perm"})
_LARGEST = 1 << 53


def call_math(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A function of `math` or `cmath`: most of them turn operands into floats."""
    if lookup.math_function(dotted):
        callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
        for value, place in args.pairs():
            if isinstance(value, Sequence):
                value = finds_traced(value, 1) or value
            if demand(machine, frame, place, value, "math", callee, dotted):
                break
    module, _, name = dotted.rpartition(".")
    if module == "cmath":
        return Static(kind=_KINDS.get(name, "complex"))
    return _folded(name, args) or Static(kind=_KINDS.get(name, "float"))


def _folded(name: str, args: Args) -> Static | None:
    """The result of a call with known numbers."""
    function: Callable[..., Any] | None = getattr(math, name, None)
    if function is None or name in _UNBOUNDED or args.keywords or args.rest is not None:
        return None
    numbers = [_number(value) for value in args.positional]
    if not numbers or any(number is None for number in numbers):
        return None
    try:
        result = function(*numbers)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return Static(result) if isinstance(result, (bool, int, float)) else None


def _number(value: Value) -> Any:
    const = value.const if isinstance(value, Static) and value.known else None
    return const if isinstance(const, (bool, int, float)) and abs(const) < _LARGEST else None

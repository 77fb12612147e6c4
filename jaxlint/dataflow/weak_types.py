"""Weak types: what comes of Python numbers in a compiled function, as far as its text says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.structure import Part, bindings_in
from jaxlint.syntax import ir

# Weak types in the order of promotion; arrays with a type of their own, and what is not known.
WEAK = ("bool", "int", "float", "complex")
STRONG = "strong"
UNKNOWN = ""
_DEPTH = 12
_ARRAYS = ("jax.numpy.", "jax.lax.", "jax.nn.")
# They keep a weak type weak (measured on JAX 0.10).
_ELEMENTWISE = frozenset(
    [
        *("abs", "add", "subtract", "multiply", "maximum", "minimum", "negative", "square"),
        *("clip", "where", "mod", "remainder", "sign"),
    ]
)
_FLOATING = frozenset({"sqrt", "exp", "log", "sin", "cos", "tanh", "divide", "true_divide"})
_MAKE = frozenset({"zeros", "ones", "full", "arange", "eye", "zeros_like", "ones_like", "float32"})
_REDUCE = frozenset({"sum", "mean", "dot", "matmul", "prod", "vdot", "max", "min", "einsum"})


@slotted()
class Body:
    """A function's text, what its parameters are, and how library names are resolved.

    `given` holds the types of parameters, and of the parts of those that are containers:
    "state[0]", "state['loss']".
    """

    function: ir.FunctionDef
    given: dict[str, str]
    dotted: Callable[[Any], str]


def result(body: Body, at: int | None, key: Any = None) -> str:
    """The type of what a function returns, of the element `at` if it returns a tuple; of what
    stands there under a `key`, if one is asked for."""
    last = body.function.body[-1] if body.function.body else None
    if not isinstance(last, ir.Return):
        return UNKNOWN
    value: Any = last.value
    for index in (at, key):
        if index is not None:
            value = _part(value, index)
    return strength(body, value, _DEPTH)


def _part(display: Any, key: Any) -> Any:
    """What a display has under a key."""
    if isinstance(display, ir.Sequence) and isinstance(key, int):
        return display.items[key] if key < len(display.items) else None
    if isinstance(display, ir.Dict):
        for name, value in display.items:
            if isinstance(name, ir.Const) and name.value == key:
                return value
    return None


def strength(body: Body, node: Any, depth: int) -> str:
    """The weak type of an expression, or that it is none."""
    if depth == 0:
        return UNKNOWN
    if isinstance(node, ir.Const):
        kind = type(node.value).__name__
        return kind if kind in WEAK else UNKNOWN
    if isinstance(node, ir.Name):
        return _of_name(body, node.id, depth)
    if isinstance(node, ir.BinOp):
        sides = [strength(body, node.left, depth - 1), strength(body, node.right, depth - 1)]
        return joined(sides, "float" if node.op == "/" else "bool")
    if isinstance(node, ir.UnaryOp):
        return "bool" if node.op == "not" else strength(body, node.operand, depth - 1)
    if isinstance(node, ir.Compare):
        return "bool"
    if isinstance(node, ir.Subscript):
        if isinstance(node.value, ir.Name) and isinstance(node.index, ir.Const):
            part = f"{node.value.id}[{node.index.value!r}]"
            if part in body.given:
                return body.given[part]
        return STRONG if strength(body, node.value, depth - 1) == STRONG else UNKNOWN
    return _of_call(body, node, depth) if isinstance(node, ir.Call) else UNKNOWN


def joined(kinds: list[str], least: str = "bool") -> str:
    """What promotion makes of operands."""
    if STRONG in kinds:
        return STRONG
    if UNKNOWN in kinds:
        return UNKNOWN
    return max([*kinds, least], key=WEAK.index)


def _of_name(body: Body, name: str, depth: int) -> str:
    found = bindings_in(body.function.body).get(name, [])
    if not found:
        return body.given.get(name, UNKNOWN)
    value = found[0][0]
    if len(found) == 1 and isinstance(value, Part) and isinstance(value.value, ir.Name):
        return body.given.get(f"{value.value.id}[{value.at!r}]", UNKNOWN)
    is_plain = len(found) == 1 and isinstance(value, ir.Expr)
    return strength(body, value, depth - 1) if is_plain else UNKNOWN


def _of_call(body: Body, node: ir.Call, depth: int) -> str:
    dotted = body.dotted(node.func)
    name = dotted.rpartition(".")[2] if dotted.startswith(_ARRAYS) else ""
    plain = [argument.value for argument in node.args if argument.keyword is None]
    if not name and isinstance(node.func, ir.Attribute):
        if node.func.attr == "astype":
            return STRONG
        held = strength(body, node.func.value, depth - 1)
        return STRONG if held == STRONG and node.func.attr in _REDUCE else UNKNOWN
    if name in _MAKE:
        return STRONG
    if name in _REDUCE:
        kinds = [strength(body, one, depth - 1) for one in plain]
        return STRONG if STRONG in kinds else UNKNOWN
    if name in _ELEMENTWISE or name in _FLOATING:
        operands = plain[1:] if name == "where" else plain
        least = "float" if name in _FLOATING else "bool"
        return joined([strength(body, one, depth - 1) for one in operands], least)
    return UNKNOWN

"""Expressions of `jax.numpy` over Python numbers, written with Python's own functions."""

from __future__ import annotations

import builtins

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.fixes.queries.forms import definition, is_static
from jaxlint.fixes.source import Code
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.costs import NAMESAKES
from jaxlint.syntax import ir

_ARRAYS = frozenset({"array", "asarray", "int32", "int64", "int_"})
_REDUCTIONS = {"prod": "math.prod", "sum": "sum", "max": "max", "min": "min"}
_OPERATORS = {
    "equal": "==",
    "greater": ">",
    "greater_equal": ">=",
    "less": "<",
    "less_equal": "<=",
    "not_equal": "!=",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "floor_divide": "//",
    "remainder": "%",
    "mod": "%",
}
_WHOLE = frozenset({"ceil", "floor"})
_INTEGERS = frozenset({"int", "int32", "int64", "int_"})


@slotted(frozen=True)
class Written:
    """An expression in Python, whether it stands by itself beside operators, whether it is a whole
    number, and the imports that it needs."""

    text: str
    closed: bool
    whole: bool
    edits: tuple[Edit, ...] = ()

    @property
    def operand(self) -> str:
        return self.text if self.closed else f"({self.text})"


def written(code: Code, node: ir.Expr) -> Written | None:
    """What computes the same as an expression of JAX over shapes and constants. None where it is
    made of anything else, or where there is no such function."""
    if isinstance(node, ir.Call):
        return _call(code, node)
    if isinstance(node, (ir.BinOp, ir.Compare)) and len(getattr(node, "ops", ("",))) == 1:
        return _operation(code, node)
    value = definition(code, node) if isinstance(node, ir.Name) else node
    if value is not None and is_static(value):
        return Written(code.text(node), True, True)
    if isinstance(value, ir.Const) and isinstance(value.value, (int, float)):
        return Written(code.text(node), True, isinstance(value.value, int))
    return None


def _operation(code: Code, node: ir.BinOp | ir.Compare) -> Written | None:
    other = node.right if isinstance(node, ir.BinOp) else node.comparators[0]
    left, right = written(code, node.left), written(code, other)
    if left is None or right is None:
        return None
    op = node.op if isinstance(node, ir.BinOp) else node.ops[0]
    return _joined(left, op, right)


def _joined(left: Written, op: str, right: Written) -> Written:
    whole = left.whole and right.whole and op not in ("/", "**")
    text = f"{left.operand} {op} {right.operand}"
    return Written(text, False, whole, left.edits + right.edits)


def _call(code: Code, node: ir.Call) -> Written | None:
    if is_static(node):
        return Written(code.text(node), True, True)
    if any(a.star for a in node.args):
        return None
    if isinstance(node.func, ir.Attribute) and node.func.attr in ("astype", "item", *_REDUCTIONS):
        found = _method(code, node, node.func)
        if found is not None:
            return found
    dotted = lookup.canonical(code.meaning(node.func))
    module, _, name = dotted.rpartition(".")
    values = [a.value for a in node.args]
    if module != "jax.numpy" or any(a.keyword for a in node.args):
        return None
    if name in _ARRAYS and len(values) == 1:
        return written(code, values[0])
    if name in _REDUCTIONS and len(values) == 1:
        return _reduced(code, name, values[0])
    inner = [written(code, one) for one in values]
    known = [one for one in inner if one is not None]
    if len(known) < len(inner):
        return None
    if name in _OPERATORS and len(known) == 2:
        return _joined(known[0], _OPERATORS[name], known[1])
    return _namesake(code, node, dotted, known)


def _namesake(code: Code, node: ir.Call, dotted: str, inner: list[Written]) -> Written | None:
    reached = function(code, node, NAMESAKES.get(dotted, ""))
    if reached is None or not inner:
        return None
    name = dotted.rpartition(".")[2]
    edits = tuple(edit for one in inner for edit in one.edits) + reached[1]
    same = name in ("abs", "maximum", "minimum") and all(one.whole for one in inner)
    text = f"{reached[0]}({', '.join(one.text for one in inner)})"
    return Written(text, True, same or name in _WHOLE, edits)


def _method(code: Code, node: ir.Call, method: ir.Attribute) -> Written | None:
    """`.astype(int)` and the reductions without arguments."""
    if method.attr in _REDUCTIONS and not node.args:
        return _reduced(code, method.attr, method.value)
    inner = written(code, method.value)
    if inner is None or method.attr == "item":
        return inner if not node.args else None
    dtype = node.args[0].value if method.attr == "astype" and len(node.args) == 1 else None
    name = dtype.attr if isinstance(dtype, ir.Attribute) else getattr(dtype, "id", "")
    if name not in _INTEGERS:
        return None
    if inner.whole:
        return inner
    reached = function(code, node, "int")
    return reached and Written(f"int({inner.text})", True, True, inner.edits)


def _reduced(code: Code, name: str, node: ir.Expr) -> Written | None:
    """`jnp.prod(jnp.array(x.shape))`."""
    while isinstance(node, ir.Call) and len(node.args) == 1 and not node.args[0].keyword:
        module, _, made = code.meaning(node.func).rpartition(".")
        if module not in ("jax.numpy", "numpy") or made not in _ARRAYS:
            return None
        node = node.args[0].value
    shape = node.value if isinstance(node, ir.Subscript) else node
    if isinstance(node, ir.Subscript) and not isinstance(node.index, ir.Slice):
        return None
    if not (isinstance(shape, ir.Attribute) and shape.attr == "shape"):
        return None
    reached = function(code, node, _REDUCTIONS[name])
    return reached and Written(f"{reached[0]}({code.text(node)})", True, True, reached[1])


def function(code: Code, node: ir.Node, name: str) -> tuple[str, tuple[Edit, ...]] | None:
    """How a function of `math` or a builtin is written at a node. None where it has no name."""
    if not name or "." in name:
        return code.reach(name, node) if name else None
    is_own = hasattr(builtins, name) and not code.binds(name, node)
    return (name, ()) if is_own else None

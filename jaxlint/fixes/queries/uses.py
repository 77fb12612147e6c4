"""What becomes of the value of an expression, as far as the source around it shows."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator

from jaxlint.dataflow.names import bound_names, names_by_text, walk
from jaxlint.fixes.equivalents import namesake, takes
from jaxlint.fixes.queries.forms import definition, is_static
from jaxlint.fixes.source import Code
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.costs import NAMESAKES
from jaxlint.syntax import ir

# Builtins that take a traced array as well as any other value.
_TAKES_ARRAYS = frozenset({
    "abs", "dict", "hasattr", "isinstance", "len", "list", "pow", "reversed", "setattr", "sum",
    "tuple", "type", "zip",
})  # fmt: skip
_HOST = frozenset({"numpy", "scipy", "math", "cmath", "statistics", "random", "time", "logging"})
_PYTHON = ("shape", "static", "layout", "counts")
_RESHAPES = frozenset({"reshape", "repeat", "resize", "view"})
_IN_PLACE = frozenset({"fill", "sort", "partition", "put", "itemset", "setfield", "setflags"})

# The names that were followed already are left out.
Suits = Callable[[Code, ir.Expr, set[str]], bool]


def suits_array(code: Code, node: ir.Expr, seen: set[str] | None = None) -> bool:
    """Whether a traced array may stand in the place of an expression: nothing that is seen to use
    its value asks for a Python value, or changes it in place. Names that it is assigned to are
    followed within the function."""
    seen = set() if seen is None else seen
    parent = code.parent(node)
    while isinstance(parent, (ir.BinOp, ir.UnaryOp, ir.Compare, ir.IfExp, ir.NamedExpr)):
        if isinstance(parent, ir.Compare) and parent.ops[0] in ("is", "is not"):
            return len(parent.ops) == 1
        if not _stays(code, parent, node):
            return False
        if isinstance(parent, ir.NamedExpr) and not _named(code, parent, seen, suits_array):
            return False
        node, parent = parent, code.parent(parent)
    if isinstance(parent, (ir.Assign, ir.AnnAssign)):
        return _named(code, parent, seen, suits_array)
    if isinstance(parent, ir.AugAssign):
        return isinstance(parent.target, ir.Name)
    if isinstance(parent, ir.Attribute):
        return _attribute(code, parent, seen)
    if isinstance(parent, ir.Subscript):
        return node is parent.value and _element(code, parent, seen)
    if isinstance(parent, ir.Call):
        return _argument(code, parent, node, seen)
    if isinstance(parent, ir.Comprehension):
        return node in (parent.element, parent.key)
    plain = (ir.Return, ir.Yield, ir.ExprStmt, ir.Sequence, ir.Dict, ir.FunctionDef)
    return isinstance(parent, plain)


def suits_number(code: Code, node: ir.Expr, seen: set[str] | None = None) -> bool:
    """Whether a Python number may stand in the place of an expression: nothing that is seen to use
    its value asks it for what arrays alone have."""
    seen = set() if seen is None else seen
    parent = code.parent(node)
    while isinstance(parent, (ir.BinOp, ir.UnaryOp, ir.Compare, ir.IfExp)):
        if isinstance(parent, ir.BinOp) and not _is_number(code, parent, node):
            return True
        node, parent = parent, code.parent(parent)
    if isinstance(parent, (ir.Assign, ir.AnnAssign, ir.NamedExpr)):
        return _named(code, parent, seen, suits_number)
    if isinstance(parent, ir.Subscript):
        return node is parent.index
    if isinstance(parent, ir.Call) and lookup.canonical(code.meaning(parent.func)) in NAMESAKES:
        # Of numbers alone, it could be one of Python as well.
        others = [a.value for a in parent.args if a.value is not node]
        return any(not _looks_number(code, other) for other in others)
    return not isinstance(parent, (ir.Attribute, ir.Return, ir.Yield, ir.Dict, ir.Sequence))


def _is_number(code: Code, parent: ir.BinOp, node: ir.Expr) -> bool:
    """Whether the other operand is a number as well, by its looks: if not, the result is an array
    all the same."""
    return _looks_number(code, parent.left if node is parent.right else parent.right)


def _looks_number(code: Code, other: ir.Expr) -> bool:
    inner = definition(code, other) if isinstance(other, ir.Name) else other
    number = isinstance(inner, (ir.Const, ir.UnaryOp))
    return inner is not None and (number or is_static(inner))


def _stays(code: Code, parent: ir.Expr, node: ir.Expr) -> bool:
    """Whether an operator takes an array and gives one."""
    if isinstance(parent, ir.BinOp):
        other = parent.left if node is parent.right else parent.right
        return not _is_python(other)
    if isinstance(parent, ir.UnaryOp):
        return parent.op != "not"
    if isinstance(parent, ir.Compare):
        return len(parent.ops) == 1 and parent.ops[0] not in ("in", "not in")
    return not (isinstance(parent, ir.IfExp) and node is parent.test)


def _is_python(node: ir.Expr) -> bool:
    """Whether an operand is a text or a container: `"%f" % x`, `[0] * n`."""
    text = isinstance(node, ir.Const) and isinstance(node.value, (str, bytes))
    return text or isinstance(node, (ir.JoinedString, ir.Sequence, ir.Dict, ir.Comprehension))


def _named(code: Code, statement: ir.Node, seen: set[str], suits: Suits) -> bool:
    """Whether all uses of the names that a statement binds suit a value."""
    function = code.function(statement)
    body = code.module.body if function is None else function.body
    names = bound_names(statement) - seen
    seen |= names
    read = (one for name in sorted(names) for one in names_by_text(body).get(name, ()))
    return all(_is_target(code, one) or suits(code, one, seen) for one in read)


def _is_target(code: Code, node: ir.Expr) -> bool:
    """Whether a name is bound rather than read."""
    parent = code.parent(node)
    while isinstance(parent, (ir.Sequence, ir.Starred)):
        node, parent = parent, code.parent(parent)
    if isinstance(parent, ir.Assign):
        return node in parent.targets
    if isinstance(parent, ir.With):
        return any(node is target for _, target in parent.items)
    return getattr(parent, "target", None) is node and not isinstance(parent, ir.AugAssign)


def _attribute(code: Code, node: ir.Attribute, seen: set[str]) -> bool:
    """Whether arrays have an attribute, and the use of it suits them."""
    name = node.attr
    if name in lookup.STATIC_ATTRIBUTES:
        return True
    if name in lookup.CONCRETISING_METHODS or name in lookup.HOST_METHODS or name in _IN_PLACE:
        return False
    known = name in lookup.ARRAY_ATTRIBUTES or lookup.method(name) is not None
    parent = code.parent(node)
    is_called = isinstance(parent, ir.Call) and parent.func is node
    if is_called and isinstance(parent, ir.Call):
        return known and suits_array(code, parent, seen)
    return known and suits_array(code, node, seen)


def _element(code: Code, node: ir.Subscript, seen: set[str]) -> bool:
    parent = code.parent(node)
    if isinstance(parent, (ir.Assign, ir.Delete)) and node in parent.targets:
        return False
    return not isinstance(parent, ir.AugAssign) and suits_array(code, node, seen)


def _argument(code: Code, call: ir.Call, node: ir.Expr, seen: set[str]) -> bool:
    """Whether a call takes an array for what is passed to it."""
    dotted = code.meaning(call.func)
    top = dotted.partition(".")[0]
    if top in _HOST:
        # Whoever gets an array in turn is found then, and fixed where that is possible.
        other = namesake(dotted)
        return bool(other) and takes(other, call) and suits_array(code, call, seen)
    if top == "jax":
        return not any(_is_for(dotted, call, node, name) for name in _static_of(dotted))
    if isinstance(call.func, ir.Name):
        if call.func.id == "isinstance" and _asks_numpy(code, call):
            return False
        return call.func.id in _TAKES_ARRAYS or not hasattr(builtins, call.func.id)
    return not (isinstance(call.func, ir.Attribute) and call.func.attr in _RESHAPES)


def _asks_numpy(code: Code, call: ir.Call) -> bool:
    """Whether a class of NumPy is among those that a call of `isinstance` asks for."""
    asked = walk(tuple(argument.value for argument in call.args[1:]))
    dotted = (one for one in asked if isinstance(one, (ir.Name, ir.Attribute)))
    return any(code.meaning(one).startswith("numpy.") for one in dotted)


def _static_of(dotted: str) -> Iterator[str]:
    spec = lookup.function(lookup.canonical(dotted))
    for kind in _PYTHON if spec is not None else ():
        yield from getattr(spec, kind)


def _is_for(dotted: str, call: ir.Call, node: ir.Expr, name: str) -> bool:
    """Whether an argument is passed for a parameter."""
    spec = lookup.function(lookup.canonical(dotted))
    for at, argument in enumerate(call.args):
        if argument.value is node and spec is not None:
            given = argument.keyword or (spec.params[at] if at < len(spec.params) else "")
            return given == name
    return False

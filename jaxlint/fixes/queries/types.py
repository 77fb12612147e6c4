"""What an expression surely gives, told from the source around it."""

from __future__ import annotations

from jaxlint.dataflow.names import array_parameters, bound_names, walk
from jaxlint.fixes.source import Code
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_RESHAPING = frozenset(
    [
        *(
            "concatenate",
            "stack",
            "hstack",
            "vstack",
            "append",
            "moveaxis",
            "swapaxes",
            "transpose",
        ),
        *("expand_dims", "squeeze", "ravel", "flatten", "take", "diag", "repeat", "tile", "split"),
    ]
)
# How far names are followed to what is bound to them.
_DEPTH = 6
_ORDER = frozenset({"<", ">", "<=", ">=", "==", "!="})
_SAME = frozenset({"==", "!=", "in", "not in", "is", "is not"})
# Operators that no string, list or set has.
_ARITHMETIC = frozenset({"-", "/", "//", "**", "@", "<<", ">>"})
_NUMBERS = frozenset({"builtins.abs", "builtins.float", "builtins.int", "builtins.len"})
_TRUTHS = frozenset({"builtins.isinstance", "builtins.hasattr", "builtins.callable"})
# What decides whether a value is there at all: what comes behind it counts on that.
_ASKING = _TRUTHS | {"builtins.issubclass", "builtins.len", "builtins.type"}


def is_truth(code: Code, node: ir.Expr, depth: int = _DEPTH) -> bool:
    """Whether an expression surely gives a bool, or an array of bools."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, bool)
    if isinstance(node, ir.Compare):
        return True
    if isinstance(node, ir.UnaryOp):
        return node.op == "not" or (node.op == "~" and is_truth(code, node.operand, depth))
    if isinstance(node, ir.BoolOp):
        return all(is_truth(code, one, depth) for one in node.values)
    if isinstance(node, ir.BinOp) and node.op in ("&", "|", "^"):
        return is_truth(code, node.left, depth) and is_truth(code, node.right, depth)
    if isinstance(node, ir.Call):
        spec = lookup.function(lookup.canonical(code.meaning(node.func)))
        is_mask = spec is not None and spec.result == "array" and spec.dtype == "bool"
        return is_mask or code.meaning(node.func) in _TRUTHS
    if isinstance(node, ir.NamedExpr):
        return is_truth(code, node.value, depth)
    found = values_of(code, node) if isinstance(node, ir.Name) and depth else ()
    return bool(found) and all(is_truth(code, one, depth - 1) for one in found)


def is_mask(code: Code, node: ir.Expr) -> bool:
    """Whether an expression surely gives an array of bools, which `~` negates."""
    if isinstance(node, ir.Call):
        spec = lookup.function(lookup.canonical(code.meaning(node.func)))
        return spec is not None and spec.result == "array" and spec.dtype == "bool"
    if isinstance(node, ir.UnaryOp) and node.op == "~":
        return is_mask(code, node.operand)
    if isinstance(node, ir.BinOp) and node.op in ("&", "|", "^"):
        return is_mask(code, node.left) or is_mask(code, node.right)
    if not isinstance(node, ir.Name):
        return False
    found = values_of(code, node)
    return bool(found) and all(isinstance(o, ir.Call) and is_mask(code, o) for o in found)


def is_number(code: Code, node: ir.Expr, depth: int = _DEPTH) -> bool:
    """Whether an expression surely gives a number or an array."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, (int, float, complex))
    if isinstance(node, ir.UnaryOp):
        return True
    if isinstance(node, ir.BinOp):
        if node.op in _ARITHMETIC:
            return True
        sides = (node.left, node.right)
        numbers = [is_number(code, one, depth) for one in sides]
        if node.op in ("*", "%"):
            # A list or text may be repeated, or be a template.
            return all(numbers) or any(_is_no_count(code, one, depth) for one in sides)
        return any(numbers)
    if isinstance(node, ir.Compare):
        return all(op in _ORDER for op in node.ops)
    if isinstance(node, ir.IfExp):
        return is_number(code, node.body, depth) and is_number(code, node.orelse, depth)
    if isinstance(node, ir.Call):
        return _gives_array(code, node)
    if isinstance(node, ir.NamedExpr):
        return is_number(code, node.value, depth)
    if not (isinstance(node, ir.Name) and depth):
        return False
    function = code.function(node)
    if function is not None and node.id in array_parameters(function):
        return True
    if _is_measured(code, node) and not is_something_else(code, node):
        return True
    found = values_of(code, node)
    return bool(found) and all(is_number(code, one, depth - 1) for one in found)


def may_be_number(node: ir.Expr) -> bool:
    """Whether nothing in an expression itself says that it gives something else."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, (int, float, complex))
    if isinstance(node, ir.IfExp):
        return may_be_number(node.body) and may_be_number(node.orelse)
    if isinstance(node, ir.BoolOp):
        return all(map(may_be_number, node.values))
    return isinstance(
        node,
        (
            ir.Attribute,
            ir.BinOp,
            ir.Call,
            ir.Compare,
            ir.Name,
            ir.NamedExpr,
            ir.Subscript,
            ir.UnaryOp,
        ),
    )


def has_shape(code: Code, node: ir.Expr) -> bool:
    """Whether an expression makes an array of a shape of its own, which need not be that of
    another one."""
    for one in walk(node):
        if isinstance(one, ir.Subscript):
            parts = one.index.items if isinstance(one.index, ir.Sequence) else (one.index,)
            if any(isinstance(part, (ir.Slice, ir.Const)) and _is_cut(part) for part in parts):
                return True
        if isinstance(one, ir.Sequence) and one.kind == "list":
            return True
        if isinstance(one, ir.Call) and _is_shaping(code, one):
            return True
    return False


def _is_shaping(code: Code, call: ir.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ir.Attribute) else ""
    spec = lookup.function(lookup.canonical(code.meaning(call.func))) or lookup.method(name)
    if name in _RESHAPING or spec is None:
        return name in _RESHAPING
    names = {one.keyword for one in call.args} | set(spec.params[: len(call.args)])
    return not name.endswith("_like") and not names.isdisjoint({*spec.shape, *spec.layout})


def _is_cut(index: ir.Expr) -> bool:
    return not isinstance(index, ir.Const) or index.value is None or index.value is ...


def is_something_else(code: Code, name: ir.Name) -> bool:
    """Whether a name may surely stand for what is no number: None, text, a container."""
    default = default_of(code.function(name), name.id)
    found = values_of(code, name) if default is None else [default]
    return not all(map(may_be_number, found))


def is_guard(code: Code, node: ir.Expr) -> bool:
    """Whether a test asks if there is something, or of which type, so that what comes behind it
    may count on the answer."""
    for one in walk(node):
        if isinstance(one, ir.Compare) and not _ORDER.issuperset(one.ops):
            return True
        if isinstance(one, ir.Call) and code.meaning(one.func) in _ASKING:
            return True
        if isinstance(one, ir.Attribute) and one.attr in lookup.STATIC_ATTRIBUTES:
            return True
    return False


def default_of(function: ir.FunctionDef | None, name: str) -> ir.Expr | None:
    """The default of a parameter."""
    params = () if function is None else function.params
    return next((one.default for one in params if one.name == name), None)


def _is_measured(code: Code, name: ir.Name) -> bool:
    """Whether a function asks if what a name stands for is greater or less than a number."""
    function = code.function(name)
    for one in walk(function.body if function is not None else code.module.body):
        if isinstance(one, ir.Compare) and not _SAME.intersection(one.ops):
            sides = (one.left, *one.comparators)
            is_named = any(isinstance(o, ir.Name) and o.id == name.id for o in sides)
            if is_named and any(map(_is_figure, sides)):
                return True
    return False


def _is_figure(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and isinstance(node.value, (int, float))


def _is_no_count(code: Code, node: ir.Expr, depth: int) -> bool:
    """Whether an expression surely gives a number or an array, and no `int` of Python."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, (float, complex))
    if isinstance(node, ir.UnaryOp):
        return node.op != "not" and _is_no_count(code, node.operand, depth)
    if isinstance(node, ir.BinOp):
        sides = (node.left, node.right)
        return node.op in ("/", "@") or any(_is_no_count(code, one, depth) for one in sides)
    if isinstance(node, ir.Call):
        return code.meaning(node.func).startswith("jax.") and _gives_array(code, node)
    found = values_of(code, node) if isinstance(node, ir.Name) and depth else ()
    return bool(found) and all(_is_no_count(code, one, depth - 1) for one in found)


def _gives_array(code: Code, node: ir.Call) -> bool:
    meaning = code.meaning(node.func)
    if meaning:
        spec = lookup.function(lookup.canonical(meaning))
        return meaning in _NUMBERS or (spec is not None and spec.result == "array")
    if not isinstance(node.func, ir.Attribute):
        return False
    method = lookup.method(node.func.attr)
    is_array = method is not None and method.result == "array"
    return is_array and is_number(code, node.func.value, 2)


def values_of(code: Code, name: ir.Name) -> list[ir.Expr]:
    """All that is bound to a name of a function, if it is bound by nothing but assignments."""
    function = code.function(name)
    body = code.module.body if function is None else function.body
    if function is not None and name.id not in function.bound:
        return []
    if function is not None and any(one.name == name.id for one in function.params):
        return []
    found = []
    for one in walk(body, (ir.FunctionDef, ir.ClassDef)):
        if isinstance(one, ir.Assign) and any(
            isinstance(target, ir.Name) and target.id == name.id for target in one.targets
        ):
            found.append(one.value)
        elif isinstance(one, ir.Node) and name.id in set(bound_names(one)):
            return []
    return found

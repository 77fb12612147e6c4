"""Functions that are compiled again and again, compiled once."""

from __future__ import annotations

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.dataflow.names import walk
from jaxlint.fixes.queries.transform_sites import application, meant
from jaxlint.fixes.rewrites.hoist import (
    Place,
    captured,
    destination,
    free_in_expression,
    hoisted,
    in_module,
    inserted,
    is_idle,
    new_name,
    shifted,
)
from jaxlint.fixes.source import Code
from jaxlint.fixes.text.call_text import CallText
from jaxlint.syntax import ir

_OPERATORS = frozenset({"+", "-", "*", "/", "@"})


def compiled_once(code: Code, node: ir.Call) -> Fix | None:
    """The fix that applies a transform once, outside of loops and functions."""
    base = f"compiled{_named_after(node)}"
    found = hoisted(code, node, base) or _with_captured(code, node, base)
    if found is None:
        return None
    return code.fix(f"Compile it once, {found[0].described()}", *found[1])


def _named_after(node: ir.Expr) -> str:
    """The name of the function that transforms are applied to, behind an underscore."""
    while isinstance(node, ir.Call) and node.args:
        node = node.args[0].value
    name = node.attr if isinstance(node, ir.Attribute) else getattr(node, "id", "")
    return f"_{name.strip('_')}" if name.strip("_") else ""


def _with_captured(code: Code, node: ir.Call, base: str) -> tuple[Place, tuple[Edit, ...]] | None:
    """A lambda that is compiled and called on the spot, with what it captures as arguments; None
    where that is no operand of arithmetic, and may have to be a Python value."""
    call, given = code.parent(node), node.args[0].value if len(node.args) == 1 else None
    if not (isinstance(call, ir.Call) and call.func is node and isinstance(given, ir.Lambda)):
        return None
    free = free_in_expression(node)
    names = [name for name in _in_order(given.function) if name in captured(code, node, free)]
    function = given.function
    is_plain = all(one.kind == "plain" and one.default is None for one in function.params)
    computed = all(_is_operand(code, name, function) for name in names)
    place = in_module(code, node, free - set(names)) if names else None
    if place is None or not (is_plain and computed and is_idle(code, node)):
        return None
    if any(argument.star for argument in call.args):
        return None
    name = new_name(code, node, base)
    text = CallText(code, node)
    start = text.start_of(given) + len("lambda")
    more = ", ".join(names)
    if function.params:
        last = code.module.locate(function.params[-1])
        start, more = text.offset(last.end_line, last.end_column), f", {more}"
    else:
        more = f" {more}"
    body = shifted(code, node, text.text[:start] + more + text.text[start:], place.indent)
    is_named = any(argument.keyword for argument in call.args)
    passed = ", ".join(f"{one}={one}" for one in names) if is_named else ", ".join(names)
    added = CallText(code, call).added(passed)
    return place, (inserted(code, place, f"{name} = {body}"), code.replace(node, name), *added)


def _in_order(function: ir.FunctionDef) -> list[str]:
    """The names in a function, in the order in which they are first said."""
    return list(dict.fromkeys(one.id for one in walk(function.body) if isinstance(one, ir.Name)))


def _is_operand(code: Code, name: str, function: ir.FunctionDef) -> bool:
    """Whether a name stands beside operators of arithmetic alone."""
    for one in walk(function.body):
        if isinstance(one, ir.Name) and one.id == name:
            parent = code.parent(one)
            if not (isinstance(parent, ir.BinOp) and parent.op in _OPERATORS):
                return False
    return True


# -- what transforms make, and nobody compiles ----------------------------------------------------

_STATEMENTS = (ir.Assign, ir.AugAssign, ir.Return)
_BRANCHES = (ir.BoolOp, ir.Compare, ir.Comprehension, ir.FunctionDef, ir.IfExp, ir.JoinedString)
_COMPILABLE = ("jax.lax.", "jax.nn.", "jax.numpy.", "jax.random.", "jax.scipy.")


def compiled_gradient(code: Code, call: ir.Call) -> Fix | None:
    """The fix that compiles what a transform makes where a loop calls it; None where the
    function may need Python values."""
    made: ir.Expr = call.func
    found = meant(code, made) if isinstance(made, ir.Name) else None
    if isinstance(found, ir.Assign) and len(found.targets) == 1:
        made = found.value
    one = application(code, made)
    reached = code.reach("jax.jit", made)
    if one is None or one.function is None or reached is None or not isinstance(made, ir.Call):
        return None
    is_given_arrays = not any(isinstance(each.value, ir.Const) for each in call.args)
    if not (is_given_arrays and _is_compilable(code, one.function)):
        return None
    title = f"Compile it with `{reached[0]}`"
    if made is not call.func:
        loops = (ir.For, ir.While, ir.Comprehension)
        if not isinstance(found, ir.Assign) or not isinstance(found.targets[0], ir.Name):
            return None
        if any(isinstance(around, loops) for around in code.around(made)):
            return None
        before, after = code.before(made, f"{reached[0]}("), code.after(made, ")")
        return code.fix(title, before, after, *reached[1])
    place = destination(code, made, free_in_expression(made) | {reached[0].partition(".")[0]})
    if place is None or not is_idle(code, made):
        return None
    name = new_name(code, made, f"compiled{_named_after(made)}")
    text = shifted(code, made, code.text(made), place.indent)
    edit = inserted(code, place, f"{name} = {reached[0]}({text})")
    return code.fix(title, edit, code.replace(made, name), *reached[1])


def _is_compilable(code: Code, function: ir.FunctionDef) -> bool:
    """Whether a function computes with JAX alone, whatever its arguments are."""
    if function.is_generator or function.is_async or function.decorators:
        return False
    inner = {one for param in function.params for one in walk(param.default) if param.default}
    if inner or not all(isinstance(one, _STATEMENTS) for one in function.body):
        return False
    for one in walk(function.body):
        if isinstance(one, _BRANCHES):
            return False
        if isinstance(one, ir.Call) and not code.meaning(one.func).startswith(_COMPILABLE):
            is_method = isinstance(one.func, ir.Attribute) and not code.meaning(one.func)
            if not is_method or not isinstance(one.func, ir.Attribute):
                return False
            if one.func.attr not in _METHODS:
                return False
    return True


_METHODS = frozenset({"astype", "dot", "max", "mean", "min", "prod", "std", "sum", "var"})

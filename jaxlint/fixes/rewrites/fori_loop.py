"""Python loops that carry arrays along, written as `lax.fori_loop`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import takewhile

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.queries.scopes import binders, taken
from jaxlint.fixes.rewrites.hoist import free_in_expression, new_name
from jaxlint.fixes.source import Code
from jaxlint.fixes.text import blocks
from jaxlint.syntax import ir

# What is computed of arrays by these has the shape and, for floats, the dtype that they have.
_ELEMENTWISE = frozenset(
    f"jax.numpy.{name}"
    for name in (
        *("sin", "cos", "tan", "tanh", "sinh", "cosh", "arctan", "arcsinh", "exp", "expm1", "log"),
        *("log1p", "sqrt", "cbrt", "abs", "negative", "square", "maximum", "minimum", "clip"),
        *("add", "subtract", "multiply", "divide", "roll"),
    )
) | frozenset(f"jax.nn.{name}" for name in ("relu", "sigmoid", "silu", "softplus", "gelu", "tanh"))
_OPERATORS = frozenset({"+", "-", "*", "/", "@"})


@slotted(frozen=True)
class _Loop:
    """A loop that counts, with the names that it carries from one turn to the next."""

    statement: ir.For
    index: str
    bounds: str
    carried: tuple[str, ...]


def as_fori_loop(code: Code, iterable: ir.Node, steady: Collection[str]) -> Fix | None:
    """The fix that makes a loop over `range` one of JAX; None where it carries something else
    than what is `steady`: arrays that keep their rank and dtype."""
    loop = _read(code, iterable)
    if loop is not None and not set(loop.carried) <= set(steady):
        return None
    reached = None if loop is None else code.reach("jax.lax.fori_loop", iterable)
    if loop is None or reached is None:
        return None
    extent = blocks.lines(code, loop.statement)
    first = code.module.locate(loop.statement.body[0])
    header = code.module.locate(loop.statement)
    if extent is None or first.line <= header.end_line:
        return None
    inner = code.source.line(first.line)[: first.column - 1]
    outer = code.source.line(header.line)[: header.column - 1]
    if inner.strip() or extent[1] >= len(code.source.lines):
        return None
    name = new_name(code, loop.statement, "step", code.function(loop.statement))
    carry = loop.carried[0] if len(loop.carried) == 1 else _free(code, "carry")
    together = ", ".join(loop.carried)
    given = carry if len(loop.carried) == 1 else f"({together})"
    result = f"{together} = {reached[0]}({loop.bounds}, {name}, {given})"
    after = Span(extent[1] + 1, 1, extent[1] + 1, 1)
    edits = [
        Edit(header, f"def {name}({loop.index}, {carry}):"),
        Edit(after, f"{inner}return {together}\n\n{outer}{result}\n"),
        *reached[1],
    ]
    if len(loop.carried) > 1:
        start = Span(header.end_line + 1, 1, header.end_line + 1, 1)
        edits.append(Edit(start, f"{inner}{together} = {carry}\n"))
    return code.fix(f"Write it as `{reached[0]}`", *edits)


def _free(code: Code, base: str) -> str:
    return base if base not in code.source.text else f"{base}_"


def _read(code: Code, iterable: ir.Node) -> _Loop | None:
    """The loop over a range, if it is one that can be written in another way."""
    loop = code.parent(iterable)
    function = None if loop is None else code.function(loop)
    if not isinstance(loop, ir.For) or loop.orelse or function is None or function.is_lambda:
        return None
    bounds = _bounds(code, iterable)
    if not isinstance(loop.target, ir.Name) or not bounds or function.is_generator:
        return None
    body = [one for one in loop.body if isinstance(one, (ir.Assign, ir.AugAssign))]
    carried = _carried(body) if len(body) == len(loop.body) else ()
    index = loop.target.id
    if not carried or index in carried or not _is_steady(code, body, carried, function):
        return None
    if _is_read_after(code, loop, index, function):
        return None
    if not all(_is_begun(code, name, loop, function) for name in carried):
        return None
    return _Loop(loop, index, bounds, carried)


def _bounds(code: Code, node: ir.Node) -> str:
    """From where to where a `range` counts, "" where it has a step or is another one."""
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Name):
        return ""
    if node.func.id != "range" or not code.is_unbound("range") or len(node.args) not in (1, 2):
        return ""
    if any(one.star or one.keyword for one in node.args):
        return ""
    texts = [code.text(one.value) for one in node.args]
    return ", ".join(["0", *texts] if len(texts) == 1 else texts)


def _carried(body: list[ir.Assign | ir.AugAssign]) -> tuple[str, ...]:
    """The names that one turn reads as another one leaves them; none where other names are bound,
    whose values may be wanted after the loop."""
    done: set[str] = set()
    carried: dict[str, None] = {}
    bound = {name for one in body for name in taken(one)}
    for one in body:
        read = free_in_expression(one.value)
        read |= taken(one) if isinstance(one, ir.AugAssign) else set()
        carried.update(dict.fromkeys(sorted(read & bound - done)))
        done |= taken(one)
    return tuple(carried) if bound == set(carried) else ()


def _is_read_after(code: Code, loop: ir.For, index: str, function: ir.FunctionDef) -> bool:
    """Whether the code around a loop may want to know how far it has counted."""
    inside = {id(one) for one in walk(loop)}
    for one in walk(function.body):
        if isinstance(one, ir.Name) and one.id == index and id(one) not in inside:
            holders = takewhile(lambda it: it is not function, code.around(one))
            if not any(_binds(it, index) for it in holders):
                return True
    return False


def _binds(node: ir.Node, name: str) -> bool:
    """Whether a name means something of its own in a loop, a comprehension or a function."""
    if isinstance(node, ir.FunctionDef):
        return name in node.bound
    return isinstance(node, (ir.For, ir.Comprehension)) and name in taken(node)


def _is_steady(
    code: Code,
    body: list[ir.Assign | ir.AugAssign],
    carried: tuple[str, ...],
    function: ir.FunctionDef,
) -> bool:
    """Whether every turn computes what it carries from that and from numbers, in ways that keep
    the shapes."""
    for one in body:
        targets = one.targets if isinstance(one, ir.Assign) else (one.target,)
        if not all(isinstance(target, ir.Name) for target in targets):
            return False
        if isinstance(one, ir.AugAssign) and one.op not in _OPERATORS:
            return False
        if not all(_keeps(code, part, carried, function) for part in _parts(code, one.value)):
            return False
    return True


def _parts(code: Code, node: ir.Expr) -> Iterator[ir.Expr]:
    """What operators and functions that keep shapes are applied to, and whatever else there is."""
    if isinstance(node, ir.BinOp) and node.op in _OPERATORS:
        yield from _parts(code, node.left)
        yield from _parts(code, node.right)
    elif isinstance(node, ir.BinOp) and node.op == "**" and isinstance(node.right, ir.Const):
        yield from _parts(code, node.left)
    elif isinstance(node, ir.UnaryOp) and node.op == "-":
        yield from _parts(code, node.operand)
    elif isinstance(node, ir.Call) and code.meaning(node.func) in _ELEMENTWISE:
        for argument in node.args:
            if argument.keyword == "axis" or argument.star:
                yield node
            yield from _parts(code, argument.value)
    elif _is_gradient(code, node) and isinstance(node, ir.Call):
        yield node.args[0].value
    else:
        yield node


def _is_gradient(code: Code, node: ir.Expr) -> bool:
    """Whether this is `grad(loss)(w)`, which has the shape of `w`."""
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Call) or len(node.args) != 1:
        return False
    made = node.func
    return code.meaning(made.func) == "jax.grad" and len(made.args) == 1


def _keeps(code: Code, node: ir.Expr, carried: tuple[str, ...], function: ir.FunctionDef) -> bool:
    """Whether an operand is a number, or something that is carried."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if not isinstance(node, ir.Name):
        return False
    if node.id in carried:
        return True
    scope = function.body if node.id in function.bound else code.module.body
    found = binders(node.id, scope)
    value = found[0].value if len(found) == 1 and isinstance(found[0], ir.Assign) else None
    return isinstance(value, ir.Const) and isinstance(value.value, (int, float))


def _is_begun(code: Code, name: str, loop: ir.For, function: ir.FunctionDef) -> bool:
    """Whether a name has a value before the loop."""
    line = code.module.locate(loop).line
    inside = {id(one) for one in walk(loop.body)}
    before = [
        one
        for one in binders(name, function.body)
        if id(one) not in inside and code.module.locate(one).line < line
    ]
    if not before:
        return any(param.name == name and param.kind == "plain" for param in function.params)
    return all(isinstance(one, (ir.Assign, ir.AugAssign)) for one in before)

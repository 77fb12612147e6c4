"""Arrays that code changes, and how it gets the changed copy instead: by binding it again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import assigned, bound_names, dotted_text, names_by_text, walk
from jaxlint.facts import ArrayMismatch, Fact
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

# What another name, or another array, may share its elements with.
_SHARING = (ir.Name, ir.Attribute, ir.Subscript)


# What no element of an array can be.
_NO_ELEMENTS = (ir.Dict, ir.JoinedString, ir.Lambda, ir.Yield)


@slotted(frozen=True)
class Rebound:
    """An array as a target: `text` is how it is written, and only `is_own` tells that nothing else
    goes by the name of the array that is replaced."""

    text: str
    is_own: bool


def rebound(fact: Fact, code: Code, array: ir.Expr, at: ir.Stmt) -> Rebound | None:
    """How a statement that changes an array binds it to the changed copy. None for what cannot be
    bound again there, or where nothing would come of it."""
    text = code.text(array)
    if "\n" in text:
        return None
    if isinstance(array, ir.Name):
        return _of_name(code, array.id, at)
    if isinstance(array, ir.Attribute):
        # Traced code that sets an attribute keeps tracers in it.
        values = [] if fact.entry is not None else _attribute_values(code, array)
        return Rebound(text, all(_is_made(code, one) for one in values)) if values else None
    if isinstance(array, ir.Subscript) and isinstance(array.value, ir.Name):
        # Only a dict has strings for indices.
        index = array.index
        is_item = isinstance(index, ir.Const) and isinstance(index.value, str)
        function = code.function(at)
        is_local = function is None or array.value.id in function.bound
        return Rebound(text, False) if is_item and is_local else None
    return None


def is_repeatable(node: ir.Expr | None) -> bool:
    """Whether an expression may be evaluated twice, for what it gives and does."""
    if node is None or isinstance(node, (ir.Name, ir.Const)):
        return True
    if isinstance(node, ir.Attribute):
        return is_repeatable(node.value)
    if isinstance(node, ir.Subscript):
        return is_repeatable(node.value) and is_repeatable(node.index)
    if isinstance(node, ir.Slice):
        return all(map(is_repeatable, (node.lower, node.upper, node.step)))
    if isinstance(node, ir.UnaryOp):
        return is_repeatable(node.operand)
    if isinstance(node, ir.BinOp):
        return is_repeatable(node.left) and is_repeatable(node.right)
    return isinstance(node, ir.Sequence) and all(map(is_repeatable, node.items))


def _of_name(code: Code, name: str, at: ir.Stmt) -> Rebound | None:
    function = code.function(at)
    if function is not None and (name not in function.bound or not _is_read(code, name, at)):
        return None
    own = True
    body = code.module.body if function is None else function.body
    for one in _bindings(body).get(name, ()):
        if isinstance(one, ir.For):
            return None  # An element, which what it is taken from does not get back.
        is_alone = isinstance(one, ir.AnnAssign) or len(one.targets) == 1
        own = own and is_alone and not isinstance(one.value, _SHARING)
    return Rebound(name, own and not _is_shared(code, name, function))


def _is_shared(code: Code, name: str, function: ir.FunctionDef | None) -> bool:
    """Whether an array goes by another name too."""
    return name in _handed_on(code.module.body if function is None else function.body)


@answered_once_of
def _bindings(body: tuple[ir.Stmt, ...]) -> dict[str, list[Any]]:
    """The assignments and loops of a body that bind each name."""
    found: dict[str, list[Any]] = {}
    for one in walk(body, (ir.FunctionDef,)):
        if isinstance(one, (ir.For, ir.Assign, ir.AnnAssign)):
            for name in bound_names(one):
                found.setdefault(name, []).append(one)
    return found


@answered_once_of
def _handed_on(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """The names whose values a body binds to other names too."""
    values = (one.value for one in walk(body) if isinstance(one, (ir.Assign, ir.AnnAssign)))
    return frozenset(one.id for one in values if isinstance(one, ir.Name))


def _is_read(code: Code, name: str, at: ir.Stmt) -> bool:
    """Whether a function reads a name behind a statement, or around it in a loop."""
    loops = [one for one in code.around(at) if isinstance(one, (ir.For, ir.While))]
    function = code.function(at)
    body = function.body if function is not None else code.module.body
    inside = {id(one) for one in walk(at)}
    place = code.module.locate(at)
    end = place.end_line, place.end_column
    for one in _reads(body, name):
        span = code.module.locate(one)
        if (span.line, span.column) >= end:
            return True
        around = list(code.around(one))
        if loops and id(one) not in inside and any(it is loops[-1] for it in around):
            return True
        inner = takewhile(lambda it: it is not function, around)
        if any(isinstance(it, ir.FunctionDef) and name not in it.bound for it in inner):
            return True
    return False


def _reads(body: tuple[ir.Stmt, ...], name: str) -> Iterator[ir.Name]:
    stored = _stored(body)
    yield from (one for one in names_by_text(body).get(name, ()) if id(one) not in stored)


@answered_once_of
def _stored(body: tuple[ir.Stmt, ...]) -> frozenset[int]:
    """The targets of assignments in a body, and what is subscribed in them."""
    assigned = (one for one in walk(body) if isinstance(one, ir.Assign))
    targets = (target for one in assigned for target in one.targets)
    return frozenset(id(it.value if isinstance(it, ir.Subscript) else it) for it in targets)


def _attribute_values(code: Code, array: ir.Attribute) -> list[ir.Expr]:
    """What a plain class assigns to an attribute of `self`; nothing for other attributes."""
    function = code.function(array)
    holder = next((one for one in code.around(array) if isinstance(one, ir.ClassDef)), None)
    if function is None or holder is None or not function.params:
        return []
    text = dotted_text(array)
    first = function.params[0].name
    if holder.bases or holder.decorators or text != f"{first}.{array.attr}":
        return []
    return [
        value
        for targets, value in map(assigned, walk(holder.body))
        if value is not None
        and any(isinstance(one, ir.Attribute) and dotted_text(one) == text for one in targets)
    ]


def _is_made(code: Code, value: ir.Expr) -> bool:
    """Whether a value is an array that JAX makes, or a changed copy of one."""
    while isinstance(value, ir.Call) and isinstance(value.func, ir.Attribute):
        inner = value.func.value
        if not (isinstance(inner, ir.Subscript) and isinstance(inner.value, ir.Attribute)):
            break
        value = inner.value.value
    if isinstance(value, ir.Attribute):
        return isinstance(value.value, ir.Name)
    return isinstance(value, ir.Call) and code.meaning(value.func).startswith("jax.")


def updated(
    fact: ArrayMismatch, code: Code, target: ir.Subscript, array: ir.Expr
) -> tuple[Rebound, str, list[Edit]] | None:
    """The edits that make `array = target.method(...)` of a statement that assigns to `target`,
    an array or its `.at` with an index, and the method."""
    statement = code.statement(target)
    if fact.masked:
        return None  # How many elements that updates is unknown in traced code.
    if isinstance(statement, ir.Assign) and statement.targets == (target,):
        method, negates = "set", False
    elif isinstance(statement, ir.AugAssign) and statement.target is target:
        method, negates = _METHODS.get(statement.op, ""), statement.op == "-"
    else:
        return None
    made = rebound(fact, code, array, statement) if method else None
    if made is None or isinstance(statement.value, _NO_ELEMENTS):
        return None
    operator = code.operator(target, statement.value)
    if operator is None:
        return None
    begin, end = f".{method}(", ")"
    if negates:
        is_closed = code.operand(statement.value) == code.text(statement.value)
        begin, end = (f"{begin}-", end) if is_closed else (f"{begin}-(", f"){end}")
    elif isinstance(statement.value, ir.Sequence) and statement.value.kind == "tuple":
        # A tuple has its parentheses around it, if it has any.
        is_bare = not code.source.slice(code.rest(statement, statement.value)).endswith(")")
        begin, end = (f"{begin}(", f"){end}") if is_bare else (begin, end)
    listed = _lists(code, target.index)
    if listed is None:
        return None
    edits = [
        *listed,
        code.before(statement, f"{made.text} = "),
        Edit(operator, begin),
        code.after(statement, end),
    ]
    return made, method, edits


def _lists(code: Code, index: ir.Expr) -> list[Edit] | None:
    """The edits that make arrays of lists in an index: NumPy takes lists there, JAX does not."""
    is_tuple = isinstance(index, ir.Sequence) and index.kind == "tuple"
    parts = index.items if is_tuple and isinstance(index, ir.Sequence) else (index,)
    edits = []
    for one in parts:
        if isinstance(one, ir.Sequence) and one.kind == "list":
            reached = code.reach("jax.numpy.array", one)
            if reached is None:
                return None
            edits += [code.before(one, f"{reached[0]}("), code.after(one, ")"), *reached[1]]
    return edits


_METHODS = {"+": "add", "-": "add", "*": "multiply", "/": "divide", "**": "power"}

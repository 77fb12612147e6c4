"""Whether the shape of an array, or the structure of a container, changes with a loop."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.affine import difference
from jaxlint.dataflow.loop_variance import MAY, NEW, STAYS, Around, around, variation
from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import Part, Turn
from jaxlint.syntax import ir

_DEPTH = 8
_ARRAYS = ("jax.numpy.", "numpy.", "jax.lax.", "jax.random.", "jax.")
# The first of these parameters is a shape or a length.
_SHAPED = frozenset({"ones", "zeros", "full", "empty", "eye", "identity", "tri"})
_DRAWS = frozenset({"normal", "uniform", "bernoulli", "bits", "exponential", "gumbel", "laplace"})
_REPEATS = frozenset({"tile", "repeat", "broadcast_to", "resize"})
_JOINS = frozenset(
    {"append", "concat", "concatenate", "hstack", "vstack", "dstack", "column_stack", "stack"}
)
# Their results are as long as their first argument.
_ALIKE = frozenset(
    [
        *("array", "asarray", "ascontiguousarray", "copy", "device_put", "stack", "vstack"),
        *("hstack", "concatenate", "append", "float32", "int32", "abs", "exp", "log", "sqrt"),
        *("sort", "cumsum", "flip", "expand_dims", "atleast_1d", "atleast_2d", "sin", "cos"),
        *("ones_like", "zeros_like", "full_like", "transpose", "squeeze", "column_stack"),
    ]
)
_METHODS = frozenset({"astype", "copy", "conj", "cumsum", "clip", "round", "to_device", "numpy"})
# The place of the positional argument that says how large the result is.
_SHAPE_AT = {
    **dict.fromkeys(_SHAPED, 0),
    **dict.fromkeys(_DRAWS, 1),
    **dict.fromkeys(_REPEATS, 1),
    "linspace": 2,
}


def changes_shape(node: Any, at: Around, depth: int = _DEPTH) -> bool:
    """Whether an argument has another shape, or structure, in each turn of a loop around."""
    if depth == 0:
        return False
    if isinstance(node, ir.Subscript):
        return _of_subscript(node, at, depth)
    if isinstance(node, (ir.Name, ir.Attribute)):
        return _of_name(node, at, depth)
    if isinstance(node, ir.Call):
        return _of_call(node, at, depth)
    if isinstance(node, ir.Sequence):
        return any(changes_shape(one, at, depth - 1) for one in node.items)
    if isinstance(node, ir.Dict):
        return any(changes_shape(one, at, depth - 1) for _, one in node.items)
    if isinstance(node, ir.BinOp):
        return _of_operator(node, at, depth)
    if isinstance(node, ir.NamedExpr):
        return changes_shape(node.value, at, depth - 1)
    return False


def _of_operator(node: ir.BinOp, at: Around, depth: int) -> bool:
    sides = (node.left, node.right)
    if node.op == "*" and any(isinstance(one, ir.Sequence) for one in sides):
        return any(variation(one, at) == NEW for one in sides if not isinstance(one, ir.Sequence))
    return node.op not in ("@", "%") and any(changes_shape(one, at, depth - 1) for one in sides)


def _of_subscript(node: ir.Subscript, at: Around, depth: int) -> bool:
    index = node.index
    parts = index.items if isinstance(index, ir.Sequence) and index.kind == "tuple" else (index,)
    cut = False
    for part in parts:
        if isinstance(part, ir.Slice):
            spans = _span(part, at)
            if spans == NEW:
                return True
            cut |= part.lower is not None or part.upper is not None
            cut &= not _leaves_most(part)
        elif isinstance(part, ir.Compare):
            sides = (part.left, *part.comparators)
            if any(variation(side, at) == NEW for side in sides):
                return True
            cut = True
        elif not (isinstance(part, ir.Const) and part.value in (None, ...)):
            # An element, or a selection: what is known of the whole tells nothing of it.
            return False
    return not cut and changes_shape(node.value, at, depth - 1)


def _leaves_most(part: ir.Slice) -> bool:
    """`x[1:]`, `x[:-1]` and kin: as long as the whole, less a few."""
    low, high = part.lower, part.upper
    after = isinstance(low, ir.Const) and high is None
    before = low is None and isinstance(high, ir.UnaryOp) and isinstance(high.operand, ir.Const)
    return after or before


def _span(part: ir.Slice, at: Around) -> int:
    """Whether the length of a slice is a new one in each turn."""
    if part.step is not None and not isinstance(part.step, ir.Const):
        return MAY
    if part.lower is None or part.upper is None:
        bound = part.upper if part.lower is None else part.lower
        return STAYS if bound is None else variation(bound, at)
    terms = difference(part.upper, part.lower, at)
    if terms is None:
        ends = [variation(part.lower, at), variation(part.upper, at)]
        return NEW if sorted(ends) == [STAYS, NEW] else MAY
    names = {name for factors in terms for name in factors}
    found = [one for one in (variation(_named(name), at) for name in names) if one != STAYS]
    # Of two names that change, the difference may stay the same.
    return (found[0] if len(found) == 1 else MAY) if found else STAYS


def _named(name: str) -> ir.Expr:
    head, *rest = name.split(".")
    node: ir.Expr = ir.Name(ir.NOWHERE, head)
    for attr in rest:
        node = ir.Attribute(ir.NOWHERE, node, attr)
    return node


def _of_name(node: Any, at: Around, depth: int) -> bool:
    name = dotted_text(node)
    for turn in at.turns:
        if name in turn.bound:
            return _of_bindings(turn, name, at, depth)
        if name in turn.grown:
            return name not in turn.shrunk and _starts_as_list(name, at)
        taken = [iterable for target, iterable in turn.targets if dotted_text(target) == name]
        if taken and isinstance(node, ir.Name):
            return _is_ragged(taken[0], at)
        if turn.binds(name.partition(".")[0]):
            return False
    return False


def _is_ragged(iterable: Any, at: Around) -> bool:
    """Whether what a loop goes through is shown to have elements of many lengths."""
    if isinstance(iterable, ir.Name):
        found = at.layout.bindings(at.function, iterable.id) if at.function else []
        found = found or at.layout.bindings(None, iterable.id)
        if len(found) != 1:
            return False
        iterable = found[0]
    if isinstance(iterable, ir.Comprehension) and iterable.kind in ("list", "generator"):
        inner = around(at.layout, iterable.element, at.dotted, at.count, at.few)
        return changes_shape(iterable.element, inner)
    if isinstance(iterable, ir.Sequence) and len(iterable.items) > at.few:
        lengths = [_length(one, at) for one in iterable.items]
        return None not in lengths and len(set(lengths)) > at.few
    return False


def _length(node: Any, at: Around) -> int | None:
    """How long an array is that is written out."""
    if isinstance(node, ir.Call) and node.args:
        first: Any = node.args[0].value
        name = _function(node, at)
        if name in ("array", "asarray"):
            return _length(first, at)
        if name in _SHAPED or name == "arange":
            known = isinstance(first, ir.Const) and isinstance(first.value, int)
            return first.value if known and len(node.args) == 1 else None
    return len(node.items) if isinstance(node, ir.Sequence) else None


def _starts_as_list(name: str, at: Around) -> bool:
    """Whether a name is bound once, to a list that grows without bounds."""
    found = at.layout.bindings(at.function, name)
    first = found[0] if len(found) == 1 else None
    if isinstance(first, ir.Call):
        return at.dotted(first.func) == "builtins.list"
    return isinstance(first, (ir.Sequence, ir.Comprehension)) and first.kind == "list"


def _of_bindings(turn: Turn, name: str, at: Around, depth: int) -> bool:
    key = (id(turn.node), name)
    values = [value for value, _ in turn.bound[name]]
    if key in at.busy or name in turn.shrunk:
        return False
    at.busy.add(key)
    try:
        return all(_grows(one, name, at) or _is_new(one, at, depth) for one in values)
    finally:
        at.busy.discard(key)


def _is_new(value: Any, at: Around, depth: int) -> bool:
    return not isinstance(value, (ir.For, ir.AugAssign, Part)) and changes_shape(
        value, at, depth - 1
    )


def _grows(value: Any, name: str, at: Around) -> bool:
    """Whether an assignment adds to what the name held, or takes from it, each time."""
    if isinstance(value, ir.AugAssign):
        return value.op == "+" and isinstance(value.value, ir.Sequence)
    if isinstance(value, ir.BinOp):
        sides = (value.left, value.right)
        shown = any(isinstance(one, ir.Sequence) and one.items for one in sides)
        return value.op == "+" and shown and any(_is(one, name) for one in sides)
    if isinstance(value, ir.Sequence):
        starred = (one.value for one in value.items if isinstance(one, ir.Starred))
        return any(_is(one, name) for one in starred) and len(value.items) > 1
    if isinstance(value, ir.Subscript):
        return _grows_by_index(value, name)
    return isinstance(value, ir.Call) and _joins(value, name, at)


def _grows_by_index(value: ir.Subscript, name: str) -> bool:
    """Whether a name is assigned a slice of itself, or itself with more in `numpy.r_[...]`."""
    if _is(value.value, name) and isinstance(value.index, ir.Slice):
        return _leaves_most(value.index)
    joined = dotted_text(value.value).rpartition(".")[2] in ("r_", "c_")
    items = value.index.items if isinstance(value.index, ir.Sequence) else ()
    return joined and any(_is(one, name) for one in items)


def _joins(value: ir.Call, name: str, at: Around) -> bool:
    """Whether a call joins what a name holds with another array."""
    if _function(value, at) not in _JOINS:
        return False
    plain = [argument.value for argument in value.args if argument.keyword is None]
    parts = list(plain[:2]) if _function(value, at) == "append" else []
    if plain and isinstance(plain[0], ir.Sequence):
        parts = list(plain[0].items)
    return len(parts) > 1 and any(_is(one, name) for one in parts)


def _is(node: Any, name: str) -> bool:
    return isinstance(node, (ir.Name, ir.Attribute)) and dotted_text(node) == name


def _function(node: ir.Call, at: Around) -> str:
    """The last name of an array function, "" for anything else."""
    dotted = at.dotted(node.func)
    return dotted.rpartition(".")[2] if dotted.startswith(_ARRAYS) else ""


def _of_call(node: ir.Call, at: Around, depth: int) -> bool:
    name = _function(node, at)
    given = [argument.value for argument in node.args if argument.keyword is None]
    if not name:
        method = node.func if isinstance(node.func, ir.Attribute) else None
        if method is not None and method.attr in _METHODS:
            return changes_shape(method.value, at, depth - 1)
        if at.dotted(node.func) in ("builtins.list", "builtins.tuple") and given:
            return changes_shape(given[0], at, depth - 1)
        return False
    if name in ("rand", "randn"):
        return any(variation(one, at) == NEW for one in given)
    if name == "arange":
        return _of_range(given, at)
    if name in _ALIKE and given:
        return changes_shape(given[0], at, depth - 1)
    shape = _shape_argument(node, name, given)
    return shape is not None and variation(shape, at) == NEW


def _shape_argument(node: ir.Call, name: str, given: list[Any]) -> Any:
    """The argument that says which shape the result has, None where there is none."""
    place = _SHAPE_AT.get(name, len(given))
    written = next((a.value for a in node.args if a.keyword == "shape"), None)
    return written or (given[place] if len(given) > place else None)


def _of_range(given: list[Any], at: Around) -> bool:
    if len(given) == 1:
        return variation(given[0], at) == NEW
    return len(given) == 2 and _span(ir.Slice(ir.NOWHERE, given[0], given[1], None), at) == NEW

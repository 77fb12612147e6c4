"""How many elements things have that loops run over, as far as that is known."""

from __future__ import annotations

import math
from typing import Final

from jaxlint.base.ranges import count_of
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.array_values import Strength
from jaxlint.engine.domain.values import (
    INT,
    Concrete,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import Form
from jaxlint.syntax import ir

# Loops that run less often are as good as loops of the compiler, or better.
FEWEST: Final = 32
# Numbers that a list made of a range holds one by one.
MOST_LISTED: Final = 32


class Sized(Concrete):
    """An array whose leading dimension is known."""

    __slots__ = ("length",)

    def __init__(self, dtype: str, rank: int | None, length: int, strong: Strength = False) -> None:
        super().__init__(dtype, rank, strong)
        self.length = length


class Range(Static):
    """A `range` of `count` numbers, or one whose length is that of an array's axis; the numbers
    themselves, where they are known."""

    __slots__ = ("count", "extent", "numbers")

    def __init__(
        self, count: int | None, extent: bool = False, numbers: range | None = None
    ) -> None:
        super().__init__(kind="range")
        self.count = count
        self.extent = extent
        self.numbers = numbers


# The shape of an array of JAX, and one of its numbers.
EXTENTS: Final = Static(kind="shape")
EXTENT: Final = Static(kind="int")


def of_shape(shape: Static) -> Static:
    """A number from a shape."""
    return EXTENT if shape is EXTENTS else INT


def is_long(value: Value | None) -> bool:
    """Whether this is an array that is not known to have a few elements."""
    if not isinstance(value, (Traced, Concrete)):
        return False
    length = leading(value)
    return length is None or length >= FEWEST


def range_of(machine: Machine, frame: Frame, args: Args) -> Range:
    """A `range` whose numbers are not followed one by one."""
    consts = [v.const for v in args.positional if isinstance(v, Static) and v.known]
    if len(consts) == len(args.positional) and all(isinstance(c, int) for c in consts):
        try:
            known = range(*consts)
        except (TypeError, ValueError):
            return Range(None)
        return Range(count_of(known), numbers=known)
    for value, node in args.pairs():
        if value is EXTENT or _is_near(machine, frame, node):
            return Range(None, extent=True)
    return Range(None)


def numbers_of(value: Value) -> list[Value] | None:
    """The numbers of a `range` that host code makes a list of, None where they are many."""
    known = value.numbers if isinstance(value, Range) else None
    return None if known is None or known[MOST_LISTED:] else [Static(one) for one in known]


def _is_near(machine: Machine, frame: Frame, node: ir.Expr) -> bool:
    """Whether an expression is an axis's length, one more, one less or a part of it."""
    if not isinstance(node, ir.BinOp) or node.op not in ("+", "-", "//"):
        return False
    return isinstance(node.left, (ir.Name, ir.Attribute, ir.Subscript)) and (
        machine.eval(frame, node.left) is EXTENT
    )


_PRODUCTS = frozenset({"product", "itertools.product"})
_WRAPPED = frozenset({"enumerate", "reversed", "list", "tuple", "iter", "tqdm", "tqdm.tqdm"})


def looped(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> Range | None:
    """The range that a loop over `value` runs over, None where it is no range."""
    if isinstance(value, Range):
        return value
    if not isinstance(node, ir.Call) or not node.args:
        return None
    name = dotted_text(node.func)
    if name in ("trange", "tqdm.trange"):
        return range_of(machine, frame, _plain_args(machine, frame, node))
    if name in _WRAPPED:
        return _inner(machine, frame, node.args[0].value)
    if name in _PRODUCTS:
        return _product([_inner(machine, frame, argument.value) for argument in node.args])
    if name != "zip":
        return None
    parts = [_inner(machine, frame, argument.value) for argument in node.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    counts = [part.count for part in known if part.count is not None]
    return Range(min(counts)) if counts else known[0]


def _product(parts: list[Range | None]) -> Range | None:
    counts = [part.count for part in parts if part is not None and part.count is not None]
    return Range(math.prod(counts)) if len(counts) == len(parts) else None


def counted(machine: Machine, frame: Frame, node: ir.While) -> tuple[str, Range] | None:
    """The name that a `while` loop counts with, and how far: `while i < n: ...; i += 1`."""
    test = node.test
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or not isinstance(test.left, ir.Name):
        return None
    limit = test.comparators[0]
    if test.ops[0] not in _COMPARED or not isinstance(limit, _PLAIN):
        return None
    name = test.left.id
    step = _step(node, name)
    start, stop = frame.env.get(name), machine.eval(frame, limit)
    if step is None or not isinstance(start, Static) or not isinstance(start.const, int):
        return None
    if stop is EXTENT and step > 0:
        return name, Range(None, extent=True)
    end = stop.const if isinstance(stop, Static) else None
    if not isinstance(end, int):
        return None
    return name, Range(count_of(range(start.const, end + _COMPARED[test.ops[0]], step)))


# Operators of tests, and whether the limit itself is counted.
_COMPARED = {"<": 0, "<=": 1, "!=": 0, ">": 0, ">=": -1}
_PLAIN = (ir.Attribute, ir.Const, ir.Name, ir.Subscript)


def _step(node: ir.While, name: str) -> int | None:
    """By how much each iteration changes a name, if it does so once and under no condition."""
    changes = [one for one in walk(node.body) if name in bound_names(one)]
    if len(changes) != 1 or changes[0] not in node.body:
        return None
    change = changes[0]
    op, by = "", None
    if isinstance(change, ir.AugAssign):
        op, by = change.op, change.value
    elif isinstance(change, ir.Assign) and isinstance(change.value, ir.BinOp):
        left = change.value.left
        op = change.value.op if isinstance(left, ir.Name) and left.id == name else ""
        by = change.value.right
    amount = by.value if isinstance(by, ir.Const) else None
    if op not in ("+", "-") or not isinstance(amount, int) or not amount:
        return None
    return amount if op == "+" else -amount


def _inner(machine: Machine, frame: Frame, node: ir.Expr) -> Range | None:
    if not isinstance(node, (ir.Call, ir.Name)):
        return None
    if isinstance(node, ir.Call) and dotted_text(node.func) not in (*_WRAPPED, "range", "zip"):
        return None
    return looped(machine, frame, node, machine.eval(frame, node))


def _plain_args(machine: Machine, frame: Frame, node: ir.Call) -> Args:
    nodes = [one.value for one in node.args if not one.keyword and not one.star]
    return Args([machine.eval(frame, one) for one in nodes], nodes=nodes)


# -- arrays ----------------------------------------------------------------------------------


def leading(value: Value) -> int | None:
    """The length of an array's first axis, where it was made with a constant one."""
    if isinstance(value, Sized):
        return value.length
    return value.trail.length if isinstance(value, Traced) else None


def form_of(args: Args) -> Form:
    """How long the arguments of a call are, as far as that is known, and how some are named."""
    nodes = [*args.nodes, *[None] * len(args.positional)]
    lengths = [
        _listed(node) if isinstance(value, NumPy) else leading(value)
        for value, node in zip(args.positional, nodes, strict=False)
    ]
    return tuple(lengths), frozenset(args.keywords)


def _listed(node: ir.Expr | None) -> int | None:
    """How many elements `np.array([...])` lists."""
    if not isinstance(node, ir.Call) or not node.args or not isinstance(node.func, ir.Attribute):
        return None
    items = node.args[0].value
    if node.func.attr not in ("array", "asarray") or not isinstance(items, ir.Sequence):
        return None
    starred = any(isinstance(item, ir.Starred) for item in items.items)
    return None if starred else len(items.items)


def with_length(name: str, bound: dict[str, tuple[Value, ir.Expr]], result: Value) -> Value:
    """The result of a function that makes arrays, with the length of its first axis."""
    length = _made(name, bound) if name in _MAKERS else None
    if length is None:
        return result
    if isinstance(result, Traced):
        result.trail.length = length
        return result
    if isinstance(result, Concrete):
        return Sized(result.dtype, result.rank, length, result.strong)
    return result


# Functions that make arrays, by the parameter that says how long they are.
_MAKERS = {
    "arange": "stop",
    "array": "object",
    "asarray": "a",
    "empty": "shape",
    "eye": "N",
    "full": "shape",
    "linspace": "num",
    "ones": "shape",
    "split": "num",
    "stack": "arrays",
    "zeros": "shape",
}


def _made(name: str, bound: dict[str, tuple[Value, ir.Expr]]) -> int | None:
    if name == "arange":
        return _counted([bound[key][0] for key in ("start", "stop", "step") if key in bound])
    given = bound.get(_MAKERS[name])
    if name == "split" and "key" not in bound:
        return None
    if given is None:
        return 2 if name == "split" else None
    value = given[0]
    if isinstance(value, Sequence) and name in ("array", "asarray", "stack"):
        return len(value.items) if value.items is not None and "axis" not in bound else None
    if isinstance(value, Sequence):
        value = value.items[0] if value.items else value
    return _whole(value)


def _whole(value: Value) -> int | None:
    const = value.const if isinstance(value, Static) else None
    return int(const) if isinstance(const, (int, float)) and math.isfinite(const) else None


def _counted(parts: list[Value]) -> int | None:
    numbers = [_whole(part) for part in parts]
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers) or (len(known) == 3 and not known[2]):
        return None
    return count_of(range(*known))

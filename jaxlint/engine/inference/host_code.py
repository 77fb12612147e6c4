"""What code of the host makes of arrays, read off its source: how many axes a result has, how long
they are, and of which kind its numbers are.

Nothing is run. NumPy's functions stand for their namesakes in `jax.numpy`, which give arrays of the
same shapes (`tests/knowledge/test_host_results.py`). Arrays of the host and of JAX are both
`Concrete` here; what cannot be read is None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.dtypes import promoted
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.array_values import Dims
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.ranks import indexed_rank, matrix_rank, rank_of
from jaxlint.engine.domain.shapes import broadcast, dims_of, indexed_dims, multiplied
from jaxlint.engine.domain.special_values import DType, Module, OpaqueArray
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    SHAPE,
    Bound,
    Concrete,
    Function,
    Instance,
    LibraryName,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import (
    bindings,
    body_of,
    returns_of,
    unpacked,
    value_of,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# Functions that call functions are followed so far, and expressions so deep.
_CALLS, _DEEPEST = 3, 24
# What is not read, among what is.
ANY = Unknown("code of the host")
ARRAYS = (Traced, Concrete, OpaqueArray, NumPy)
_HELD = (Traced, Concrete, OpaqueArray)


@slotted(eq=False)
class Code:
    """A body of code. `given` are the values of its parameters; where it is `live`, names hold in
    its frame what they hold when it runs. `open` are the names whose bindings are being read."""

    frame: Frame
    body: tuple[ir.Stmt, ...]
    given: dict[str, Value] = field(default_factory=dict)
    live: bool = False
    calls: int = _CALLS
    open: set[str] = field(default_factory=set)


def live(frame: Frame) -> Code:
    """The code that a frame is running."""
    return Code(frame, body_of(frame), {}, True)


def array(dtype: str, rank: int | None, dims: Dims | None = None) -> Concrete:
    """An array of which so much is known."""
    made = Concrete(dtype, rank)
    made.dims = dims if dims is not None and len(dims) == rank else None
    return made


@slotted(eq=False)
class Reader:
    """Reads expressions. `stand_ins` are other values for some arrays that the code that runs
    holds, by identity, and for some of its names; `called` says what calls of libraries give."""

    machine: Machine
    called: Callable[[Reader, Code, ir.Call, str], Value | None]
    stand_ins: dict[int | str, Value] = field(default_factory=dict)
    depth: int = 0

    def results(self, func: Value, given: list[Value], calls: int = _CALLS) -> list[Value | None]:
        """What a function returns for such arguments, one for each of its returns."""
        if isinstance(func, Partial):
            return self.results(func.func, [*func.args, *given], calls) if not func.keywords else []
        if isinstance(func, Bound):
            return self.results(func.func, [func.owner, *given], calls)
        if not isinstance(func, Function) or not calls or not _is_plain(func.node):
            return []
        names = [one.name for one in func.node.params if one.kind in ("plain", "positional")]
        values = func.defaults | dict(zip(names, given, strict=False))
        code = Code(func.frame, func.node.body, values, calls=calls - 1)
        returns = returns_of(func.node)
        if not returns:
            return [] if any(isinstance(n, ir.Raise) for n in func.node.body) else [NONE]
        return [NONE if one.value is None else self.read(code, one.value) for one in returns]

    def read(self, code: Code, node: ir.Expr) -> Value | None:
        """What an expression gives."""
        reader = _READERS.get(type(node))
        if reader is None or self.depth > _DEEPEST:
            return None
        self.depth += 1
        try:
            return reader(self, code, node)
        finally:
            self.depth -= 1

    def some(self, code: Code, node: ir.Expr) -> Value:
        """What an expression gives, `ANY` where that is not read."""
        found = self.read(code, node)
        return ANY if found is None else found

    def name(self, code: Code, name: str) -> Value | None:
        """What a name holds."""
        if code.live:
            held = value_of(code.frame, name)
            if name in self.stand_ins or isinstance(held, _HELD):
                return self.stand_ins.get(name) or self.stand_ins.get(id(held), held)
        bound = [] if name in code.open else bindings(code.body).get(name, [])
        if not bound:
            return code.given[name] if name in code.given else self._outside(code, name)
        if len(bound) > 1 or (name in code.given and not _is_straight(code.body, bound[0])):
            return None
        code.open.add(name)
        try:
            return self._bound(code, name, bound[0])
        finally:
            code.open.discard(name)

    def _bound(self, code: Code, name: str, value: ir.Expr | None) -> Value | None:
        if value is not None:
            return self.read(code, value)
        whole, at = unpacked(code.body).get(name, (None, 0))
        found = None if whole is None else self.read(code, whole)
        items = found.items if isinstance(found, Sequence) else None
        return items[at] if items is not None and at < len(items) else None

    def _outside(self, code: Code, name: str) -> Value | None:
        """What a name holds that the code around binds."""
        held = peek(self.machine, code.frame, ir.Name(ir.NOWHERE, name))
        if isinstance(held, _HELD):
            return self.stand_ins.get(id(held), held)
        root = code.frame.root
        body = () if root.module is None else root.module.body
        if body is code.body or not isinstance(held, (NumPy, Sequence, Static)):
            return held
        # The source tells more of arrays of NumPy and of descriptions than their values do.
        made = self.name(Code(root, body, calls=code.calls), name)
        return held if made is None else made


def _is_plain(node: ir.FunctionDef) -> bool:
    return not (node.is_generator or node.is_async) and (node.is_lambda or not node.decorators)


def _is_straight(body: tuple[ir.Stmt, ...], value: ir.Expr | None) -> bool:
    """Whether a statement that always runs assigns a value."""
    return any(isinstance(one, ir.Assign) and one.value is value for one in body)


# -- expressions -----------------------------------------------------------------------------------


def _const(reader: Reader, code: Code, node: ir.Const) -> Value | None:
    return NONE if node.value is None else Static(node.value)


def _named(reader: Reader, code: Code, node: ir.Name) -> Value | None:
    return reader.name(code, node.id)


def _display(reader: Reader, code: Code, node: ir.Sequence) -> Value | None:
    items: list[Value] = []
    for one in node.items:
        if not isinstance(one, ir.Starred):
            items.append(reader.some(code, one))
            continue
        inner = reader.read(code, one.value)
        if not isinstance(inner, Sequence) or inner.items is None:
            return Sequence(node.kind, None, None) if node.kind != "set" else None
        items += inner.items
    return Sequence(node.kind, items, None) if node.kind != "set" else None


def _attribute(reader: Reader, code: Code, node: ir.Attribute) -> Value | None:
    owner = reader.read(code, node.value)
    if isinstance(owner, (*ARRAYS, Static)):
        return of_array(owner, node.attr)
    if isinstance(owner, Instance):
        found = owner.fields.get(node.attr)
        found = owner.cls.find(node.attr) if found is None else found
        if isinstance(found, Function):
            return Bound(found, owner)
        return None if found is None else reader.stand_ins.get(id(found), found)
    return peek(reader.machine, code.frame, node) if isinstance(owner, _NAMES) else None


# Owners of names that are no objects of the program.
_NAMES = (LibraryName, Module)


def of_array(owner: Value, attr: str) -> Value | None:
    """An attribute of an array or of a number."""
    rank, dims = rank_of(owner), dims_of(owner)
    if attr == "shape":
        if rank is None:
            return SHAPE
        sizes = dims or (None,) * rank
        return Sequence("tuple", [INT if n is None else Static(n) for n in sizes], None)
    if attr == "dtype":
        return DType(dtype_of(owner)) if dtype_of(owner) else Static(kind="dtype")
    if attr == "ndim":
        return INT if rank is None else Static(rank)
    if attr == "size":
        return INT
    kind = dtype_of(owner)
    if attr in ("real", "imag"):
        return array("float" if kind == "complex" else kind, rank, dims)
    turned = None if dims is None else dims[::-1]
    return array(kind, rank, turned) if attr in ("T", "mT") else None


def _subscript(reader: Reader, code: Code, node: ir.Subscript) -> Value | None:
    owner, index = reader.read(code, node.value), _index(reader, code, node.index)
    if isinstance(owner, ARRAYS):
        return array(dtype_of(owner), indexed_rank(owner, index), indexed_dims(owner, index))
    if owner is SHAPE and isinstance(index, Static):
        return INT
    items = owner.items if isinstance(owner, Sequence) else None
    if items is None or not isinstance(owner, Sequence):
        return SHAPE if owner is SHAPE else None
    if isinstance(index, Sequence) and index.kind == "slice":
        bounds: list[Any] = [one.const for one in index.items or () if isinstance(one, Static)]
        known = len(bounds) == 3 and all(one is None or type(one) is int for one in bounds)
        return Sequence(owner.kind, items[slice(*bounds)], None) if known else None
    at = index.const if isinstance(index, Static) else None
    return items[at] if type(at) is int and -len(items) <= at < len(items) else None


def _index(reader: Reader, code: Code, node: ir.Expr) -> Value:
    """What stands in the brackets behind an array."""
    if isinstance(node, ir.Slice):
        parts = (node.lower, node.upper, node.step)
        items = [NONE if one is None else reader.some(code, one) for one in parts]
        return Sequence("slice", items, None)
    if isinstance(node, ir.Sequence) and node.kind == "tuple":
        return Sequence("tuple", [_index(reader, code, one) for one in node.items], None)
    return reader.some(code, node)


def _binary(reader: Reader, code: Code, node: ir.BinOp) -> Value | None:
    left, right = reader.read(code, node.left), reader.read(code, node.right)
    if left is None or right is None:
        return None
    if isinstance(left, Sequence) and isinstance(right, Sequence) and node.op == "+":
        return _joined(left, right)
    if SHAPE in (left, right):
        return SHAPE if node.op == "+" else None
    if not isinstance(left, (*ARRAYS, Static)) or not isinstance(right, (*ARRAYS, Static)):
        return None
    if not isinstance(left, ARRAYS) and not isinstance(right, ARRAYS):
        return INT if dtype_of(left) == dtype_of(right) == "int" and node.op != "/" else None
    kinds = dtype_of(left), dtype_of(right)
    kind = promoted(kinds)
    if node.op == "/" and all(kinds):
        kind = promoted((kind, "float"))
    if node.op == "@":
        rank = matrix_rank(rank_of(left), rank_of(right))
        return array(kind, rank, multiplied(dims_of(left), dims_of(right)))
    return _combined(kind, [left, right])


def _joined(left: Sequence, right: Sequence) -> Value:
    known = left.items is not None and right.items is not None
    items = [*(left.items or ()), *(right.items or ())] if known else None
    return Sequence(left.kind, items, None)


def _combined(kind: str, operands: list[Value]) -> Value:
    """What is computed element by element."""
    dims = broadcast(map(dims_of, operands))
    ranks = [rank_of(one) for one in operands]
    known = [one for one in ranks if one is not None]
    return array(kind, max(known) if len(known) == len(ranks) else None, dims)


def _unary(reader: Reader, code: Code, node: ir.UnaryOp) -> Value | None:
    operand = reader.read(code, node.operand)
    if node.op == "not":
        return Static(kind="bool")
    if isinstance(operand, Static) and type(operand.const) is int and node.op == "-":
        return Static(-operand.const)
    return operand if isinstance(operand, (*ARRAYS, Static)) else None


def _compare(reader: Reader, code: Code, node: ir.Compare) -> Value | None:
    if len(node.ops) > 1 or node.ops[0] in ("is", "is not", "in", "not in"):
        return Static(kind="bool")
    sides = [reader.read(code, node.left), reader.read(code, node.comparators[0])]
    if not all(isinstance(one, (*ARRAYS, Static)) for one in sides):
        return None
    if not any(isinstance(one, ARRAYS) for one in sides):
        return Static(kind="bool")
    return _combined("bool", [one for one in sides if one is not None])


def _either(reader: Reader, code: Code, node: ir.IfExp) -> Value | None:
    one, other = reader.read(code, node.body), reader.read(code, node.orelse)
    if not isinstance(one, ARRAYS) or not isinstance(other, ARRAYS):
        return None
    same = dtype_of(one) == dtype_of(other) and dims_of(one) == dims_of(other)
    return one if same and rank_of(one) == rank_of(other) else None


def _called(reader: Reader, code: Code, node: ir.Call) -> Value | None:
    func: Value | None = None
    if is_chain(node.func):
        func = reader.read(code, node.func)
    if isinstance(func, (Function, Bound, Partial)):
        if any(one.star or one.keyword for one in node.args):
            return None
        given = [reader.some(code, one.value) for one in node.args]
        found = reader.results(func, given, code.calls)
        return found[0] if len(found) == 1 else None
    dotted = func.dotted if isinstance(func, LibraryName) else ""
    return reader.called(reader, code, node, dotted)


_READERS: dict[type, Callable[[Reader, Code, Any], Value | None]] = {
    ir.Const: _const,
    ir.Name: _named,
    ir.Sequence: _display,
    ir.Attribute: _attribute,
    ir.Subscript: _subscript,
    ir.BinOp: _binary,
    ir.UnaryOp: _unary,
    ir.Compare: _compare,
    ir.IfExp: _either,
    ir.Call: _called,
}

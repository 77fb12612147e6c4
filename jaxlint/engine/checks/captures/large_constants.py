"""Large arrays that compiled code captures: each program contains them as constants."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.captures.staleness import entry_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, Instance, LibraryName, Partial, Static
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.sizes import ELEMENTWISE, LOADERS, SAMPLERS, SHAPED, SIZE_KEPT
from jaxlint.syntax import ir
from jaxlint.syntax.lowering.literals import LARGEST

# From so many elements on, an array is better passed.
LARGE: Final = 100_000
_DEPTH = 8
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "<<": lambda a, b: a << min(b, 64),
    "**": lambda a, b: a ** min(b, 64) if abs(a) <= 1024 else 0,
}


def finished(machine: Machine) -> None:
    """Judges what the functions of the file that compile capture."""
    for record in machine.program.own_uses(machine.globals):
        if record.wrapper.compiles:
            check(machine, record)


def check(machine: Machine, record: TransformUse) -> None:
    """Reports the large arrays that a compiled function captures."""
    for (owner, name), (node, value) in record.captures.items():
        if isinstance(value, (Function, LibraryName)) or (owner, name) in record.presumed:
            continue
        if isinstance(owner, Frame):
            made, frame = _bound(machine, owner, name), owner
        elif isinstance(owner, Instance):
            made, frame = _stored(owner, name), owner.cls.home
        else:
            continue
        count = None if made is None or frame is None else elements(machine, frame, made)
        if count is None or count < LARGE or _only_asked(machine, record, owner, name, node):
            continue
        _emit(machine, record, node, name if isinstance(owner, Frame) else f"self.{name}", count)
    for given in _applied(record):
        count = elements(machine, record.frame, given)
        if count is not None and count >= LARGE:
            _emit(machine, record, given, dotted_text(given), count)


def _applied(record: TransformUse) -> list[ir.Expr]:
    """What `jit(partial(f, array))` applies the function to."""
    node = record.node
    inner = node.args[0].value if isinstance(node, ir.Call) and node.args else None
    if not (isinstance(record.func, Partial) and isinstance(inner, ir.Call)):
        return []
    given = [argument.value for argument in inner.args[1:]]
    return [one for one in given if isinstance(one, ir.Name)]


def _emit(
    machine: Machine, record: TransformUse, node: ir.Node, subject: str, count: float
) -> None:
    around = function_name(record.func), entry_of(record)
    size = f"{count:,}" if count < math.inf else ""
    misused(machine, around, node, "large-capture", subject, size)


def _bound(machine: Machine, owner: Frame, name: str) -> ir.Expr | None:
    """The expression to which the code around binds a name, if it does so in one place."""
    if len({id(node) for _, node in owner.writes.get(name, ())}) != 1:
        return None
    source: Any = owner.func if owner.kind == "function" else owner.module
    found = [] if source is None else _assignments(source.body).get(name, [])
    return found[0] if len(found) == 1 else None


@answered_once_of
def _assignments(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.Expr]]:
    """The expressions that code assigns to each name."""
    found: dict[str, list[ir.Expr]] = {}
    for one in walk(body, (ir.FunctionDef, ir.ClassDef)):
        targets = one.targets if isinstance(one, ir.Assign) else ()
        if isinstance(one, ir.AnnAssign):
            targets = (one.target,)
        for name in {target.id for target in targets if isinstance(target, ir.Name)}:
            found.setdefault(name, []).append(one.value)
    return found


def _stored(owner: Instance, attr: str) -> ir.Expr | None:
    """The expression to which the methods of a class set an attribute, if one does."""
    node = owner.cls.node
    found = [] if node is None else _attributes(node.body).get(attr, [])
    return found[0] if len(found) == 1 else None


@answered_once_of
def _attributes(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.Expr]]:
    """The expressions that code assigns to attributes, by the names of these."""
    found: dict[str, list[ir.Expr]] = {}
    for one in walk(body):
        for target in one.targets if isinstance(one, ir.Assign) else ():
            if isinstance(target, ir.Attribute):
                found.setdefault(target.attr, []).append(one.value)
    return found


def _only_asked(
    machine: Machine, record: TransformUse, owner: Any, name: str, node: ir.Node
) -> bool:
    """Whether the code asks the array for nothing but its shape and the like."""
    reads = record.reads.get((owner, name), {id(node): node}).values()
    homes = {id(one): machine.sources.owner(one, machine.module) for one in reads}
    return all(id(one) in _asked(homes[id(one)].body) for one in reads)


@answered_once_of
def _asked(body: tuple[ir.Stmt, ...]) -> frozenset[int]:
    """The expressions that code asks for their shape and the like."""
    found: set[int] = set()
    for one in walk(body):
        if isinstance(one, ir.Attribute) and one.attr in lookup.STATIC_ATTRIBUTES:
            found.add(id(one.value))
        elif isinstance(one, ir.Call) and _asks(one.func):
            found.update(id(given.value) for given in one.args)
    return frozenset(found)


def _asks(func: ir.Expr) -> bool:
    return isinstance(func, ir.Name) and func.id in ("len", "isinstance", "type")


# -- how large arrays are ------------------------------------------------------------------------


def elements(machine: Machine, frame: Frame, node: ir.Expr, depth: int = _DEPTH) -> float | None:
    """How many elements an array has that an expression makes: infinitely many of what is read
    from a file, None where that is not known."""
    if depth == 0:
        return None
    if isinstance(node, ir.Name):
        made = _bound(machine, frame, node.id) if node.id in frame.env else None
        return None if made is None else elements(machine, frame, made, depth - 1)
    if isinstance(node, ir.BinOp) and node.op != "@":
        parts = [elements(machine, frame, one, depth - 1) for one in (node.left, node.right)]
        return max((part for part in parts if part is not None), default=None)
    if isinstance(node, ir.UnaryOp):
        return elements(machine, frame, node.operand, depth - 1)
    if isinstance(node, ir.Attribute) and node.attr in ("T", "mT"):
        return elements(machine, frame, node.value, depth - 1)
    if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const):
        found = elements(machine, frame, node.value, depth - 1)
        return found if found == math.inf and isinstance(node.index.value, str) else None
    return _of_call(machine, frame, node, depth) if isinstance(node, ir.Call) else None


def _of_call(machine: Machine, frame: Frame, node: ir.Call, depth: int) -> float | None:
    func = peek(machine, frame, node.func)
    if any(argument.star for argument in node.args):
        return None
    if not isinstance(func, LibraryName):
        return _of_method(machine, frame, node, depth)
    dotted, name = func.dotted, func.dotted.rpartition(".")[2]
    if dotted in LOADERS:
        return math.inf
    if dotted.startswith("numpy.random."):
        return _sampled(machine, frame, node, name)
    if not dotted.startswith(("jax.numpy.", "numpy.", "jax.random.", "jax.device_put", "jax.nn.")):
        return None
    if name in SHAPED and not dotted.startswith("jax.random."):
        return _shaped(machine, frame, node, name)
    spec = lookup.function(dotted)
    if dotted.startswith("jax.random.") and spec is not None and "shape" in spec.params:
        return _size(machine, frame, _argument(node, spec.params.index("shape"), "shape"))
    if (name in ELEMENTWISE or name in SIZE_KEPT) and node.args:
        return elements(machine, frame, node.args[0].value, depth - 1)
    return None


def _of_method(machine: Machine, frame: Frame, node: ir.Call, depth: int) -> float | None:
    func = node.func
    if not isinstance(func, ir.Attribute):
        return None
    if func.attr in SIZE_KEPT:
        return elements(machine, frame, func.value, depth - 1)
    return _sampled(machine, frame, node, func.attr)


def _sampled(machine: Machine, frame: Frame, node: ir.Call, name: str) -> float | None:
    """What a sampler of NumPy draws."""
    if name in ("rand", "randn"):
        sizes = [_whole(machine, frame, argument.value) for argument in node.args]
        return None if None in sizes or not sizes else math.prod(s for s in sizes if s)
    if name not in SAMPLERS:
        return None
    return _size(machine, frame, _argument(node, SAMPLERS[name], "size"))


def _shaped(machine: Machine, frame: Frame, node: ir.Call, name: str) -> float | None:
    """What a constructor of arrays makes."""
    plain = [argument.value for argument in node.args if argument.keyword is None]
    sizes = [_whole(machine, frame, one) for one in plain]
    if name in ("eye", "identity"):
        rows = sizes[0] if sizes else None
        columns = sizes[1] if len(sizes) > 1 else rows
        return None if rows is None or columns is None else rows * columns
    if name == "arange":
        if not 1 <= len(sizes) <= 2 or None in sizes:
            return None
        known = [size for size in sizes if size is not None]
        return known[-1] - (known[0] if len(known) > 1 else 0)
    if name in ("linspace", "logspace", "geomspace"):
        number = _argument(node, 2, "num")
        return 50 if number is None else _whole(machine, frame, number)
    return _size(machine, frame, _argument(node, 0, "shape"))


def _argument(node: ir.Call, at: int, name: str) -> ir.Expr | None:
    for argument in node.args:
        if argument.keyword == name:
            return argument.value
    plain = [argument.value for argument in node.args if argument.keyword is None]
    return plain[at] if at < len(plain) else None


def _size(machine: Machine, frame: Frame, shape: ir.Expr | None) -> float | None:
    """The number of elements of a shape."""
    if isinstance(shape, ir.Sequence):
        sizes = [_whole(machine, frame, item) for item in shape.items]
        return None if None in sizes else math.prod(size for size in sizes if size is not None)
    return None if shape is None else _whole(machine, frame, shape)


def _whole(machine: Machine, frame: Frame, node: ir.Expr) -> int | None:
    """The value of an expression of whole numbers."""
    if isinstance(node, ir.Const):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ir.BinOp) and node.op in _ARITHMETIC:
        left, right = (_whole(machine, frame, one) for one in (node.left, node.right))
        if left is None or right is None or (node.op == "//" and right == 0) or right < 0:
            return None
        made = _ARITHMETIC[node.op](left, right)
        return made if abs(made) < LARGEST else None
    value = peek(machine, frame, node)
    const = value.const if isinstance(value, Static) else None
    return const if isinstance(const, int) else None


CHECK = Check(
    "large-constants",
    on_finish=finished,
)

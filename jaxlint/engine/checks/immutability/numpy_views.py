"""Updates in place of what would be a view, or another name, of a NumPy array.

`row = a[0]; row += 1` changes `a` if it is a NumPy array. JAX's arrays never change: the statement
binds `row` to a new array, and does nothing at all where nobody reads `row` after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import field
from functools import lru_cache
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_array, is_number
from jaxlint.engine.domain.values import Concrete, Traced, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.host.purity import VIEWS
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)


@slotted()
class _Uses:
    """Where a block of code binds a name, updates it and reads it: positions in source order;
    `own` are the nodes by which it binds and updates it, `last` is where the name stands last."""

    bound: list[tuple[int, ir.Node]] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    own: set[int] = field(default_factory=set)
    last: int = -1
    in_functions: bool = False


class _Block:
    """The names of a block of code, all found in one walk."""

    def __init__(self, around: ir.Module | ir.FunctionDef) -> None:
        self.uses: dict[str, _Uses] = defaultdict(_Uses)
        self.places: dict[int, int] = {}
        self.gives = False
        # The loops around each update, outermost first, and where the body of each loop stands.
        self.around: dict[int, tuple[ir.Node, ...]] = {}
        self.bodies: dict[int, range] = {}
        ahead: dict[int, tuple[ir.Node, int]] = {}
        open_loops: list[ir.Node] = []
        for at, one in enumerate(walk(around.body)):
            self.places.setdefault(id(one), at)
            while open_loops and at >= self.bodies[id(open_loops[-1])].stop:
                open_loops.pop()
            if id(one) in ahead:
                loop, size = ahead.pop(id(one))
                self.bodies[id(loop)] = range(at, at + size)
                open_loops.append(loop)
            if isinstance(one, _LOOPS) and one.body:
                ahead[id(one.body[0])] = (one, sum(1 for _ in walk(one.body)))
            self._note(at, one)
            if isinstance(one, ir.AugAssign):
                self.around[id(one)] = tuple(open_loops)

    def _note(self, at: int, one: Any) -> None:
        if isinstance(one, ir.Name):
            uses = self.uses[one.id]
            uses.last = at
            if id(one) not in uses.own:
                uses.reads.append(at)
        elif isinstance(one, ir.AugAssign):
            if isinstance(one.target, ir.Name):
                name = one.target.id
                self.uses[name].own.update(id(part) for part in walk(one) if _is_name(part, name))
        elif isinstance(one, ir.FunctionDef):
            for part in walk(one.body):
                if isinstance(part, ir.Name):
                    self.uses[part.id].in_functions = True
        elif isinstance(one, ir.Yield) or (isinstance(one, ir.Return) and one.value is not None):
            self.gives = True
        else:
            names = [p for t in _targets(one) for p in walk(t) if isinstance(p, ir.Name)]
            for part in names:
                uses = self.uses[part.id]
                uses.own.add(id(part))
                if not uses.bound or uses.bound[-1][0] != at:
                    uses.bound.append((at, one))

    def holds(self, loop: ir.Node, at: int) -> bool:
        """Whether a position is in the body of a loop."""
        return at in self.bodies[id(loop)]


_block = lru_cache(maxsize=8)(_Block)


def augmented(machine: Machine, frame: Frame, node: ir.AugAssign, old: Value, right: Value) -> None:
    """A name that holds an array is updated."""
    target = node.target
    if not isinstance(target, ir.Name) or not isinstance(old, (Traced, Concrete)):
        return
    if isinstance(old, Traced) and not (old.leaf or is_number(right) or is_array(right)):
        return
    func = frame.func if frame.kind == "function" else None
    if func is None and frame.kind != "module":
        return
    if func is not None and target.id in func.globals | func.nonlocals:
        return
    original = _original(machine.module if func is None else func, node)
    if original is not None:
        misused(machine, frame, node, "view-updated", target.id, original)


def _original(around: ir.Module | ir.FunctionDef, node: ir.AugAssign) -> str | None:
    """What the author means to change, None where the update is not for nothing."""
    func = None if isinstance(around, ir.Module) else around
    block, name = _block(around), dotted_text(node.target)
    uses, here = block.uses[name], block.places.get(id(node))
    is_param = func is not None and any(param.name == name for param in func.params)
    if here is None or uses.in_functions or len(uses.bound) != (not is_param):
        return None
    loops = block.around[id(node)]
    is_read = bool(uses.reads) and uses.reads[-1] > here
    if is_param:
        alone = not is_read and not loops
        return name if alone and not block.gives and func and not func.is_lambda else None
    at, binding = uses.bound[0]
    if is_read:
        return None
    outer = [loop for loop in loops if loop is not binding and not block.holds(loop, at)]
    if outer and any(block.holds(outer[0], read) for read in uses.reads):
        return None
    base = _viewed(binding, name)
    return None if base is None or at > here else _used_original(block, base, here, func)


def _used_original(
    block: _Block, base: ir.Expr, here: int, func: ir.FunctionDef | None
) -> str | None:
    """The text of the array that was viewed, if the code goes on to use it."""
    text = dotted_text(base)
    root = base
    while isinstance(root, ir.Attribute):
        root = root.value
    if not text or not isinstance(root, ir.Name):
        return None
    if isinstance(base, ir.Attribute) or (func is not None and root.id not in func.bound):
        return text
    if func is not None and not block.gives and any(p.name == root.id for p in func.params):
        return text  # The caller goes on with it.
    return text if block.uses[root.id].last > here else None


def _targets(node: Any) -> list[Any]:
    if isinstance(node, ir.Assign):
        return [t for t in node.targets if not isinstance(t, (ir.Subscript, ir.Attribute))]
    if isinstance(node, (ir.For, ir.AnnAssign, ir.NamedExpr, ir.Clause)):
        return [node.target]
    if isinstance(node, ir.With):
        return [target for _, target in node.items if target is not None]
    return []


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


# -- views -------------------------------------------------------------------------------------


def _viewed(binding: ir.Node, name: str) -> ir.Expr | None:
    """The array of which a statement binds a part, a view or another name."""
    if isinstance(binding, ir.For):
        return _iterated(binding.target, binding.iter, name)
    if isinstance(binding, ir.Assign):
        return next((_base(v) for v in map(_part(name, binding.value), binding.targets) if v), None)
    if isinstance(binding, (ir.AnnAssign, ir.NamedExpr)) and binding.value is not None:
        return _base(binding.value)
    return None


def _part(name: str, value: ir.Expr) -> Callable[[ir.Expr], ir.Expr | None]:
    """What of the assigned value a target binds to the name."""

    def part(target: ir.Expr) -> ir.Expr | None:
        if _is_name(target, name):
            return value
        if not (isinstance(target, ir.Sequence) and isinstance(value, ir.Sequence)):
            return None
        pairs = zip(target.items, value.items, strict=False)
        alike = len(target.items) == len(value.items)
        return next((v for t, v in pairs if alike and _is_name(t, name)), None)

    return part


def _base(node: ir.Expr, depth: int = 6) -> ir.Expr | None:
    """What is left of an expression without what makes views of it."""
    if depth == 0:
        return None
    if isinstance(node, ir.Name):
        return node
    if isinstance(node, ir.Subscript):
        return _base(node.value, depth - 1)
    if isinstance(node, ir.Attribute):
        return _base(node.value, depth - 1) if node.attr in ("T", "mT") else _chain(node)
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if node.func.attr not in VIEWS:
            return None
        of_module = dotted_text(node.func.value) in ("jnp", "jax.numpy")
        if of_module:
            return _base(node.args[0].value, depth - 1) if node.args else None
        return _base(node.func.value, depth - 1)
    return None


def _chain(node: ir.Attribute) -> ir.Expr | None:
    return node if dotted_text(node) else None


def _iterated(target: ir.Expr, iterable: ir.Expr, name: str) -> ir.Expr | None:
    """The array, or the tree of arrays, whose elements a loop goes through."""
    parts = target.items if isinstance(target, ir.Sequence) else (target,)
    at = next((i for i, part in enumerate(parts) if _is_name(part, name)), -1)
    if at < 0 or not isinstance(iterable, ir.Call):
        return _base(iterable) if _is_name(target, name) else None
    func = iterable.func
    if isinstance(func, ir.Attribute):
        last = at == len(parts) - 1 and not iterable.args
        held = func.attr == ("items" if isinstance(target, ir.Sequence) else "values")
        return _base(func.value) if held and last else _base(iterable)
    function = func.id if isinstance(func, ir.Name) else ""
    index = {"enumerate": 0 if at == 1 else -1, "zip": at}.get(function, -1)
    known = isinstance(target, ir.Sequence) and 0 <= index < len(iterable.args)
    return _base(iterable.args[index].value) if known else None


CHECK = Check(
    "numpy-views",
    on_augmented=augmented,
)

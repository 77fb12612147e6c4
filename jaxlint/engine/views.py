"""Updates in place of what would be a view, or another name, of a NumPy array.

`row = a[0]; row += 1` changes `a` if it is a NumPy array. JAX's arrays never change: the statement
binds `row` to a new array, and does nothing at all where nobody reads `row` after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from jaxlint.engine.bindings import dotted_text, walk
from jaxlint.engine.machine import Machine
from jaxlint.engine.misuse import misused
from jaxlint.engine.state import Frame
from jaxlint.engine.trees import is_array, is_number
from jaxlint.engine.values import Concrete, Traced, Value
from jaxlint.knowledge.purity import VIEWS
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)


@dataclass(slots=True)
class _Uses:
    """Where a block of code binds a name, updates it and reads it: positions in source order."""

    bound: list[tuple[int, ir.Node]] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)
    in_functions: bool = False


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


@lru_cache(maxsize=16)
def _original(around: ir.Module | ir.FunctionDef, node: ir.AugAssign) -> str | None:
    """What the author means to change, None where the update is not for nothing."""
    func = None if isinstance(around, ir.Module) else around
    order, name = list(walk(around.body)), dotted_text(node.target)
    uses = _uses(order, name)
    here = next((at for at, one in enumerate(order) if one is node), None)
    is_param = func is not None and any(param.name == name for param in func.params)
    if here is None or uses.in_functions or len(uses.bound) != (not is_param):
        return None
    loops = [one for one in order if isinstance(one, _LOOPS) and _holds(one, node)]
    if is_param:
        gives = any(
            isinstance(one, ir.Yield) or (isinstance(one, ir.Return) and one.value is not None)
            for one in order
        )
        alone = not any(at > here for at in uses.reads) and not loops
        return name if alone and not gives and func is not None and not func.is_lambda else None
    at, binding = uses.bound[0]
    if any(read > here for read in uses.reads):
        return None
    outer = [loop for loop in loops if not _rebinds(loop, binding)]
    if outer and any(_holds(outer[0], order[read]) for read in uses.reads):
        return None
    base = _viewed(binding, name)
    return None if base is None or at > here else _used_original(order, base, here, func)


def _used_original(
    order: list[Any], base: ir.Expr, here: int, func: ir.FunctionDef | None
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
    later = (one for one in order[here + 1 :] if isinstance(one, ir.Name) and one.id == root.id)
    return text if any(True for _ in later) else None


def _uses(order: list[Any], name: str) -> _Uses:
    found = _Uses()
    own: set[int] = set()
    for at, one in enumerate(order):
        if isinstance(one, ir.AugAssign) and _is_name(one.target, name):
            found.updates.append(at)
            own.update(id(part) for part in walk(one))
        elif isinstance(one, ir.FunctionDef):
            found.in_functions |= any(_is_name(part, name) for part in walk(one.body))
        else:
            targets = _targets(one)
            if any(_is_name(part, name) for target in targets for part in walk(target)):
                found.bound.append((at, one))
                own.update(id(part) for target in targets for part in walk(target))
    found.reads = [at for at, one in enumerate(order) if _is_name(one, name) and id(one) not in own]
    return found


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


def _holds(loop: Any, node: Any) -> bool:
    return any(one is node for one in walk(loop.body))


def _rebinds(loop: Any, binding: ir.Node) -> bool:
    """Whether each iteration of a loop binds the name anew."""
    return loop is binding or _holds(loop, binding)


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

"""Arithmetic of pytrees by `equinox.internal.ω`: operators that are mapped over leaves.

Source: the docstring of `ω`: `(ω(a) + ω(b)).ω` is `tree_map(operator.add, a, b)`, and `a**ω` is
`ω(a)`.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import Final

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.values import LibraryName, Partial, Traced, Unknown, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.arithmetic import binary, unary
from jaxlint.engine.operations.dunder import BINARY
from jaxlint.syntax import ir

OMEGA: Final = "equinox.internal.ω"
CALL: Final = f"{OMEGA}.call"
_TREE_MAP: Final = LibraryName("jax.tree_util.tree_map")


def wrapped(frame: Frame, node: ir.Expr, tree: Value) -> FrameworkObject:
    """`ω(tree)`."""
    made = FrameworkObject(OMEGA, None, None, frame.trace)
    made.state["fields"] = {"ω": tree, "call": Partial(LibraryName(CALL), (made,), {})}
    return made


def _tree(value: Value) -> Value | None:
    if not isinstance(value, FrameworkObject) or value.dotted != OMEGA:
        return None
    tree: Value = value.state["fields"]["ω"]
    return tree


def make(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree = args.get(0, "value")
    return machine.unknown("tree") if tree is None else wrapped(frame, node, tree)


def call(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`ω(tree).call(fn)`."""
    tree = _tree(args.positional[0]) if args.positional else None
    func = args.get(1, "fn")
    if tree is None or func is None:
        return machine.unknown("tree")
    mapped = machine.call(frame, node, _TREE_MAP, Args([func, tree], nodes=[node, node]))
    return wrapped(frame, node, mapped)


def arithmetic(
    machine: Machine, frame: Frame, node: ir.Expr, op: str, left: Value, right: Value | None
) -> Value | None:
    """An operator of one tree or two."""
    if op == "**" and isinstance(right, LibraryName) and right.dotted == OMEGA:
        return wrapped(frame, node, left)
    first, second = _tree(left), None if right is None else _tree(right)
    if first is not None and right is None:
        result = map_leaves(
            first, lambda one: _as_tree(one, unary(machine, frame, node, op, one)), frame.trace
        )
    elif first is not None and second is not None:
        result = _of_both(machine, frame, node, op, first, second)
    elif first is not None and right is not None:
        result = _with_one(machine, frame, node, op, first, right, False)
    elif second is not None:
        result = _with_one(machine, frame, node, op, second, left, True)
    else:
        return None
    return wrapped(frame, node, result)


def _of_both(
    machine: Machine, frame: Frame, node: ir.Expr, op: str, left: Value, right: Value
) -> Value:
    """Two trees of one structure, which may be known of one of them only."""
    name = BINARY.get(op)
    if isinstance(left, Unknown) or name is None:
        return _with_one(machine, frame, node, op, right, machine.unknown("leaf of a tree"), True)
    if isinstance(right, Unknown):
        return _with_one(machine, frame, node, op, left, machine.unknown("leaf of a tree"), False)
    func = LibraryName(f"operator.{name}{'_' if iskeyword(name) else ''}")
    return machine.call(frame, node, _TREE_MAP, Args([func, left, right], nodes=[node] * 3))


def _with_one(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    op: str,
    tree: Value,
    other: Value,
    swapped: bool,
) -> Value:
    def leaf(one: Value) -> Value:
        left, right = (other, one) if swapped else (one, other)
        return _as_tree(one, binary(machine, frame, node, op, left, right, node, node))

    return map_leaves(tree, leaf, frame.trace)


def _as_tree(leaf: Value, made: Value) -> Value:
    """What comes of a part that may be a tree itself may be one too."""
    may_be_tree = isinstance(leaf, Unknown) or (isinstance(leaf, Traced) and not leaf.leaf)
    if may_be_tree and isinstance(made, Traced):
        return Traced(made.trail, made.kind, leaf=False)
    return made

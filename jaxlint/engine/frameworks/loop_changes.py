"""What the iterations of a loop change: names that one after another bind to other values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.names import bound_names, dotted_text, parents, targets_of, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Loops over a display of so few elements are worth the programs that they compile.
FEW = 2


def changes_in_loop(machine: Machine, frame: Frame, node: ir.Expr, value: ir.Expr) -> bool:
    """Whether `value`, an argument of the call `node`, is another in each iteration of a loop
    around that call."""
    func = frame.home().func
    body: Any = machine.module.body if func is None else func.body
    names = _read(value)
    return any(names & _changing(loop) for loop in _around(body, node))


def _around(body: Any, node: ir.Expr) -> Iterator[Any]:
    """The loops of a body that run a node."""
    outer = parents(body)
    inner: Any = node
    while (one := outer.get(id(inner))) is not None:
        if isinstance(one, (ir.For, ir.While)):
            if any(inner is statement for statement in one.body):
                yield one
        elif isinstance(one, ir.Comprehension) and inner is one.element:
            yield one
        inner = one


def _changing(loop: ir.For | ir.While | ir.Comprehension) -> set[str]:
    """Names and attributes that hold another value in each iteration: the target, what is computed
    from itself and what is computed from these."""
    if isinstance(loop, ir.Comprehension):
        return {name for clause in loop.clauses for name in _taken(clause.target, clause.iter)}
    found = _taken(loop.target, loop.iter) if isinstance(loop, ir.For) else set()
    kinds = (ir.Assign, ir.AnnAssign, ir.AugAssign)
    bindings = [one for one in walk(loop.body) if isinstance(one, kinds)]
    while True:
        more = set(found)
        for one in bindings:
            names = _bound(one)
            read = set() if one.value is None else _read(one.value)
            if isinstance(one, ir.AugAssign) or read & (more | names):
                more |= names
        if more == found:
            return found
        found = more


def _bound(node: ir.Assign | ir.AnnAssign | ir.AugAssign) -> set[str]:
    targets = targets_of(node)
    attributes = {dotted_text(target) for target in targets if isinstance(target, ir.Attribute)}
    return bound_names(node) | attributes - {""}


def _taken(target: ir.Expr, source: ir.Expr) -> set[str]:
    if isinstance(source, ir.Sequence) and len(source.items) <= FEW:
        return set()
    return {one.id for one in walk(target) if isinstance(one, ir.Name)}


def _read(value: ir.Expr) -> set[str]:
    """The names and attributes that an expression reads, not for their shapes alone."""
    shapes = [node for node in walk(value) if _is_shape(node)]
    left_out = {id(node) for shape in shapes for node in walk(shape)}
    found = {
        dotted_text(node)
        for node in walk(value)
        if isinstance(node, (ir.Name, ir.Attribute)) and id(node) not in left_out
    }
    return found - {""}


def _is_shape(node: ir.Node) -> bool:
    if isinstance(node, ir.Call):
        return dotted_text(node.func).rpartition(".")[2] in _SIZES
    return isinstance(node, ir.Attribute) and node.attr in lookup.STATIC_ATTRIBUTES


_SIZES = frozenset({"len", "shape", "ndim"})

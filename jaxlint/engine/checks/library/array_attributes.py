"""Attributes that arrays of JAX do not have in any release.

An attribute that no array has tells as a rule that a value is no array, whatever was believed of
it. Here the source has to show that it is one: the value is what a function of JAX gives, or is
computed from such values alone.

Source: `jax.Array` in the API reference of JAX; the names that the tables hold are compared with
those of the installed JAX.
"""

from __future__ import annotations

from jaxlint.dataflow.array_evidence import ASKS
from jaxlint.dataflow.guards import conditional, replaced
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, parents, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Traced, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import Term, term
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.other_arrays import OF_OTHERS
from jaxlint.syntax import ir

# How many steps of a computation are looked at.
_DEEPEST = 8
# Modules whose functions give arrays of JAX and nothing else where their tables say "array".
_HOMES = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.random.", "jax.scipy.")

# Some of them give several arrays for some arguments.
_SEVERAL = frozenset({"jax.lax.sort", "jax.numpy.gradient", "jax.numpy.where"})


def read(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> None:
    """Code reads an attribute of an array that no array has."""
    if not isinstance(node, ir.Attribute) or attr.startswith("_") or machine.dynamic.idle:
        return
    made = _source(frame, node.value, value)
    if not _is_array(term(frame, made, machine), _DEEPEST, frozenset()):
        return
    module = machine.sources.owner(node, machine.module)
    if id(node) in conditional(module) or replaced(module, attr) or _is_asked(frame, node.value):
        return
    # Asked last: what a call goes by is noted of it.
    if is_uncaught(machine):
        detail = f"{attr} {_instead(attr, dotted_text(node.value) or 'x')}"
        misused(machine, frame, node, "unknown-attribute", "", detail)


def _is_asked(frame: Frame, node: ir.Expr) -> bool:
    """Whether the function around asks what a value is: it may be something else there."""
    func = frame.home().func
    return func is not None and dotted_text(node) in _asked_of(func)


@answered_once
def _asked_of(func: ir.FunctionDef) -> frozenset[str]:
    """What a function asks the type of, as written."""
    return frozenset(
        dotted_text(node.args[0].value)
        for node in walk(func.body)
        if isinstance(node, ir.Call) and node.args and dotted_text(node.func) in ASKS
    )


def _instead(attr: str, array: str) -> str:
    """What to write for an attribute that arrays do not have, "" where nothing like it is known."""
    if attr in OF_OTHERS:
        return f"use {OF_OTHERS[attr].format(array)}"
    if lookup.function(f"jax.numpy.{attr}") is not None:
        return f"call `jnp.{attr}({array})`: it is a function"
    return ""


def _source(frame: Frame, node: ir.Expr, value: Value) -> ir.Expr:
    """The call that made what a name holds now, or else the expression itself."""
    made = value.trail.node if isinstance(value, Traced) and isinstance(node, ir.Name) else node
    func = frame.home().func
    is_here = func is not None and isinstance(made, ir.Call) and id(made) in parents(func.body)
    return made if is_here and isinstance(made, ir.Expr) else node


def _is_array(one: Term, depth: int, around: frozenset[str]) -> bool:
    """Whether an expression gives an array of JAX and nothing else. The names `around` are those
    that are being looked at."""
    node = one.node
    if not depth:
        return False
    if isinstance(node, ir.Name):
        bound = one.scope.bindings(node.id)
        if not bound or one.scope.takes(node.id) or node.id in one.scope.given:
            return False
        inside = around | {node.id}
        return node.id in around or all(
            value is not None and _is_array(one.inside(value), depth - 1, inside) for value in bound
        )
    if isinstance(node, ir.BinOp):
        sides = (one.inside(node.left), one.inside(node.right))
        arrays = [_is_array(side, depth - 1, around) for side in sides]
        return any(arrays) and all(
            known or number_of(side) is not None for known, side in zip(arrays, sides, strict=True)
        )
    if isinstance(node, ir.UnaryOp) and node.op in "-~+":
        return _is_array(one.inside(node.operand), depth - 1, around)
    if isinstance(node, ir.Subscript):
        return _is_array(one.inside(node.value), depth - 1, around)
    return isinstance(node, ir.Call) and _gives_array(one, depth, around)


def _gives_array(one: Term, depth: int, around: frozenset[str]) -> bool:
    """Whether a call is one of a function of JAX that gives an array, or of such a method."""
    func = one.node.func
    machine, frame = one.scope.machine, one.scope.frame
    named = peek(machine, frame, func) if machine is not None and is_chain(func) else None
    if isinstance(named, LibraryName):
        spec = lookup.function(named.dotted) if named.dotted.startswith(_HOMES) else None
        named_by = {argument.keyword for argument in one.node.args}
        plain = spec is not None and spec.result == "array" and named.dotted not in _SEVERAL
        return plain and spec is not None and named_by.isdisjoint(spec.restructures)
    if not isinstance(func, ir.Attribute):
        return False
    method = lookup.method(func.attr)
    known = method is not None and method.result == "array"
    return known and _is_array(one.inside(func.value), depth - 1, around)


CHECK = Check("array-attributes", on_array_attribute=read)

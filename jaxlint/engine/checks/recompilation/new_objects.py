"""Expressions that make a new object each time they run, which equals none that was made before."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.recompilation.hash_equality import compares
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Function, LibraryName, Mapping, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import bindings, parameters, returns_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.ecosystems.optax import TRANSFORMATIONS
from jaxlint.syntax import ir

# How many functions that hand an object on are followed.
MOST_NESTED = 4
_PARTIALS = frozenset({"functools.partial", "jax.tree_util.Partial"})


@slotted(frozen=True)
class Place:
    """Where an expression stands: the frame for the names around, and the function whose body it
    is in, if that is not the function of the frame."""

    frame: Frame
    func: ir.FunctionDef | None = None


def kind_of(machine: Machine, place: Place, node: ir.Node, depth: int = MOST_NESTED) -> str:
    """What an expression makes each time, "" where it may give what there was before."""
    if isinstance(node, ir.Lambda):
        return "lambda"
    if isinstance(node, ir.FunctionDef):
        return "" if node.decorators else "function"
    if isinstance(node, ir.IfExp):
        return _all(kind_of(machine, place, one, depth) for one in (node.body, node.orelse))
    if isinstance(node, ir.Name):
        return _of_name(machine, place, node.id, depth)
    if not isinstance(node, ir.Call):
        return ""
    return _all(_of_call(machine, callee, depth) for callee in callees(machine, place, node))


def _all(kinds: Iterator[str]) -> str:
    """The first of some kinds, if there are any and none is empty."""
    found = list(kinds)
    return found[0] if found and all(found) else ""


def _of_name(machine: Machine, place: Place, name: str, depth: int) -> str:
    """What a name of a function's body holds, whichever binding of it ran."""
    if place.func is None or name in parameters(place.func) or not depth:
        return ""
    made = [one for one in place.func.body if isinstance(one, ir.FunctionDef) and one.name == name]
    bound = made or bindings(place.func.body).get(name, [])
    parts = ("" if one is None else kind_of(machine, place, one, depth - 1) for one in bound)
    return _all(parts)


def callees(machine: Machine, place: Place, node: ir.Call) -> list[Value | None]:
    """What a call may call: one function or class, or all those of a registry."""
    func = node.func
    is_registry = isinstance(func, ir.Subscript)
    head = func.value if isinstance(func, ir.Subscript) else func
    if place.func is not None and _is_local(place.func, head):
        return [None]
    value = peek(machine, place.frame, head)
    if not is_registry:
        return [value]
    known = isinstance(value, Mapping) and not (value.open or value.element)
    return list(value.items.values()) if known and isinstance(value, Mapping) else [None]


def _is_local(func: ir.FunctionDef, node: ir.Expr) -> bool:
    """Whether a function binds a name that an expression reads."""
    names = {one.id for one in walk(node) if isinstance(one, ir.Name)}
    return not names.isdisjoint(parameters(func) | bindings(func.body).keys())


def _of_call(machine: Machine, callee: Value | None, depth: int) -> str:
    """What a call of a function or class makes."""
    if isinstance(callee, Class):
        is_new = compares(callee) == "identity" and callee.find("__new__") is None
        return f"`{callee.name}`" if is_new else ""
    if isinstance(callee, LibraryName):
        return _of_library(lookup.canonical(callee.dotted))
    if not isinstance(callee, Function) or callee.node.decorators or callee.node.is_generator:
        return ""
    inner = Place(callee.frame, callee.node)
    given = (one.value for one in returns_of(callee.node)) if depth else ()
    parts = ("" if one is None else kind_of(machine, inner, one, depth - 1) for one in given)
    return _all(parts)


def _of_library(name: str) -> str:
    if name in _PARTIALS:
        return "partial"
    if name in TRANSFORMATIONS:
        return "optimizer"
    wrapper = lookup.wrapper(name)
    return "transformed function" if wrapper is not None and name.startswith("jax.") else ""

"""Objects that are new each time: what they are, and whether they are made again and again."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.loop_variance import Around
from jaxlint.engine.checks.recompilation.call_sites import Given, Site
from jaxlint.engine.checks.recompilation.hash_equality import compares
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import Class, Function, Instance, Partial, Transformed, Value
from jaxlint.engine.inference.constant_names import dotted, held
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir


def fresh(machine: Machine, site: Site, given: Given, at: Around) -> str:
    """What a static argument is, if it is made anew for each call and found by its identity."""
    what = _by_identity(given.value)
    if not what:
        return ""
    made = _maker(given.node, at)
    if made is None:
        return ""
    node, repeats = made
    if not repeats:
        func = at.function
        if func is None or func.is_lambda or id(func) not in machine.program.repeated:
            return ""
    return what if _makes(site, node, given.value) else ""


def _by_identity(value: Value) -> str:
    """What a value is, if equal ones made at another time are not equal to it."""
    if isinstance(value, Function):
        return "lambda" if value.node.is_lambda else "function"
    if isinstance(value, Partial):
        return "partial"
    if isinstance(value, Transformed):
        return "transformed function"
    if isinstance(value, Instance):
        return f"`{value.cls.name}`" if compares(value.cls) == "identity" else ""
    if isinstance(value, FrameworkObject) and value.dotted.startswith("optax."):
        return "optimizer"
    return ""


def _maker(node: Any, at: Around) -> tuple[Any, bool] | None:
    """The expression or definition that makes an argument, and whether a loop around the call
    repeats it; without that, each call of the function does."""
    if isinstance(node, (ir.Lambda, ir.Call)):
        return node, bool(at.turns)
    if not isinstance(node, ir.Name):
        return None
    for turn in at.turns:
        found = turn.bound.get(node.id, [])
        if found:
            return (found[0][0], True) if len(found) == 1 else None
        if turn.binds(node.id):
            return None
    if at.function is None or any(param.name == node.id for param in at.function.params):
        return None
    bound = at.layout.bindings(at.function, node.id)
    return (bound[0], False) if len(bound) == 1 else None


def _makes(site: Site, node: Any, value: Value) -> bool:
    """Whether an expression makes the object, rather than looking it up."""
    if isinstance(node, (ir.Lambda, ir.FunctionDef)):
        return True
    if not isinstance(node, ir.Call):
        return False
    name = dotted(site.frame, node.func)
    if isinstance(value, Partial):
        return name in ("functools.partial", "jax.tree_util.Partial")
    if isinstance(value, FrameworkObject):
        return name.startswith("optax.")
    if isinstance(value, Transformed):
        return name.startswith("jax.")
    called = held(site.frame, node.func.id) if isinstance(node.func, ir.Name) else None
    if isinstance(value, Instance):
        return isinstance(called, Class)
    inner = isinstance(value, Function) and value.frame.home().kind == "function"
    return inner and isinstance(called, Function) and not called.node.decorators

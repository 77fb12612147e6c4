"""Objects that are new each time: what they are, and whether they are made again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.loop_variance import Around
from jaxlint.dataflow.names import dotted_text, each_assigned
from jaxlint.dataflow.structure import Part
from jaxlint.engine.checks.recompilation.call_sites import Given, Site
from jaxlint.engine.checks.recompilation.new_objects import Place, callees, kind_of
from jaxlint.engine.domain.values import Class, Function, Instance
from jaxlint.engine.inference.definitions import parameters, returns_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.syntax import ir

# What `kind_of` calls functions, and what holds some.
_FUNCTIONS = frozenset({"function", "lambda", "optimizer", "partial", "transformed function"})
# How many functions that make an object are followed.
_MOST_NESTED = 2


def fresh(machine: Machine, site: Site, given: Given, at: Around) -> str:
    """What a static argument is, if it is made anew for each call and found by its identity."""
    made = _made_again(machine, given.node, at)
    return "" if made is None else kind_of(machine, Place(site.frame), made)


def fresh_part(
    machine: Machine, site: Site, given: Given, at: Around, lenient: bool = False
) -> tuple[str, str] | None:
    """A static field of a pytree that a call passes, as written behind its name, if it holds what
    is made anew for each call, and what that is. A `lenient` wrapper takes functions for static
    wherever they are."""
    value = given.value
    if not isinstance(value, Instance) or not (value.cls.meta or (lenient and value.cls.tree)):
        return None
    made = _made_again(machine, given.node, at)
    if not isinstance(made, ir.Call):
        return None
    for name, place, part in _parts_of(machine, value.cls, Place(site.frame), made):
        here = part if place.func is not None else _made_again(machine, part, at)
        what = "" if here is None else kind_of(machine, place, here)
        if what and (name in value.cls.meta or (lenient and _is_function(here, what))):
            return f".{name}", what
    return None


def _is_function(made: Any, what: str) -> bool:
    """Whether what is made is a function, and no pytree."""
    is_tree = isinstance(made, ir.Call) and dotted_text(made.func).endswith("Partial")
    return what in _FUNCTIONS and not is_tree


def _made_again(machine: Machine, node: Any, at: Around) -> Any:
    """The expression or definition that makes an argument of a call anew each time, None if the
    call is not known to be repeated."""
    found = _maker(node, at)
    if found is None:
        return None
    (made, repeats), func = found, at.function
    if not repeats and func is not None and not func.is_lambda:
        repeats = id(func) in machine.program.repeated
    return made if repeats else None


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
            made = found[0][0] if len(found) == 1 else None
            return None if made is None or isinstance(made, Part) else (made, True)
        if turn.binds(node.id):
            return None
    if at.function is None or node.id in parameters(at.function):
        return None
    bound = at.layout.bindings(at.function, node.id)
    return (bound[0], False) if len(bound) == 1 else None


def _parts_of(
    machine: Machine, cls: Class, place: Place, node: ir.Call, depth: int = _MOST_NESTED
) -> Iterator[tuple[str, Place, ir.Expr]]:
    """The expressions that go to fields of an object which a call makes: arguments of the class, of
    a method that makes its objects, or in the one place where a function returns; what its own
    initialiser makes."""
    found = callees(machine, place, node)
    callee = found[0] if len(found) == 1 else None
    func = None if callee is None else plain_function(callee)
    if func is not None and func.owner is None and depth:
        returns = returns_of(func.node)
        made = returns[0].value if len(returns) == 1 else None
        if isinstance(made, ir.Call) and not func.node.decorators:
            inner = Place(func.frame, func.node)
            yield from _parts_of(machine, cls, inner, made, depth - 1)
        return
    init = cls.find("__init__") if callee == cls else None
    if isinstance(init, Function) and init.node.params:
        yield from _set_by(init)
        return
    names = [*cls.fields] if callee == cls and cls.find("__init__") is None else []
    for at, argument in enumerate(node.args):
        if argument.star:
            return
        is_plain = argument.keyword is None and at < len(names)
        name = names[at] if is_plain else argument.keyword
        if name is not None:
            yield name, place, argument.value


def _set_by(init: Function) -> Iterator[tuple[str, Place, ir.Expr]]:
    """What an initialiser makes for fields, whatever it is given."""
    own = init.node.params[0].name
    for statement in init.node.body:
        for target, value in each_assigned(statement):
            if value is not None and (name := attribute_of(target, own)):
                yield name, Place(init.frame, init.node), value

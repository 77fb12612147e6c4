"""`functools.singledispatch`: what it makes, and what is registered with it.

Source: the documentation of the standard library, `functools.singledispatch`.
"""

from __future__ import annotations

from typing import Final

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import Sequence, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

DISPATCHER: Final = "functools.singledispatch"
REGISTER: Final = "functools.singledispatch(...).register(...)"
"""What a decorator is that names a class."""


def dispatcher(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`singledispatch(func)`: the function that runs for any class, and what others run for."""
    func = args.get(0, "func")
    if func is None:
        return machine.unknown("dispatch of an unknown function")
    cases = Sequence("list", [], frame.trace)
    return FrameworkObject(DISPATCHER, Args([func, cases]), node, frame.trace)


def registered(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The function that a decorator with a class takes, which stays what it is."""
    owner, cls, func = (args.get(at, "") for at in range(3))
    if not isinstance(owner, FrameworkObject) or cls is None or func is None:
        return machine.unknown("dispatch of an unknown function")
    return add(machine, owner, cls, func)


def add(machine: Machine, owner: FrameworkObject, cls: Value, func: Value) -> Value:
    """Registers a function for a class."""
    cases = owner.given(1, "")
    if isinstance(cases, Sequence) and cases.items is not None:
        machine.alters(cases)
        cases.items = [*cases.items, Sequence("tuple", [cls, func], cases.born)]
    return func


TABLE = {DISPATCHER: dispatcher, REGISTER: registered}

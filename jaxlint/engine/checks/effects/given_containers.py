"""Containers that a function or an object is given by code that is not there to be read, changed in
place by traced code.

`history.append(loss)` in a function that `jit` compiles, where `history` is a parameter of the host
code around it, or `self.history.append(loss)` where a constructor was given it. Nothing is known of
such a container, but it was made before the trace: what it is given leaks out of the trace if it is
a tracer, and is stored once for each trace if not.

Source: JAX documentation, "The Sharp Bits", section "Pure functions".
"""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import leaks
from jaxlint.engine.domain.values import (
    Function,
    Instance,
    NonNone,
    Perhaps,
    Static,
    Unknown,
    Value,
)
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# Methods that lists have and few objects of other kinds.
_ADDING = frozenset({"append", "appendleft"})


def called(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    """`history.append(value)`."""
    if frame.trace.is_host or not isinstance(func, Unknown) or not isinstance(node, ir.Call):
        return
    method = node.func
    if isinstance(method, ir.Attribute) and method.attr in _ADDING and len(args.positional) == 1:
        _note(machine, frame, node, method.value, args.positional[0], method.attr)


def stored(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: Unknown,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`counts["steps"] += 1`: what has items that go by words is no array."""
    is_word = isinstance(index, Static) and isinstance(index.const, str)
    if is_word and not frame.trace.is_host:
        _note(machine, frame, target, target.value, value, how)


def _note(
    machine: Machine, frame: Frame, node: ir.Expr, owner: ir.Expr, value: Value, how: str
) -> None:
    maker = _giver(machine, frame, owner)
    if maker is None or id(maker) in machine.program.traced:
        return
    text = dotted_text(owner)
    if not machine.matters(frame, value, how, text, local=False):
        return
    tracer = leaks(value)
    is_attribute = isinstance(owner, ir.Attribute)
    fact = facts.Stored(
        machine.module,
        node,
        frame.name,
        frame.trace.entry,
        None if tracer is None else tracer.trail,
        place="attribute" if is_attribute else "container",
        target=text,
        how=how,
        owner=dotted_text(owner.value) if isinstance(owner, ir.Attribute) else text,
    )
    machine.emit(fact, unsure=True)


def _giver(machine: Machine, frame: Frame, owner: ir.Expr) -> ir.FunctionDef | None:
    """The host function one of whose parameters a container is, None for another thing."""
    if isinstance(owner, ir.Name):
        scope: Frame | None = frame
        while scope is not None and owner.id not in scope.bound:
            scope = scope.parent
        return None if scope is None else _having(scope, owner.id)
    if isinstance(owner, ir.Attribute) and isinstance(owner.value, ir.Name):
        with machine.quiet():
            held = machine.eval(frame, owner.value)
        if isinstance(held, Instance) and _is_plain(held):
            init = held.cls.find("__init__")
            own = init.node if isinstance(init, Function) else None
            return own if own is not None and _keeps(own, owner.attr) else None
    return None


def _having(scope: Frame, name: str) -> ir.FunctionDef | None:
    """The function of a host scope whose parameter a name is and stays."""
    func = scope.func
    if func is None or not scope.trace.is_host or scope.kind != "function":
        return None
    is_bound = any(name in bound_names(one) for one in walk(func.body))
    is_param = any(one.name == name and one.kind != "vararg" for one in func.params)
    return func if is_param and not is_bound else None


def _is_plain(held: Instance) -> bool:
    """Whether an object is of the host, and of no framework's class."""
    return held.generic and held.born.is_host and not held.cls.tree and not held.cls.externals()


def _keeps(init: ir.FunctionDef, attr: str) -> bool:
    """Whether an initialiser sets an attribute to one of its parameters."""
    params = {param.name for param in init.params[1:]}
    return any(
        isinstance(one, ir.Assign)
        and isinstance(one.value, ir.Name)
        and one.value.id in params
        and any(isinstance(it, ir.Attribute) and it.attr == attr for it in one.targets)
        for one in walk(init.body)
    )


CHECK = Check(
    "given-containers",
    on_call=called,
    on_item_store=(Typed(stored, (NonNone, Perhaps, Unknown)),),
)

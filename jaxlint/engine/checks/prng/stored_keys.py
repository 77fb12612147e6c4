"""Keys that objects hold, and that a method uses up and leaves as they are: each call of the method
draws the same numbers.

A method whose draws depend on nothing that it is given may be meant to give one thing each time,
such as a random projection of what it is given: then only calls that are alike count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import bound_names, chain_text, free_in, walk
from jaxlint.dataflow.steady_attributes import changing, keeps
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.prng import key_reuse
from jaxlint.engine.checks.prng.syntactic_summary import foreseen
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Bound, Function, LibraryName, Transformed, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

STORED = "stored key"
_PLAIN = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt, ir.For, ir.Return, ir.With)
_PARTIAL = (ir.BoolOp, ir.IfExp, ir.Lambda, ir.FunctionDef, ir.If, ir.Try)
_LOOPS = (ir.For, ir.While, ir.Comprehension)


@slotted(frozen=True)
class _Stored:
    """A method uses the key in the attribute `attr` up. What it draws has the shape of what it is
    given, or is of it, if it `follows` its arguments."""

    attr: str
    follows: bool


_KNOWN: PerRun[dict[int, _Stored | None]] = PerRun(dict)


def _called(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    if not isinstance(func, Bound) or not frame.trace.is_host or not isinstance(node, ir.Call):
        return
    method = func.func
    if not isinstance(method, Function) or not isinstance(node.func, ir.Attribute):
        return
    text = chain_text(node.func.value)
    if not text or machine.dynamic.idle:
        return
    _renew(machine, method, text)
    stored = _stored(machine, method)
    if stored is None or isinstance(layout(machine.module.body).around(node), ir.ExprStmt):
        return
    home = frame.home()
    body = machine.module.body if home.func is None else home.func.body
    loop = layout(machine.module.body).innermost(node, _LOOPS)
    subject = f"{text}.{stored.attr}"
    if loop is not None and _repeats(loop, node, method, text, stored):
        fact = key_reuse.fact_of(
            machine, frame, node, "loop", subject, f"{text}.{method.node.name}", possible=True
        )
        key_reuse.emit(machine, frame, fact)
    elif len(bindings(body).get(text.partition(".")[0], ())) <= 1:
        _judge_again(machine, frame, node, method, subject, stored)


def _judge_again(
    machine: Machine, frame: Frame, node: ir.Call, method: Function, subject: str, stored: _Stored
) -> None:
    """A method is called that uses up a key, which may have been used up."""
    place = f"{subject} {method.node.name}"
    used = typestate.marked(machine, STORED, place)
    if used is None:
        typestate.mark(machine, frame, STORED, place, node)
        return
    if used.node is node:
        return
    same = [key_reuse.text_of(machine, one) for one in (used.node, node)]
    if stored.follows or same[0] == same[1]:
        callee = method.node.name
        key_reuse.clash(machine, frame, node, subject, used, "reuse", callee, False)


def _renew(machine: Machine, method: Function, text: str) -> None:
    """A method may set the keys that its object holds."""
    for kind, subject in [*typestate.current(machine, typestate.OWN).marks]:
        if kind == STORED and str(subject).startswith(f"{text}."):
            attr = str(subject).rpartition(".")[2].partition(" ")[0]
            if not keeps(method.node, attr, method.frame.root.module):
                typestate.unmark(machine, STORED, subject)


# -- what a method does --------------------------------------------------------------------------


def _stored(machine: Machine, method: Function) -> _Stored | None:
    known = _KNOWN.of(machine)
    if id(method.node) not in known:
        known[id(method.node)] = None
        known[id(method.node)] = _found(machine, method)
    return known[id(method.node)]


def _found(machine: Machine, method: Function) -> _Stored | None:
    node = method.node
    if not node.params or method.owner is None or node.name.lstrip("_").startswith("init"):
        return None
    own, module = node.params[0].name, method.frame.root.module
    for call, place in _candidates(node, own):
        attr = attribute_of(place, own)
        if _consumes(machine, method, call, place) and keeps(node, attr, module):
            return _Stored(attr, _follows(machine, method))
    return None


def _candidates(node: ir.FunctionDef, own: str) -> Iterator[tuple[ir.Call, ir.Expr]]:
    """The calls that a method makes in any case, with the attributes that they are given."""
    for statement in node.body:
        if isinstance(statement, _PLAIN):
            for one in walk(statement, _PARTIAL):
                for given in one.args if isinstance(one, ir.Call) else ():
                    if attribute_of(given.value, own):
                        yield one, given.value
        elif any(isinstance(one, (ir.Return, ir.Raise)) for one in walk(statement)):
            return


def _consumes(machine: Machine, method: Function, call: ir.Call, place: ir.Expr) -> bool:
    """Whether a call uses up the key that it is given."""
    at = next((n for n, one in enumerate(call.args) if one.value is place and not one.star), -1)
    name = call.args[at].keyword if at >= 0 else None
    func = _sampler(machine, method, call)
    if isinstance(func, LibraryName):
        is_key = name == "key" or at == 0
        return is_key and not func.dotted.endswith(("fold_in", "clone", "key_data"))
    if func is None or at < 0:
        return False
    params = [one.name for one in func.node.params]
    name = name or (params[at] if at < len(params) else "")
    return name in foreseen(machine, func)


def _sampler(machine: Machine, method: Function, call: ir.Call) -> LibraryName | Function | None:
    """What a call calls, if that uses up a key that it is given."""
    func = peek(machine, method.frame, call.func) if is_chain(call.func) else None
    if isinstance(func, LibraryName):
        spec = lookup.function(lookup.canonical(func.dotted))
        return func if spec is not None and spec.keys == ("key",) else None
    inner = plain_function(func) if isinstance(func, (Function, Transformed)) else None
    if inner is None or inner.owner is not None:
        return None
    return inner if foreseen(machine, inner) else None


def _follows(machine: Machine, method: Function) -> bool:
    """Whether a method draws something of what it is given, or of its shape."""
    names = {param.name for param in method.node.params[1:]}
    return any(
        isinstance(one, ir.Call)
        and bool(names & _given(one))
        and _sampler(machine, method, one) is not None
        for one in walk(method.node.body)
    )


# -- loops ---------------------------------------------------------------------------------------


def _repeats(loop: Any, node: ir.Call, method: Function, text: str, stored: _Stored) -> bool:
    """Whether each iteration calls the method of one object, which nothing in the loop changes."""
    body = loop.element if isinstance(loop, ir.Comprehension) else loop.body
    if not any(one is node for one in walk(body)):
        return False
    bound = {name for one in walk(loop) for name in bound_names(one)}
    for clause in loop.clauses if isinstance(loop, ir.Comprehension) else ():
        bound |= free_in(clause.target)
    root = text.partition(".")[0]
    if root in bound or not (stored.follows or bound.isdisjoint(_given(node))):
        return False
    return _is_left_alone(body, root, text, method, stored)


def _given(node: ir.Call) -> set[str]:
    return {name for one in node.args for name in free_in(one.value)}


def _is_left_alone(body: Any, root: str, text: str, method: Function, stored: _Stored) -> bool:
    """Whether code uses an object for nothing but its attributes and methods that leave the key
    alone."""
    parts: set[int] = set()
    module = method.frame.root.module
    for one in walk(body):
        if isinstance(one, ir.Attribute) and isinstance(one.value, ir.Name):
            parts.add(id(one.value))
        if isinstance(one, ir.Attribute) and chain_text(one.value) == text:
            changed = one.attr != method.node.name and one.attr in changing(module, stored.attr)
            if changed or one.attr == stored.attr:
                return False
        elif isinstance(one, ir.Name) and one.id == root and id(one) not in parts:
            return False
    return True


CHECK = Check("stored-keys", on_call=_called)

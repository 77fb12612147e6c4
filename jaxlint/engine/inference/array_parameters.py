"""Parameters of which nothing is known but what the code around says of them: their annotation, or
what the function does with them, makes arrays of them."""

from __future__ import annotations

from jaxlint.dataflow.array_evidence import array_names
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, Traced, Unknown, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.parameters import annotated_value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir


def is_array_parameter(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> bool:
    """Whether a name stands for a parameter that is an array, whoever calls the function."""
    if not isinstance(node, ir.Name) or not _is_open(value):
        return False
    home = frame.binder(node.id)
    func = None if home is None else home.func
    param = None if func is None else _parameter(func, node.id)
    if home is None or func is None or param is None:
        return False
    if node.id in array_names(func, home.root.module):
        return True
    return param.annotation is not None and _is_promised(machine, home, func, param)


def is_named_alike(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, func: Value
) -> bool:
    """Whether a parameter without an annotation goes by a name under which a function takes an
    array: as its first argument, or where it hands that on to another function."""
    plain = plain_function(func)
    if not isinstance(node, ir.Name) or not _is_open(value) or plain is None:
        return False
    home, name = frame.binder(node.id), node.id
    around = None if home is None or home.func is None else _parameter(home.func, name)
    if around is None or around.annotation is not None or not plain.node.params:
        return False
    first, module = plain.node.params[0].name, plain.frame.root.module
    if first == name and name in array_names(plain.node, module):
        return True
    return any(
        name in _taken(machine, plain, node, first)
        for node in walk(plain.node.body)
        if isinstance(node, ir.Call)
    )


def default_of(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> Value | None:
    """The tuple or list of numbers that a parameter of which nothing else is known has by
    default."""
    if not isinstance(node, ir.Name) or not _is_open(value):
        return None
    home = frame.binder(node.id)
    param = None if home is None or home.func is None else _parameter(home.func, node.id)
    around = None if home is None else home.enclosing()
    default = None if param is None else param.default
    if around is None or not isinstance(default, ir.Sequence):
        return None
    with machine.quiet():
        return machine.eval(around, default)


def _taken(machine: Machine, func: Function, call: ir.Call, name: str) -> set[str]:
    """The array parameters of another function that a call hands a name on to."""
    called = peek(machine, func.frame, call.func) if isinstance(call.func, ir.Name) else None
    if not isinstance(called, Function) or called.node is func.node:
        return set()
    arrays = array_names(called.node, called.frame.root.module)
    params = iter([one.name for one in called.node.params])
    found = set()
    for one in call.args:
        if one.star:
            break
        taken = one.keyword or next(params, "")
        if isinstance(one.value, ir.Name) and one.value.id == name and taken in arrays:
            found.add(taken)
    return found


def _is_open(value: Value) -> bool:
    """Whether a value may be an array as well as a container."""
    if isinstance(value, Unknown):
        return value.reason == "host parameter"
    return isinstance(value, Traced) and not value.leaf


def _parameter(func: ir.FunctionDef, name: str) -> ir.Param | None:
    plain = (one for one in func.params if one.kind not in ("vararg", "kwarg"))
    return next((one for one in plain if one.name == name), None)


def _is_promised(machine: Machine, home: Frame, func: ir.FunctionDef, param: ir.Param) -> bool:
    """Whether an annotation promises an array."""
    around = home.enclosing()
    if around is None or param.default is not None:
        return False
    entry = TraceEntry(func, Application(EntryKind.OTHER), func.name)
    made = Traced(Provenance(param, None, entry), leaf=False)
    value = annotated_value(machine, Function(func, around, {}), param, made, home.trace)
    return isinstance(value, Traced) and value.leaf and not value.weak

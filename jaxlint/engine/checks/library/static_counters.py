"""Counters in the static part of a pytree: `state.replace(step=state.step + 1)` with a `step` that
is auxiliary data. It is part of the key of compiled programs, so that each step has its own."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import CONSTRUCTORS, dotted_text, walk
from jaxlint.engine.domain.values import Class
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.host.purity import REPLACING_METHODS
from jaxlint.syntax import ir

# Functions that copy an object, as they are imported.
_REPLACING = frozenset({"copy.replace", "dataclasses.replace", "replace"})


def judge(
    machine: Machine, cls: Class, static: set[str], params: list[str], place: ir.Node | None = None
) -> None:
    """Reports the counters of a class among its static attributes: at the place that makes them
    static, else where they count. `params` are the names that its constructor takes by position."""
    counts = () if cls.node is None else _counts(cls.node, tuple(params))
    found = next(((name, node) for name, node in counts if name in static), None)
    if found is not None:
        at = found[1] if place is None else place
        misused(machine, (cls.name, None), at, "pytree-counter", cls.name, found[0])


def finished(machine: Machine) -> None:
    """Judges the dataclasses of the file that are pytrees."""
    for cls in machine.program.classes:
        if cls.home is machine.globals and cls.tree == "leaves" and cls.meta and cls.generates:
            judge(machine, cls, {*cls.meta}, [*cls.fields])


@answered_once
def _counts(cls: ir.ClassDef, params: tuple[str, ...]) -> tuple[tuple[str, ir.Expr], ...]:
    """The attributes that methods count up, and where they do."""
    methods = [one for one in cls.body if isinstance(one, ir.FunctionDef) and one.params]
    return tuple(
        found
        for method in methods
        if method.name not in CONSTRUCTORS
        for one in walk(method.body)
        for found in _counted_by(cls, method, one, params)
    )


def _counted_by(
    cls: ir.ClassDef, method: ir.FunctionDef, node: ir.Node, params: tuple[str, ...]
) -> Iterator[tuple[str, ir.Expr]]:
    own = method.params[0].name
    if isinstance(node, ir.AugAssign):
        attr = attribute_of(node.target, own)
        if attr and node.op in "+-" and _is_number(node.value):
            yield attr, node.target
    if not isinstance(node, ir.Call):
        return
    names: tuple[str, ...] = ()
    if _makes(node, cls.name, own):
        names = params
    elif not _copies(node, own):
        return
    plain = [one for one in node.args if not one.keyword]
    given = [*zip(names, (one.value for one in plain if not one.star), strict=False)]
    given += [(one.keyword, one.value) for one in node.args if one.keyword]
    for name, value in given:
        if _is_next(method, value, own, name):
            yield name, value


def _makes(call: ir.Call, name: str, own: str) -> bool:
    """Whether a call makes another object of the class."""
    func = call.func
    if isinstance(func, ir.Call):
        return dotted_text(func.func) == "type" and [dotted_text(a.value) for a in func.args] == [
            own
        ]
    return dotted_text(func) in (name, f"{own}.__class__")


def _copies(call: ir.Call, own: str) -> bool:
    """Whether a call makes a changed copy of the object of the method."""
    func = call.func
    if dotted_text(func) in _REPLACING and not dotted_text(func).startswith(f"{own}."):
        return bool(call.args) and dotted_text(call.args[0].value) == own
    return isinstance(func, ir.Attribute) and (
        func.attr in REPLACING_METHODS and dotted_text(func.value) == own
    )


def _is_next(method: ir.FunctionDef, value: ir.Expr, own: str, name: str) -> bool:
    """Whether a value is what an attribute was, and a number more."""
    if isinstance(value, ir.Name):
        bound = bindings(method.body).get(value.id, [])
        value = bound[0] if len(bound) == 1 and bound[0] is not None else value
    if not isinstance(value, ir.BinOp) or value.op not in "+-":
        return False
    return attribute_of(value.left, own) == name and _is_number(value.right)


def _is_number(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and type(node.value) in (int, float)


CHECK = Check("static-counters", on_finish=finished)

"""Statements that throw away what they compute.

JAX arrays never change, and JAX's functions change nothing else: an update of an array, a
conversion, a map over a tree do nothing unless somebody takes their result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from jaxlint import facts
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.effects.changed_copies import only_copies
from jaxlint.engine.checks.effects.purity import is_pure, is_pure_name, is_update
from jaxlint.engine.checks.immutability import references
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.values import (
    Bound,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Method,
    Sequence,
    Traced,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import returns_of
from jaxlint.engine.inference.occasions import reads_clock
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.purity import (
    BODIES,
    CALLBACK,
    GIVING,
    IN_PLACE_METHODS,
    INDEX_UPDATES,
    REPLACING,
    REPLACING_METHODS,
    UPDATES,
)
from jaxlint.syntax import ir

_ARRAYS = (Traced, Concrete)
_DEEPEST = 2
# Updates of that name exist for no other object that is indexed by `.at[...]`.
_TELLING = UPDATES - {"get"}
# Functions that copy any object, and the method by which records do: no other object has one.
_COPYING = frozenset({"copy.replace", "dataclasses.replace"})
_OF_RECORDS = "_replace"
# What states of training take by names alone; a class of the project may define it otherwise.
_OF_STATES = frozenset({"apply_gradients"})
# Code that computes for the time that it takes, or to see whether it raises.
_MEASURES = re.compile(r"bench|time|timing|warm|compil|profil|smoke|check|valid", re.IGNORECASE)


def statement(machine: Machine, frame: Frame, node: ir.ExprStmt, value: Value) -> None:
    """An expression is evaluated for nothing but its effects."""
    if _is_shown(frame, node):
        return
    whole = node.value
    for call in _calls(whole):
        result = value if call is whole else None
        if not _update(machine, frame, call, result) and isinstance(whole, ir.Call):
            _function(machine, frame, call, value)


def unnamed(machine: Machine, frame: Frame, node: ir.Assign, value: Value) -> None:
    """`_ = x.at[i].set(v)`: what is bound to `_` is not meant to be used."""
    target = node.targets[0]
    if isinstance(target, ir.Name) and target.id == "_" and isinstance(node.value, ir.Call):
        _update(machine, frame, node.value, value)


def _is_shown(frame: Frame, node: ir.ExprStmt) -> bool:
    """Whether who evaluates a file piece by piece sees the value: the last one of a cell."""
    module = frame.module
    if module is None or frame.kind != "module":
        return False
    if node is module.body[-1]:
        return True
    if not _has_cells(module) or node not in module.body:
        return False
    following = module.body.index(node) + 1
    first, last = module.locate(node).end_line, module.locate(module.body[following]).line
    between = module.source.lines[first : last - 1]
    return any(_CELL.match(line) for line in between)


@answered_once
def _has_cells(module: ir.Module) -> bool:
    return any(_CELL.match(line) for line in module.source.lines)


_CELL = re.compile(r"#\s*(?:%%|\+|-\s*$|In\s*\[)")


def _calls(node: ir.Expr) -> Iterator[ir.Call]:
    """The calls whose results an expression statement gives up."""
    if isinstance(node, ir.Call):
        yield node
    elif isinstance(node, ir.IfExp):
        yield from _calls(node.body)
        yield from _calls(node.orelse)
    elif isinstance(node, ir.BoolOp):
        yield from _calls(node.values[-1])
    elif isinstance(node, ir.Sequence):
        for item in node.items:
            yield from _calls(item)
    elif isinstance(node, ir.Comprehension) and node.kind != "generator":
        yield from _calls(node.element)


# -- updates -----------------------------------------------------------------------------------


def _update(machine: Machine, frame: Frame, node: ir.Call, value: Value | None) -> bool:
    """Reports `x.at[i].set(v)`, and says whether the call looks like that."""
    func = node.func
    if not (isinstance(func, ir.Attribute) and func.attr in UPDATES):
        return False
    at = func.value.value if isinstance(func.value, ir.Subscript) else None
    if not (isinstance(at, ir.Attribute) and at.attr == "at"):
        return False
    base = at.value
    held = peek(machine, frame, base) if is_chain(base) else value
    if _is_reference(machine, base, held):
        return True
    if isinstance(held, Union):
        held = next((o for o in held.options if not isinstance(o, _ARRAYS)), held.options[0])
    sure = isinstance(held, _ARRAYS)
    if sure or ((held is None or isinstance(held, Unknown)) and func.attr in _TELLING):
        unsure = not sure or _is_measured(machine, frame)
        text = dotted_text(base)
        misused(machine, frame, node, "update-discarded", text, func.attr, unsure=unsure)
    return True


def _is_reference(machine: Machine, base: ir.Expr, held: Value | None) -> bool:
    """Whether what is updated may be a reference, of which `set` changes the array."""
    if held is not None and not isinstance(held, Unknown):
        return references.may_be(machine, held)
    return references.is_name(dotted_text(base)) or references.has_references(machine)


# -- functions ---------------------------------------------------------------------------------


def _function(machine: Machine, frame: Frame, node: ir.Call, value: Value) -> None:
    func = peek(machine, frame, node.func)
    called = node.func
    if isinstance(called, ir.Attribute) and isinstance(called.value, (ir.BinOp, ir.UnaryOp)):
        func = Method(value, called.attr, called)
    sure = _gives_changed(machine, frame, node, func, value)
    if sure is not None:
        if not _is_measured(machine, frame):
            misused(machine, frame, node, "result-discarded", dotted_text(called), unsure=not sure)
    elif isinstance(func, Method):
        _method(machine, frame, node, func)
    elif isinstance(func, (Bound, Function)) and _is_of_project(machine, frame, called, func):
        gives = _gives_arrays(value) or _gives_copy(machine, func)
        if gives and not _is_measured(machine, frame):
            misused(machine, frame, node, "result-discarded", dotted_text(called))
    elif isinstance(func, LibraryName):
        _library(machine, frame, node, lookup.canonical(func.dotted))


def _gives_changed(
    machine: Machine, frame: Frame, node: ir.Call, func: Value | None, value: Value
) -> bool | None:
    """Whether a call surely gives a changed copy of an object and does nothing else; None where
    it does not seem so."""
    if _is_replacement(machine, frame, node.func, func, value):
        return True
    copies, is_known = only_copies(machine, frame, node.func)
    if _replaces_any(node, func) and copies is not False:
        return isinstance(value, Instance)
    return is_known if copies and (is_known or not _is_tried(machine, frame, node)) else None


def _is_tried(machine: Machine, frame: Frame, node: ir.Expr) -> bool:
    """Whether code runs in a context, or where it may raise: it may be run to be seen."""
    own = frame.home().func
    within = takewhile(lambda one: one is not own, layout(machine.module.body).outward(node))
    return any(isinstance(one, (ir.With, ir.Try)) for one in within)


def _is_of_project(machine: Machine, frame: Frame, called: ir.Expr, func: Bound | Function) -> bool:
    """Whether a function without effects is called that nothing else stands for: what a method
    calls of its own object, heirs may define anew. What runs in a context, or at the top of a
    script, may be run to be seen."""
    plain = func.func if isinstance(func, Bound) else func
    own = frame.home().func
    if own is None or not isinstance(plain, Function) or plain.node.decorators:
        return False
    root = dotted_text(called).partition(".")[0]
    if isinstance(func, Bound) and own.params and root == own.params[0].name:
        return False
    if _is_tried(machine, frame, called):
        return False
    return all(one.value is not None for one in returns_of(plain.node)) and is_pure(machine, func)


def _gives_copy(machine: Machine, func: Bound | Function) -> bool:
    """Whether a function returns what JAX or a library makes: an array, a changed copy."""
    plain = func.func if isinstance(func, Bound) else func
    if not isinstance(plain, Function):
        return False
    calls = [one.value.func for one in returns_of(plain.node) if isinstance(one.value, ir.Call)]
    return bool(calls) and all(_makes_new(machine, plain.frame, one) for one in calls)


def _makes_new(machine: Machine, frame: Frame, func: ir.Expr) -> bool:
    """Whether a function is one of JAX's that make arrays, an update, or one that copies."""
    if is_update(func):
        return True
    made = peek(machine, frame, func)
    if not isinstance(made, LibraryName):
        return False
    return made.dotted in REPLACING or made.dotted in BODIES or is_pure_name(made.dotted)


def _gives_arrays(value: Value) -> bool:
    """Whether a result is made of arrays."""
    found = [*walk_values(value, parts, _DEEPEST)]
    return any(isinstance(one, (*_ARRAYS, OpaqueArray)) for one in found)


def _is_replacement(
    machine: Machine, frame: Frame, called: ir.Expr, func: Value | None, value: Value
) -> bool:
    """Whether a call makes a changed copy of an object, by a function or a method of a library. A
    parameter of compiled code is a copy itself: whatever changes it changes nothing outside."""
    if isinstance(func, LibraryName) and (
        isinstance(value, Instance) or func.dotted.startswith("equinox.")
    ):
        return func.dotted in REPLACING
    if not (isinstance(called, ir.Attribute) and called.attr in REPLACING_METHODS):
        return False
    owner = peek(machine, frame, called.value)
    if isinstance(owner, Traced) and not owner.leaf:
        return isinstance(called.value, ir.Name)
    if not (isinstance(value, Instance) and isinstance(owner, Instance)):
        return False
    if owner.cls != value.cls or owner is value:
        return False
    return owner.cls.find(called.attr) is None


def _replaces_any(node: ir.Call, func: Value | None) -> bool:
    """Whether a call names what a changed copy gets, of an object that need not be known: the
    functions that make copies change no object."""
    is_named = any(one.keyword for one in node.args)
    is_copy = isinstance(func, LibraryName) and func.dotted in _COPYING
    name = node.func.attr if isinstance(node.func, ir.Attribute) else ""
    is_record = name == _OF_RECORDS or (name in _OF_STATES and all(o.keyword for o in node.args))
    is_open = func is None or isinstance(func, Unknown)
    return is_named and (is_copy or (is_record and is_open))


def _library(machine: Machine, frame: Frame, node: ir.Call, dotted: str) -> None:
    text = dotted_text(node.func)
    if dotted in GIVING:
        if not _is_measured(machine, frame) and not _is_tried(machine, frame, node):
            misused(machine, frame, node, "result-discarded", text)
    elif not dotted.startswith("jax."):
        return
    elif dotted in INDEX_UPDATES:
        misused(machine, frame, node, "update-discarded", text)
    elif dotted in CALLBACK:
        if machine.is_staged(frame):
            machine.emit(
                facts.HostCallback(
                    machine.module,
                    node,
                    frame.name,
                    frame.trace.entry,
                    kind="unused",
                    name=text,
                    callee=text,
                )
            )
    elif dotted in BODIES:
        if not _is_measured(machine, frame) and _bodies_are_pure(machine, frame, node, dotted):
            misused(machine, frame, node, "result-discarded", text)
    elif is_pure_name(dotted) and not _is_measured(machine, frame):
        known = [_given(machine, frame, argument.value) for argument in node.args]
        if any(isinstance(one, (*_ARRAYS, Mapping, Sequence, Instance)) for one in known):
            misused(machine, frame, node, "result-discarded", text)


def _method(machine: Machine, frame: Frame, node: ir.Call, func: Method) -> None:
    """A method of an array that gives a new array."""
    array = isinstance(func.owner, _ARRAYS) and func.name not in IN_PLACE_METHODS
    if not array or _is_measured(machine, frame):
        return
    spec = lookup.method(func.name)
    sure = isinstance(func.owner, Concrete) or (isinstance(func.owner, Traced) and func.owner.leaf)
    if spec is not None and sure:
        misused(machine, frame, node, "result-discarded", dotted_text(node.func))


def _bodies_are_pure(machine: Machine, frame: Frame, node: ir.Call, dotted: str) -> bool:
    """Whether the functions that a call runs have no effects."""
    plain = [argument.value for argument in node.args if not argument.star]
    found = [plain[at] for at in BODIES[dotted] if at < len(plain)]
    if len(plain) < len(node.args) or len(found) < len(BODIES[dotted]):
        return False
    params = () if frame.func is None else frame.func.params
    if any(isinstance(one, ir.Name) and one.id in {p.name for p in params} for one in found):
        return False  # Other callers may pass others.
    return all(is_pure(machine, _given(machine, frame, one)) for one in found)


def _given(machine: Machine, frame: Frame, node: ir.Expr) -> Value | None:
    """An argument, where that is known without running more."""
    if isinstance(node, ir.Lambda):
        return Function(node.function, frame, {})
    if isinstance(node, ir.Sequence):
        parts = [_given(machine, frame, item) for item in node.items]
        return next((part for part in parts if isinstance(part, _ARRAYS)), None)
    return peek(machine, frame, node)


def _is_measured(machine: Machine, frame: Frame) -> bool:
    if machine.silences().caught or in_test(frame) or _MEASURES.search(frame.name) is not None:
        return True
    return frame.trace.is_host and reads_clock(frame)


CHECK = Check(
    "discarded-results",
    on_assignment=unnamed,
    on_discard=statement,
)

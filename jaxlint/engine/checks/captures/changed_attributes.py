"""Attributes of `self` that compiled methods read and that change after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.first_values import asks, runs_if_missing
from jaxlint.dataflow.names import assigned, dotted_text, free_in, walk
from jaxlint.engine.checks.captures.changes_elsewhere import (
    calls_of_fresh,
    changes_elsewhere,
    is_fresh,
)
from jaxlint.engine.checks.captures.staleness import (
    fact_of,
    goes_by_itself,
    is_made_per_call,
    is_set_up_by,
    parent_of,
    sets_module_up,
    statement_of,
)
from jaxlint.engine.domain.values import (
    Class,
    Descriptor,
    Function,
    Instance,
    Transformed,
    Unknown,
    is_none,
    options,
)
from jaxlint.engine.inference.construction import INITIALISERS, sets_up
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.knowledge.arrays.buffers import PARTS_KEPT
from jaxlint.syntax import ir

_DEPTH = 3
# When an attribute was written and where, by which functions, and the value.
Write = tuple[int, ir.Node, Any]


def of_attribute(
    machine: Machine,
    record: TransformUse,
    owner: Instance,
    name: str,
    node: ir.Node,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    """The changes of an attribute of `self` that a compiled method reads."""
    cls = owner.cls
    if cls.find("__hash__") is not None or cls.find("__eq__") is not None:
        return
    writes = [w for one in _kin(machine, owner) for w in one.writes.get(name, [])]
    if not _has_first_value(cls, name, writes):
        return
    found: list[ir.Node] = []
    certain = False
    for write in writes:
        tick, place, (stack, _) = write
        is_between = any(start < tick < end for start, end in spans)
        if _is_missed(machine, record, owner, write, spans, is_between):
            found.append(place)
            # What sets an object up may run before all else, as often as it likes.
            sets_it_up = any(map(is_set_up_by, stack))
            certain |= not sets_it_up and (is_between or _calls_within(record, stack))
    if found:
        part = _part_read(machine, node)
        if part and all(_carries_on(write) for write in writes if write[1] in found):
            if part in PARTS_KEPT:
                return
            certain = False  # The next state may keep this part of it.
        yield fact_of(machine, record, node, "self", name, tuple(found), not certain)
    elif not is_made_per_call(record):
        yield from _changed_elsewhere(machine, record, owner, name, node)


def _part_read(machine: Machine, node: ir.Node) -> str:
    """The attribute that code reads of an attribute, "" where it reads the whole."""
    around = parent_of(machine, node)
    is_part = isinstance(around, ir.Attribute) and around.value is node
    return around.attr if is_part and isinstance(around, ir.Attribute) else ""


def _carries_on(write: Write) -> bool:
    """Whether a write makes the next state of what the attribute held before."""
    _, place, (stack, _) = write
    statement = statement_of(stack[-1], place) if stack else None
    return statement is not None and isinstance(place, ir.Expr) and goes_by_itself(statement, place)


def _changed_elsewhere(
    machine: Machine, record: TransformUse, owner: Instance, name: str, node: ir.Node
) -> Iterator[facts.StaleCapture]:
    """The changes by code that is given an object such as this."""
    changes = [*changes_elsewhere(machine, owner, name)]
    for kind, inside in (("self", False), ("mutable", True)):
        places = tuple(one.node for one in changes if one.inside is inside)
        if places:
            yield fact_of(machine, record, node, kind, name, places, possible=True)


def _is_missed(
    machine: Machine,
    record: TransformUse,
    owner: Instance,
    write: Write,
    spans: list[tuple[int, int]],
    is_between: bool,
) -> bool:
    """Whether a program that was compiled before a write runs after it."""
    tick, place, (stack, _) = write
    if {func.name for func in stack} & INITIALISERS:
        return False
    if len(stack) > 1 and calls_of_fresh(stack[-2]).get(stack[-1].name, False):
        return False
    if is_made_per_call(record) and not is_between:
        return False
    if not _in_method(owner.cls, stack):
        if not is_between or (stack and is_fresh(stack[-1], place)):
            return False
        return _called_since_made(machine, record, place, tick, stack)
    first = min((start for start, _ in spans), default=0)
    is_early = tick < first or (not is_between and sets_module_up(machine, stack[-1]))
    is_first = id(stack[-1]) not in machine.program.repeated and is_early
    if is_first and not _comes_anytime(machine, record, place, stack):
        return False  # Called once, to set the object up or where nothing compiled misses it.
    own = sets_up(machine, record.frame.home().func)
    if own and not is_between and sets_up(machine, stack[-1]):
        return False  # Whoever makes another object compiles another function with it.
    if _gives_first_value(owner.cls, place, stack[-1]):
        compiled = plain_function(record.func)
        if not is_between or compiled is None or not asks(compiled.node.body, dotted_text(place)):
            return False  # Without it, the compiled function would have raised.
    is_over = _was_over(machine, record, tick, stack)
    return not is_over and not _compiles_anew(machine, record, owner, stack[-1])


def _gives_first_value(cls: Class, place: ir.Node, func: ir.FunctionDef) -> bool:
    """Whether a write only happens while the attribute holds nothing: it is tested around the write
    or around all calls of the method that writes it."""
    text = dotted_text(place)
    if runs_if_missing(func.body, place, text):
        return True
    called = f"{text.partition('.')[0]}.{func.name}"
    methods = (one for base in cls.lineage for one in base.namespace.values())
    calls = [
        runs_if_missing(method.node.body, one, text)
        for method in methods
        if isinstance(method, Function)
        for one in walk(method.node.body)
        if isinstance(one, ir.Call) and dotted_text(one.func) == called
    ]
    return bool(calls) and all(calls)


def _comes_anytime(
    machine: Machine, record: TransformUse, place: ir.Node, stack: tuple[ir.FunctionDef, ...]
) -> bool:
    """Whether a write that no visible call makes may come after calls of the compiled function: the
    moment of its run for any arguments tells nothing of that. It may if a method does nothing else,
    or if it goes by what the attribute held."""
    if any(id(func) in machine.program.called for func in stack):
        return False
    if not isinstance(place, ir.Expr):
        return False
    statement = statement_of(stack[-1], place)
    if statement is None:
        return False
    return goes_by_itself(statement, place) or (
        len(stack) == 1 and _is_setter(stack[0]) and not is_set_up_by(stack[0])
    )


def _is_setter(func: ir.FunctionDef) -> bool:
    """Whether all that a method does is to store what it is given."""
    params = {param.name for param in func.params[1:]}
    plain = [one for one in func.body if not isinstance(one, (ir.ExprStmt, ir.Return))]
    values = [assigned(one)[1] for one in plain]
    return bool(plain) and all(
        value is not None and not params.isdisjoint(free_in(value)) for value in values
    )


def _calls_within(record: TransformUse, stack: tuple[ir.FunctionDef, ...]) -> bool:
    """Whether a function on the stack calls the compiled one: its next call comes later."""
    return any(frame.home().func in stack for _, _, frame in record.calls)


def _was_over(
    machine: Machine, record: TransformUse, tick: int, stack: tuple[ir.FunctionDef, ...]
) -> bool:
    """Whether the module itself compiles a function behind its only call of what makes a change."""
    inner = {id(func) for func in stack[1:]}
    if record.frame.home().kind != "module" or tick > record.since:
        return False
    callers = {one for func in inner for one in machine.program.callers.get(func, ())}
    if not callers <= {id(func) for func in stack} or inner & machine.program.called_outside:
        return False
    return id(stack[0]) not in machine.program.repeated and sets_module_up(machine, stack[0])


def _kin(machine: Machine, owner: Instance) -> list[Instance]:
    """The objects that stand for a class, its bases and its subclasses."""
    found = [owner]
    for cls in machine.classes():
        one = cls.generic
        if (
            one is not None
            and one is not owner
            and cls != owner.cls
            and (cls.derives(owner.cls) or owner.cls.derives(cls))
        ):
            found.append(one)
    return found


def _has_first_value(cls: Class, name: str, writes: list[Write]) -> bool:
    """Whether the attribute means something before the write in question: None does not."""
    if name in cls.fields:
        default = cls.fields[name][1]
        return default is None or not is_none(default)
    inherited = cls.find(name)
    if inherited is not None and not isinstance(inherited, (Descriptor, Function, Unknown)):
        return not is_none(inherited)
    return any(
        {f.name for f in stack} & INITIALISERS and not is_none(value)
        for _, _, (stack, value) in writes
    )


def _in_method(cls: Class, stack: tuple[ir.FunctionDef, ...]) -> bool:
    if any(isinstance(v, Function) and v.node in stack for v in cls.namespace.values()):
        return True
    return bool(stack) and any(p.name == "self" for p in stack[-1].params[:1])


def _called_since_made(
    machine: Machine,
    record: TransformUse,
    place: ir.Node,
    tick: int,
    stack: tuple[ir.FunctionDef, ...],
) -> bool:
    """Whether the function was called after the changed object was bound to its name."""
    base = dotted_text(place).partition(".")[0]
    bound = [t for t, _ in machine.globals.writes.get(base, ()) if t < tick]
    if stack or not bound:
        return True
    return any(max(bound) < call[0] < tick for call in record.calls)


def _holds_compiled(owner: Instance, target: ir.Expr) -> bool:
    field = owner.fields.get(target.attr) if isinstance(target, ir.Attribute) else None
    return field is not None and any(isinstance(o, Transformed) for o in options(field))


def _compiles_anew(
    machine: Machine,
    record: TransformUse,
    owner: Instance,
    func: ir.FunctionDef,
    depth: int = _DEPTH,
) -> bool:
    """Whether a method jits again or drops what was compiled: then its changes are seen."""
    here = (r for r in machine.uses() if r.wrapper.compiles and r.frame.home().func is func)
    if any(_node(r) is _node(record) for r in here):
        return True
    for node in walk(func.body):
        targets = node.targets if isinstance(node, ir.Assign) else ()
        if isinstance(node, ir.AnnAssign):
            targets = (node.target,)
        if any(_holds_compiled(owner, target) for target in targets):
            return True
        if not (isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute)):
            continue
        if node.func.attr in ("clear_cache", "clear_caches"):
            return True
        called = owner.cls.find(node.func.attr) if depth else None
        if not isinstance(called, Function):
            continue
        if _compiles_anew(machine, record, owner, called.node, depth - 1):
            return True
    return False


def _node(record: TransformUse) -> ir.FunctionDef | None:
    plain = plain_function(record.func)
    return None if plain is None else plain.node

"""Captures that change: what compiled code reads while it is traced, and who changes it later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jaxlint.engine import facts
from jaxlint.engine.bindings import dotted_text, walk
from jaxlint.engine.machine import Machine, function_name
from jaxlint.engine.records import Record
from jaxlint.engine.state import Frame
from jaxlint.engine.trail import Entry
from jaxlint.engine.values import (
    Bound,
    Class,
    Descriptor,
    External,
    Function,
    Heap,
    Instance,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Transformed,
    Unknown,
    Value,
    is_none,
    options,
)
from jaxlint.syntax import ir

INITIALISERS = frozenset(
    {
        "__init__",
        "__post_init__",
        "setup",
        "__new__",
        "__setstate__",
        "__enter__",
        "build",
        "setUp",
        "setUpClass",
        "setup_method",
        "setup_class",
    }
)
_SETS_UP = ("init", "setup", "main", "configure", "test", "_init")
_DEPTH = 3

Change = tuple[int, ir.Node]


def entry_of(record: Record) -> Entry:
    """The entry that messages name for a compiled function."""
    node = record.definition or record.node
    return Entry(node, record.wrapper.phrase, function_name(record.func))


def frozen(machine: Machine, record: Record) -> Iterator[facts.Frozen]:
    """What a compiled function reads once and for all although it changes between calls."""
    ticks = [c[0] for c in record.calls]
    first, last = (min(ticks), max(ticks)) if ticks else (0, 0)
    for place, (node, value) in record.captures.items():
        owner, name = place
        if isinstance(owner, Instance):
            yield from _of_attribute(machine, record, owner, name, node, first, last)
        elif isinstance(owner, Frame):
            yield from _of_name(machine, record, owner, name, node, value, first, last)


def _between(changes: list[Change], first: int, last: int) -> tuple[ir.Node, ...]:
    return tuple(n for tick, n in changes if first < tick < last)


def _fact(
    machine: Machine,
    record: Record,
    node: ir.Node,
    kind: Any,
    name: str,
    changed: tuple[ir.Node, ...],
) -> facts.Frozen:
    return facts.Frozen(
        machine.module,
        node,
        function_name(record.func),
        entry_of(record),
        kind=kind,
        name=name,
        changed=changed,
    )


def _made_per_call(record: Record) -> bool:
    """Whether the compiled function lives in one call of a function: the next one traces anew."""
    return record.frame.home().kind == "function" and not record.escaped


# -- names -------------------------------------------------------------------------------------


def _of_name(
    machine: Machine,
    record: Record,
    owner: Frame,
    name: str,
    node: ir.Node,
    value: Value,
    first: int,
    last: int,
) -> Iterator[facts.Frozen]:
    if isinstance(value, (Function, External, Transformed, Bound, Partial)):
        return
    if isinstance(value, (Heap, NumPy, Class)) and not _is_generic(value):
        changes = _between(_changes(value), first, last)
        if changes:
            keys = _keys_read(machine, record, owner, name)
            changes = tuple(n for n in changes if _concerns(n, name, keys, value))
        if changes:
            yield _fact(machine, record, node, "mutable", name, changes)
    if isinstance(value, Class):
        return
    writes = owner.writes.get(name, [])
    changed = _between(writes, first, last)
    if owner.kind == "module":
        anytime = _anytime(machine, record, name) if len(writes) > 1 else ()
        if changed or anytime:
            yield _fact(machine, record, node, "global", name, changed or anytime)
    elif changed:
        yield _fact(machine, record, node, "closure", name, changed)


def _is_generic(value: Value) -> bool:
    return isinstance(value, Instance) and value.generic


def _changes(value: Value, depth: int = _DEPTH) -> list[Change]:
    """Changes of an object in place, those of the containers inside it included."""
    if not isinstance(value, (Heap, NumPy, Class)):
        return []
    found = list(value.changes)
    inner: Iterable[Value] = ()
    if isinstance(value, Mapping):
        inner = [*value.items.values(), *([value.element] if value.element else [])]
    elif isinstance(value, Sequence):
        inner = [*(value.items or ()), *([value.element] if value.element else [])]
    if depth:
        for one in inner:
            found.extend(_changes(one, depth - 1))
    return found


def _anytime(machine: Machine, record: Record, name: str) -> tuple[ir.Node, ...]:
    """Writes in functions that may run after the first call of the jitted one.

    A function that writes and then makes the jitted function prepares it.
    """
    if _made_per_call(record):
        return ()
    maker = record.frame.home().func
    return tuple(
        node
        for _, node, func in machine.global_writes.get(name, ())
        if func is not None and func is not maker and not func.name.lstrip("_").startswith(_SETS_UP)
    )


# -- parts of an object --------------------------------------------------------------------------


def _keys_read(
    machine: Machine, record: Record, owner: Frame, name: str
) -> frozenset[object] | None:
    """The constant keys and attributes under which traced code reads an object, None for all."""
    reads = {id(node) for node in record.reads.get((owner, name), ())}
    keys: set[object] = set()
    for node in walk(machine.module.body):
        base = getattr(node, "value", None)
        if id(base) in reads and isinstance(node, (ir.Subscript, ir.Attribute)):
            key = _key(node)
            if key is None:
                return None
            keys.add(key)
            reads.discard(id(base))
    return None if reads else frozenset(keys)


def _key(node: ir.Subscript | ir.Attribute) -> object | None:
    if isinstance(node, ir.Attribute):
        return None if node.attr in _WHOLE else node.attr
    return node.index.value if isinstance(node.index, ir.Const) else None


# Methods that read a whole container.
_WHOLE = frozenset(
    {
        "items",
        "keys",
        "values",
        "get",
        "copy",
        "index",
        "count",
        "sum",
        "mean",
        "pop",
        "T",
        "shape",
        "astype",
    }
)


def _concerns(change: ir.Node, name: str, keys: frozenset[object] | None, value: Value) -> bool:
    """Whether a change may be one of what is read: its key is not known to be another.

    Under another name than `name`, an object goes by the same attributes (`self`).
    """
    if keys is None:
        return True
    node: Any = (
        change.func.value
        if (isinstance(change, ir.Call) and isinstance(change.func, ir.Attribute))
        else change
    )
    while isinstance(node, (ir.Subscript, ir.Attribute)):
        if isinstance(node.value, ir.Name):
            if node.value.id != name and not isinstance(value, Instance):
                return True
            return _key(node) is None or _key(node) in keys
        node = node.value
    return True


# -- attributes of self ------------------------------------------------------------------------


def _of_attribute(
    machine: Machine,
    record: Record,
    owner: Instance,
    name: str,
    node: ir.Node,
    first: int,
    last: int,
) -> Iterator[facts.Frozen]:
    cls = owner.cls
    if cls.find("__hash__") is not None or cls.find("__eq__") is not None:
        return
    writes = [w for one in _kin(machine, owner) for w in one.writes.get(name, [])]
    if not _has_first_value(cls, name, writes):
        return
    per_call = _made_per_call(record)
    found: list[ir.Node] = []
    for tick, place, (stack, _) in writes:
        if {f.name for f in stack} & INITIALISERS:
            continue
        between = first < tick < last
        if per_call and not between:
            continue
        if not _in_method(cls, stack):
            if between and _called_since_made(machine, record, place, tick, stack):
                found.append(place)
        elif tick < first and id(stack[-1]) not in machine.repeated:
            continue  # Called once, to set the object up.
        elif not _compiles_anew(machine, owner, stack[-1]):
            found.append(place)
    if found:
        yield _fact(machine, record, node, "self", name, tuple(found))


def _kin(machine: Machine, owner: Instance) -> list[Instance]:
    """The objects that stand for a class, its bases and its subclasses."""
    found = [owner]
    for cls in machine.classes:
        one = cls.generic
        if (
            one is not None
            and one is not owner
            and (_derives(cls, owner.cls) or _derives(owner.cls, cls))
        ):
            found.append(one)
    return found


def _derives(cls: Class, base: Class) -> bool:
    return any(isinstance(b, Class) and (b is base or _derives(b, base)) for b in cls.bases)


def _has_first_value(cls: Class, name: str, writes: list[tuple[int, ir.Node, Any]]) -> bool:
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
    machine: Machine, record: Record, place: ir.Node, tick: int, stack: tuple[ir.FunctionDef, ...]
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
    machine: Machine, owner: Instance, func: ir.FunctionDef, depth: int = _DEPTH
) -> bool:
    """Whether a method jits again or drops what was compiled: then its changes are seen."""
    if any(r.frame.home().func is func for r in machine.records):
        return True
    for node in walk(func.body):
        if isinstance(node, ir.Assign) and any(_holds_compiled(owner, t) for t in node.targets):
            return True
        if not (isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute)):
            continue
        if node.func.attr in ("clear_cache", "clear_caches"):
            return True
        called = owner.cls.find(node.func.attr) if depth else None
        if isinstance(called, Function) and _compiles_anew(machine, owner, called.node, depth - 1):
            return True
    return False

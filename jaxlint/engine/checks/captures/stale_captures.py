"""Captures that change: what compiled code reads while it is traced, and who changes it later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import bound_names, dotted_text, free_in, parents, walk
from jaxlint.engine.checks.captures.program_lifetimes import Programs
from jaxlint.engine.checks.captures.rebinding import altering, keeps_static, traced_again
from jaxlint.engine.checks.captures.unread_stores import looked_at, only_kept
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traversal import elements, walk_values
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Descriptor,
    Function,
    Heap,
    Instance,
    LibraryName,
    NumPy,
    Partial,
    Transformed,
    Unknown,
    Value,
    is_none,
    options,
)
from jaxlint.engine.inference.construction import INITIALISERS, sets_up
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.facts.provenance import TraceEntry
from jaxlint.syntax import ir

_SETS_UP = ("init", "setup", "main", "configure", "test", "_init")
_DEPTH = 3

Change = tuple[int, ir.Node]


def entry_of(record: TransformUse) -> TraceEntry:
    """The entry that messages name for a compiled function."""
    node = record.definition or record.node
    return TraceEntry(node, record.wrapper.application, function_name(record.func))


def frozen(
    machine: Machine, programs: Programs, record: TransformUse
) -> Iterator[facts.StaleCapture]:
    """What a compiled function reads once and for all although it changes between calls."""
    if not record.captures:
        return
    spans = programs.spans(record)
    for place, (node, value) in record.captures.items():
        owner, name = place
        if isinstance(owner, Instance):
            yield from _of_attribute(machine, record, owner, name, node, spans)
        elif isinstance(owner, Frame) and value is not None:
            yield from _of_name(machine, record, owner, name, node, value, spans)


def _between(changes: list[Change], spans: list[tuple[int, int]]) -> tuple[ir.Node, ...]:
    return tuple(n for tick, n in changes if any(a < tick < b for a, b in spans))


def _fact(
    machine: Machine,
    record: TransformUse,
    node: ir.Node,
    kind: Any,
    name: str,
    changed: tuple[ir.Node, ...],
    possible: bool = False,
) -> facts.StaleCapture:
    return facts.StaleCapture(
        machine.sources.owner(node, machine.module),
        node,
        function_name(record.func),
        entry_of(record),
        kind=kind,
        name=name,
        changed=changed,
        possible=possible,
    )


def _made_per_call(record: TransformUse) -> bool:
    """Whether the compiled function lives in one call of a function: the next one traces anew.

    The programs of a function from outside are found again, whoever jits it.
    """
    home, func = record.frame.home(), record.func
    if isinstance(func, Function) and func.frame.home() is not home:
        return False
    return home.kind == "function" and not record.escaped


# -- names -------------------------------------------------------------------------------------


def _of_name(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    node: ir.Node,
    value: Value,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    if isinstance(value, Function) and owner.kind == "module":
        if rebound := _between(owner.writes.get(name, []), spans):
            yield _fact(machine, record, node, "helper", name, rebound)
            yield _fact(machine, record, node, "global", name, rebound)
        return
    if isinstance(value, (Function, LibraryName, Transformed, Bound, Partial)):
        return
    if isinstance(value, (Heap, NumPy, Class)) and not _is_generic(value):
        changes = _between(_changes(value), spans)
        if changes:
            keys = _keys_read(machine, record, owner, name)
            changes = tuple(n for n in changes if _concerns(n, name, keys, value))
            changes = looked_at(machine, changes) if isinstance(value, Class) else changes
        if changes:
            if _are_functions(value, changes):
                yield _fact(machine, record, node, "helper", name, changes)
            fact = _fact(machine, record, node, "mutable", name, changes)
            fact.holder = value.cls.name if isinstance(value, Instance) else ""
            yield fact
    if isinstance(value, Class):
        return
    writes = owner.writes.get(name, [])
    changed = _between(writes, spans)
    if owner.kind == "module":
        anytime = _anytime(machine, record, owner, name) if len(writes) > 1 and not changed else {}
        if (changed or anytime) and not only_kept(machine, record, (owner, name)):
            uncalled = bool(anytime) and anytime.keys().isdisjoint(machine.program.called)
            nodes = changed or tuple(n for found in anytime.values() for n in found)
            yield _fact(machine, record, node, "global", name, nodes, uncalled)
        return
    changed = altering(machine, owner, name, changed)
    if changed and not keeps_static(
        value, owner.env.get(name), _keys_read(machine, record, owner, name)
    ):
        alike = (
            _bound_alike(machine, owner, name)
            or traced_again(machine, record)
            or _shapes_arguments(record, owner, name, changed)
        )
        yield _fact(machine, record, node, "closure", name, changed, alike)


def _are_functions(value: Value, changes: tuple[ir.Node, ...]) -> bool:
    """Whether the attributes that are set hold functions alone."""
    if not isinstance(value, (Instance, Class)):
        return False
    parts = value.fields if isinstance(value, Instance) else value.namespace
    names = [node.attr if isinstance(node, ir.Attribute) else "" for node in changes]
    held = [options(parts[name]) if name in parts else () for name in names]
    return all(found and all(isinstance(o, _CALLED) for o in found) for found in held)


_CALLED = (Descriptor, Function)


def _bound_alike(machine: Machine, owner: Frame, name: str) -> bool:
    """Whether a name is bound by one call without arguments alone: `size, batch = load()` may
    well give the same size each time."""
    body = () if owner.func is None else owner.func.body
    binding = [n for n in walk(body) if isinstance(n, (ir.Assign, ir.AnnAssign))]
    values = [n.value for n in binding if n.value is not None and name in bound_names(n)]
    plain = all(isinstance(value, ir.Call) and not value.args for value in values)
    texts = {machine.sources.owner(v, machine.module).text_of(v) for v in values}
    return plain and len(texts) == 1


def _shapes_arguments(
    record: TransformUse, owner: Frame, name: str, changes: tuple[ir.Node, ...]
) -> bool:
    """Whether methods of what a name holds after a change make arguments of the calls:
    `state = opt.init(params)` of another `opt` may well be another pytree, for which the function
    is traced again."""
    nodes = [] if owner.func is None else list(walk(owner.func.body))
    changed = {id(node) for node in changes}
    first = next((at for at, node in enumerate(nodes) if id(node) in changed), len(nodes))
    made = {
        bound
        for node in nodes[first:]
        if isinstance(node, ir.Assign)
        and isinstance(node.value, ir.Call)
        and isinstance(node.value.func, ir.Attribute)
        and name in free_in(node.value.func)
        for bound in bound_names(node)
    }
    given = [one.node for site in record.sites if site.frame is owner for one in site.given]
    return any(not made.isdisjoint(free_in(node)) for node in given)


def _is_generic(value: Value) -> bool:
    return isinstance(value, Instance) and value.generic


def _changes(value: Value, depth: int = _DEPTH) -> list[Change]:
    """Changes of an object in place, those of the containers inside it included."""
    inside = walk_values(value, elements, depth)
    return [change for one in inside if isinstance(one, _CHANGEABLE) for change in one.changes]


_CHANGEABLE = (Heap, NumPy, Class)


def _anytime(
    machine: Machine, record: TransformUse, owner: Frame, name: str
) -> dict[int, list[ir.Node]]:
    """Writes in functions that may run after the first call of the jitted one, by function.

    A function that writes and then makes the jitted function prepares it.
    """
    found: dict[int, list[ir.Node]] = {}
    maker = record.frame.home().func
    for _, node, func in machine.program.global_writes.get((owner, name), ()):
        if func is None or func is maker or _made_per_call(record):
            continue
        if not func.name.lstrip("_").startswith(_SETS_UP) and not _sets_module_up(machine, func):
            found.setdefault(id(func), []).append(node)
    return found


def _sets_module_up(machine: Machine, func: ir.FunctionDef) -> bool:
    """Whether the module itself calls a function, and nothing else does."""
    return id(func) in machine.program.called_outside - machine.program.called_inside


# -- parts of an object --------------------------------------------------------------------------


def _keys_read(
    machine: Machine, record: TransformUse, owner: Frame, name: str
) -> frozenset[object] | None:
    """The constant keys and attributes under which traced code reads an object, None for all."""
    keys: set[object] = set()
    for read in record.reads.get((owner, name), {}).values():
        around = (parents(module.body).get(id(read)) for module in machine.sources.modules)
        node = next((one for one in around if one is not None), None)
        key = _key(node) if isinstance(node, (ir.Subscript, ir.Attribute)) else None
        if key is None or getattr(node, "value", None) is not read:
            return None
        keys.add(key)
    return frozenset(keys)


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
    record: TransformUse,
    owner: Instance,
    name: str,
    node: ir.Node,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    cls = owner.cls
    if cls.find("__hash__") is not None or cls.find("__eq__") is not None:
        return
    writes = [w for one in _kin(machine, owner) for w in one.writes.get(name, [])]
    if not _has_first_value(cls, name, writes):
        return
    per_call = _made_per_call(record)
    first = min((start for start, _ in spans), default=0)
    own = sets_up(machine, record.frame.home().func)
    found: list[ir.Node] = []
    certain = False
    for tick, place, (stack, _) in writes:
        if {f.name for f in stack} & INITIALISERS:
            continue
        between = any(start < tick < end for start, end in spans)
        if per_call and not between:
            continue
        if not _in_method(cls, stack):
            if not between or not _called_since_made(machine, record, place, tick, stack):
                continue
        elif id(stack[-1]) not in machine.program.repeated and (
            tick < first or (not between and _sets_module_up(machine, stack[-1]))
        ):
            continue  # Called once, to set the object up or where nothing compiled misses it.
        elif own and not between and sets_up(machine, stack[-1]):
            continue  # Whoever makes another object compiles another function with it.
        elif _was_over(machine, record, tick, stack) or _compiles_anew(machine, owner, stack[-1]):
            continue
        found.append(place)
        certain = certain or between or _calls_within(record, stack)
    if found:
        yield _fact(machine, record, node, "self", name, tuple(found), not certain)


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
    return id(stack[0]) not in machine.program.repeated and _sets_module_up(machine, stack[0])


def _kin(machine: Machine, owner: Instance) -> list[Instance]:
    """The objects that stand for a class, its bases and its subclasses."""
    found = [owner]
    for cls in machine.program.classes:
        one = cls.generic
        if (
            one is not None
            and one is not owner
            and cls is not owner.cls
            and (cls.derives(owner.cls) or owner.cls.derives(cls))
        ):
            found.append(one)
    return found


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
    machine: Machine, owner: Instance, func: ir.FunctionDef, depth: int = _DEPTH
) -> bool:
    """Whether a method jits again or drops what was compiled: then its changes are seen."""
    if any(r.frame.home().func is func for r in machine.program.records):
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
        if isinstance(called, Function) and _compiles_anew(machine, owner, called.node, depth - 1):
            return True
    return False

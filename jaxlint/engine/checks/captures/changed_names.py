"""Names that compiled code reads and that are bound again, or whose objects change in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import bound_names, free_in, walk
from jaxlint.engine.checks.captures.changed_globals import changes_anytime
from jaxlint.engine.checks.captures.other_arguments import finds_program
from jaxlint.engine.checks.captures.rebinding import (
    altering,
    binds_one_literal,
    keeps_static,
    rebindings,
    traced_again,
)
from jaxlint.engine.checks.captures.staleness import (
    Change,
    between,
    fact_of,
    is_made_per_call,
    is_set_up_by,
    parent_of,
    sets_module_up,
)
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
    Value,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

_DEPTH = 3


def weighed(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    value: Value,
    found: Iterable[facts.StaleCapture],
) -> Iterator[facts.StaleCapture]:
    """Changes of a name, or of the object that it holds, that a compiled function misses: only
    possibly, where the calls behind them pass something else."""
    log = [*owner.writes.get(name, ())]
    if isinstance(value, _CHANGEABLE):
        log += _changes(value)
    for fact in found:
        if not fact.possible:
            places = {id(one) for one in fact.changed}
            moments = [one for one in log if id(one[1]) in places]
            finds = finds_program(machine, record, owner, moments) if moments else True
            if finds is False:
                continue
            fact.possible = finds is None
        yield fact


def of_name(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    node: ir.Node,
    value: Value,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    """The changes of a name that a compiled function reads, and of the object that it holds."""
    if isinstance(value, Function) and owner.kind == "module":
        if rebound := between(rebindings(machine, owner, name), spans):
            yield fact_of(machine, record, node, "helper", name, rebound)
            yield fact_of(machine, record, node, "global", name, rebound)
        return
    if isinstance(value, (Function, LibraryName, Transformed, Bound, Partial)):
        return
    found: list[facts.StaleCapture] = []
    if isinstance(value, (Heap, NumPy, Class)) and not _is_generic(value):
        found += _of_object(machine, record, owner, name, node, value, spans)
    if owner.kind == "module" and not isinstance(value, Class):
        found += _of_global(machine, record, owner, name, node, spans)
        if not found and not is_made_per_call(record):
            found += _of_uncalled(machine, record, owner, name, node, value)
    yield from found
    if isinstance(value, Class) or owner.kind == "module":
        return
    changed = altering(machine, owner, name, between(rebindings(machine, owner, name), spans))
    if changed and not keeps_static(
        value, owner.env.get(name), _keys_read(machine, record, owner, name)
    ):
        alike = (
            _bound_alike(machine, owner, name)
            or traced_again(machine, record)
            or _shapes_arguments(record, owner, name, changed)
        )
        yield fact_of(machine, record, node, "closure", name, changed, alike)


def _of_object(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    node: ir.Node,
    value: Heap | NumPy | Class,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    """The changes of an object in place."""
    changes = between(_changes(value), spans)
    if changes:
        keys = _keys_read(machine, record, owner, name)
        changes = tuple(n for n in changes if _concerns(n, name, keys, value))
        changes = looked_at(machine, changes) if isinstance(value, Class) else changes
    if changes:
        if _are_functions(value, changes):
            yield fact_of(machine, record, node, "helper", name, changes)
        fact = fact_of(machine, record, node, "mutable", name, changes)
        fact.holder = value.cls.name if isinstance(value, Instance) else ""
        yield fact


def _of_global(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    node: ir.Node,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    """The bindings of a global name between calls, or in functions that may run between them."""
    writes = owner.writes.get(name, [])
    changed = between(rebindings(machine, owner, name), spans)
    anytime = _anytime(machine, record, owner, name) if len(writes) > 1 and not changed else {}
    if (changed or anytime) and not only_kept(machine, record, (owner, name)):
        uncalled = bool(anytime) and anytime.keys().isdisjoint(machine.program.called)
        nodes = changed or tuple(n for found in anytime.values() for n in found)
        yield fact_of(machine, record, node, "global", name, nodes, uncalled)


def _of_uncalled(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    node: ir.Node,
    value: Value,
) -> Iterator[facts.StaleCapture]:
    """The changes of a global name, or of the dict that it holds, by functions that nothing calls
    that is there to be read."""
    keys = _keys_read(machine, record, owner, name)
    changes = changes_anytime(machine, record, owner, name, value, keys)
    if changes and not only_kept(machine, record, (owner, name)):
        inside = tuple(one for one in changes if isinstance(one, (ir.Call, ir.Subscript)))
        bound = tuple(one for one in changes if isinstance(one, (ir.Attribute, ir.Name)))
        for kind, places in (("mutable", inside), ("global", bound)):
            if places:
                yield fact_of(machine, record, node, kind, name, places, possible=True)


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
    if binds_one_literal(machine, owner, name):
        return found
    for _, node, func in machine.program.global_writes.get((owner, name), ()):
        if func is None or func is maker or is_made_per_call(record):
            continue
        if not is_set_up_by(func) and not sets_module_up(machine, func):
            found.setdefault(id(func), []).append(node)
    return found


# -- parts of an object --------------------------------------------------------------------------


def _keys_read(
    machine: Machine, record: TransformUse, owner: Frame, name: str
) -> frozenset[object] | None:
    """The constant keys and attributes under which traced code reads an object, None for all."""
    keys: set[object] = set()
    for read in record.reads.get((owner, name), {}).values():
        node = parent_of(machine, read)
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

"""Attributes of objects of which nothing is known, that compiled code calls and host code changes
between its calls: `run = jax.jit(lambda x: kernel(x))`, `kernel.rate = r`, `run(x)`.

What the object does with the attribute is not seen. A change for compiled code is the likely reason
where host code does not read the attribute itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.captures.changes_elsewhere import Store, stores_in
from jaxlint.engine.checks.captures.staleness import fact_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Unknown
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.syntax import ir


def of_unknown(
    machine: Machine, record: TransformUse, owner: Frame, name: str, node: ir.Node
) -> Iterator[facts.StaleCapture]:
    """The changes of an unknown object that a name of a host function stands for."""
    func, compiled = owner.func, plain_function(record.func)
    if func is None or compiled is None or not owner.trace.is_host:
        return
    inside = frozenset(map(id, walk((compiled.node,))))
    yield from _of_object(machine, record, func, name, node, inside)


def of_callee(machine: Machine, record: TransformUse) -> Iterator[facts.StaleCapture]:
    """The same of an unknown object that is compiled itself: `jax.jit(energy)`."""
    owner, node = record.frame.home(), record.node
    given = node.args[0].value if isinstance(node, ir.Call) and node.args else None
    if not isinstance(record.func, Unknown) or owner.func is None or not owner.trace.is_host:
        return
    if isinstance(given, ir.Name) and given.id in owner.env and record.wrapper.compiles:
        yield from _of_object(machine, record, owner.func, given.id, given, None)


def _of_object(
    machine: Machine,
    record: TransformUse,
    func: ir.FunctionDef,
    name: str,
    node: ir.Node,
    inside: frozenset[int] | None,
) -> Iterator[facts.StaleCapture]:
    """`inside` are the nodes of the compiled function, None where it is the object itself."""
    calls = {id(one.node): one.node for one in record.sites if one.frame.home().func is func}
    if not calls or bindings(func.body).get(name):
        return
    made = {id(record.node), id(record.definition)}
    read = _attributes(func, name)
    changed = tuple(
        store.node
        for store in stores_in(func, None)
        if _root(store.owner) == name
        and id(store.node) not in (inside or ())
        and not _is_made_in(store.loop, made)
        and _is_between(store, calls)
        and (inside is None or _is_used(read, store, inside))
        and not _is_for_host(read, store, inside or frozenset())
    )
    if changed:
        yield fact_of(machine, record, node, "mutable", name, changed, possible=True)


def _root(node: ir.Expr) -> str:
    return dotted_text(node).partition(".")[0]


@answered_once
def _attributes(func: ir.FunctionDef, name: str) -> tuple[tuple[str, int, bool], ...]:
    """The attributes that a function reads of what a name stands for, with the nodes, and whether
    they are called; "" for a call of the object itself."""
    called = {id(one.func) for one in walk(func.body) if isinstance(one, ir.Call)}
    found: list[tuple[str, int, bool]] = []
    for one in walk(func.body):
        if isinstance(one, ir.Attribute) and isinstance(one.value, ir.Name):
            if one.value.id == name:
                found.append((one.attr, id(one), id(one) in called))
        elif isinstance(one, ir.Name) and one.id == name and id(one) in called:
            found.append(("", id(one), True))
    return tuple(found)


def _is_used(read: tuple[tuple[str, int, bool], ...], store: Store, inside: frozenset[int]) -> bool:
    """Whether compiled code calls the object or a method of it, or reads what is changed."""
    held = (attr for attr, at, called in read if at in inside and (called or attr == store.attr))
    return next(held, None) is not None


def _is_made_in(loop: ir.Stmt | None, made: set[int]) -> bool:
    """Whether each turn of a loop compiles anew."""
    return loop is not None and any(id(one) in made for one in walk((loop,)))


def _is_between(store: Store, calls: dict[int, ir.Expr]) -> bool:
    """Whether the compiled function is called before a change and after it."""
    if store.loop is not None and any(id(one) in calls for one in walk((store.loop,))):
        return True
    numbers = [ir.number(one) for one in calls.values()]
    return min(numbers) < ir.number(store.node) < max(numbers)


def _is_for_host(
    read: tuple[tuple[str, int, bool], ...], store: Store, inside: frozenset[int]
) -> bool:
    """Whether the host reads the attribute, or counts with it."""
    if any(attr == store.attr and at in inside for attr, at, _ in read):
        return False
    statement = store.statement
    if isinstance(statement, ir.AugAssign) and isinstance(statement.value, ir.Const):
        return True
    own = {id(one) for one in walk((statement,))}
    return any(attr == store.attr and at not in own for attr, at, _ in read)

"""Comprehensions: element by element where the elements are known, else once for all of them."""

from __future__ import annotations

from jaxlint.dataflow import plain_data
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.key_identity import anonymous
from jaxlint.engine.domain.values import (
    Iterator,
    Mapping,
    Sequence,
    Static,
    Value,
    join,
    join_all,
)
from jaxlint.engine.inference.aliasing import another
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.attribute_stores import keep_function
from jaxlint.engine.operations.conditions.narrowing import narrow
from jaxlint.engine.operations.conditions.truth import truth
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.stores import assign
from jaxlint.syntax import ir

MOST_ITEMS = 16


# How many elements nested comprehensions look at one by one.
MOST_VISITS = 256


def comprehension(machine: Machine, frame: Frame, node: ir.Comprehension) -> Value:
    inner = Frame("comprehension", frame, frame.trace, None)
    inner.path = inner.start = frame.path
    inner.outer = frame.paths()
    names: set[str] = set()
    for clause in node.clauses:
        names |= _target_names(clause.target)
    inner.bound = frozenset(names)
    inner.loop = Loop(inner.bound, frame.loop, comprehension=True)
    first = node.clauses[0]
    iterable = machine.eval(frame, first.iter)
    element, items, _ = iterate(machine, frame, first.iter, iterable, "for")
    values: list[tuple[Value | None, Value]] = []
    if items is not None and _each(machine, inner, node, 0, items, values):
        return _collected(machine, frame, node, values, None)
    inner.path = object()
    for heard in machine.checks.loop_start:
        heard(machine, inner.loop, _target_names(first.target), first.iter, iterable, node)
    inner.loop.watched.began = inner.path
    given = machine.counters.donations
    found = _clauses(machine, inner, node, 0, element)
    if machine.counters.donations > given:
        _clauses(machine, inner, node, 0, another(element))
    for heard in machine.checks.loop_end:
        heard(machine, frame, inner.loop)
    return _collected(machine, frame, node, None, found)


def _target_names(target: ir.Expr) -> set[str]:
    if isinstance(target, ir.Name):
        return {target.id}
    if isinstance(target, ir.Starred):
        return _target_names(target.value)
    if isinstance(target, ir.Sequence):
        return set().union(*map(_target_names, target.items)) if target.items else set()
    return set()


def _each(
    machine: Machine,
    inner: Frame,
    node: ir.Comprehension,
    at: int,
    items: list[Value],
    found: list[tuple[Value | None, Value]],
) -> bool:
    """Adds what one clause and those behind it make of known elements, one by one; whether
    all of it is known."""
    clause = node.clauses[at]
    loop = inner.loop
    if loop is None or loop.turns * len(items) > MOST_VISITS:
        return False
    around, loop.turns = loop.turns, loop.turns * max(len(items), 1)
    most = plain_data.MOST_TURNS if plain_data.only_data(node) else MOST_ITEMS
    for item in items:
        if len(found) >= most:
            return False
        assign(machine, inner, clause.target, item, node)
        answer: bool | None = True
        for test in clause.ifs:
            if answer is True:
                answer = truth(machine, inner, test, "filter")
        if answer is None:
            return False
        if answer is False:
            continue
        if at + 1 < len(node.clauses):
            following = node.clauses[at + 1].iter
            _, nested, _ = iterate(machine, inner, following, machine.eval(inner, following), "for")
            if nested is None or not _each(machine, inner, node, at + 1, nested, found):
                return False
            continue
        key = None if node.key is None else machine.eval(inner, node.key)
        value = machine.eval(inner, node.element)
        keep_function(inner, value, node.element)
        found.append((key, value))
    loop.turns = around
    return True


def _clauses(
    machine: Machine, inner: Frame, node: ir.Comprehension, at: int, element: Value
) -> tuple[Value | None, Value]:
    clause = node.clauses[at]
    assign(machine, inner, clause.target, element, node)
    held: dict[str, Value | None] = {}
    dead = False
    for test in clause.ifs:
        dead |= truth(machine, inner, test, "filter") is False
        for narrowed, new in narrow(machine, inner, test, True).items():
            held.setdefault(narrowed, inner.env.get(narrowed))
            inner.env[narrowed] = new
    if dead:
        return None, machine.unknown("comprehension without elements")
    if at + 1 < len(node.clauses):
        following = node.clauses[at + 1]
        iterable = machine.eval(inner, following.iter)
        nested, _, _ = iterate(machine, inner, following.iter, iterable, "for")
        assert inner.loop is not None
        around = inner.loop.watched
        names = _target_names(following.target)
        for heard in machine.checks.loop_start:
            heard(machine, inner.loop, names, following.iter, iterable, node.element)
        found = _clauses(machine, inner, node, at + 1, nested)
        for heard in machine.checks.loop_end:
            heard(machine, inner, inner.loop)
        inner.loop.watched = around
        return found
    key = None if node.key is None else machine.eval(inner, node.key)
    value = machine.eval(inner, node.element)
    keep_function(inner, value, node.element)
    return key, value


def _hashed(machine: Machine, frame: Frame, node: ir.Expr, value: Value, what: str) -> None:
    for heard in machine.checks.hash:
        heard(machine, frame, node, value, what)


def _collected(
    machine: Machine,
    frame: Frame,
    node: ir.Comprehension,
    known: list[tuple[Value | None, Value]] | None,
    found: tuple[Value | None, Value] | None,
) -> Value:
    values = [v for _, v in known] if known is not None else None
    if found is not None:
        found = found[0], anonymous(found[1])
    element = found[1] if found is not None else None
    if node.kind == "generator":
        return Iterator(
            element if element is not None else join_all(values or []),
            frame.trace,
            values,
            "generator",
            node,
        )
    for key, value in known or ([found] if found is not None else []):
        if node.kind == "dict" and key is not None and node.key is not None:
            _hashed(machine, frame, node.key, key, "key")
        elif node.kind == "set":
            _hashed(machine, frame, node.element, value, "element")
    if node.kind == "dict":
        result = Mapping({}, frame.trace, element, path=frame.path, made=node)
        for key, value in known or ([found] if found is not None else []):
            const = key.const if isinstance(key, Static) and key.known else None
            if known is not None and isinstance(const, KEYS):
                result.items[const] = value
            else:
                result.element = value if result.element is None else join(result.element, value)
        return result
    made = Sequence(node.kind, values, frame.trace, element, frame.path, node)
    made.local = frame.home().kind == "function"
    return made

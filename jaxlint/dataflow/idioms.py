"""Idioms of functions: state that they restore, results that they remember, their tests."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.balance import lent_to
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import (
    CONSTRUCTORS,
    OWN_SCOPES,
    dotted_text,
    each_assigned,
    is_none_literal,
    walk,
)
from jaxlint.syntax import ir

_TAKES_BACK = frozenset({"pop", "popleft", "popitem", "remove", "discard", "clear", "update"})


@answered_once
def restored(function: ir.FunctionDef | None) -> frozenset[str]:
    """Names, attributes and containers that a function sets back itself: what a `finally`
    clause does, under this name or the one that the old value was read by, attributes that it
    deletes, what it assigns as it found it, and lists that it appends to for a while."""
    if function is None:
        return frozenset()
    found = _given_back(function.body) | lent_to(function)
    read = _attributes_kept(function.body)
    for block in walk(function.body):
        if isinstance(block, ir.Delete):
            found |= {dotted_text(t) for t in block.targets if isinstance(t, ir.Attribute)}
        for node in walk(block.final) if isinstance(block, ir.Try) else ():
            if isinstance(node, ir.Delete):
                found |= {_changed(target) for target in node.targets}
            elif isinstance(node, ir.Assign):
                for target, value in each_assigned(node):
                    found.add(_changed(target))
                    if isinstance(value, ir.Name) and isinstance(target, ir.Attribute):
                        kept = read.get(value.id, ())
                        found |= {text for attr, text in kept if attr == target.attr}
            elif isinstance(node, ir.AugAssign):
                found.add(dotted_text(node.target))
            elif isinstance(node, ir.Call):
                func = node.func
                if isinstance(func, ir.Attribute) and func.attr in _TAKES_BACK:
                    found.add(dotted_text(func.value))
    return frozenset(found)


def _changed(target: ir.Expr) -> str:
    """What setting or deleting a target changes: of an item, its container."""
    return dotted_text(target.value if isinstance(target, ir.Subscript) else target)


def _attributes_kept(body: tuple[ir.Stmt, ...]) -> dict[str, list[tuple[str, str]]]:
    """The attributes that names are given the values of, each with the whole chain."""
    found: dict[str, list[tuple[str, str]]] = {}
    for node in walk(body):
        for target, value in each_assigned(node):
            if isinstance(target, ir.Name) and isinstance(value, ir.Attribute):
                found.setdefault(target.id, []).append((value.attr, dotted_text(value)))
    return found


def _given_back(body: tuple[ir.Stmt, ...]) -> set[str]:
    """What a body first assigns to a name, and in the end gets that name's value again."""
    saved: dict[str, str] = {}
    last: dict[str, str] = {}
    for statement in body:
        if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
            continue
        for one, value in each_assigned(statement):
            if not isinstance(one, (ir.Attribute, ir.Name)):
                continue
            target, text = dotted_text(one), "" if value is None else dotted_text(value)
            last[target] = text if isinstance(value, ir.Name) else ""
            if isinstance(value, (ir.Attribute, ir.Name)) and target not in saved:
                saved[target] = text if text not in last else ""
    return {target for target, name in last.items() if name and saved.get(name) == target}


@answered_once
def flags(function: ir.FunctionDef | None) -> frozenset[str]:
    """Names that a function without a result asks, and then sets to a constant: what it does is
    done once."""
    nodes = [] if function is None else list(walk(function.body, OWN_SCOPES))
    if any(isinstance(one, ir.Return) and one.value is not None for one in nodes):
        return frozenset()
    tests = [one.test for one in nodes if isinstance(one, ir.If)]
    asked = {name.id for name in walk(tuple(tests)) if isinstance(name, ir.Name)}
    set_to = ((t, value) for one in nodes for t, value in each_assigned(one))
    constant = {t.id for t, v in set_to if isinstance(t, ir.Name) and isinstance(v, ir.Const)}
    return frozenset(asked & constant)


@answered_once
def looked_in(test: ir.Expr) -> set[str]:
    """Names of containers that a test looks for a key in."""
    return {
        dotted_text(other).partition(".")[0]
        for node in walk(test)
        if isinstance(node, ir.Compare)
        for op, other in zip(node.ops, node.comparators, strict=False)
        if op in ("in", "not in")
    }


@answered_once
def found_in(test: ir.Expr) -> frozenset[str]:
    """Names and attributes that a test finds to hold something: `memo is not None`."""
    return frozenset(
        dotted_text(node.left)
        for node in walk(test)
        if isinstance(node, ir.Compare)
        and node.ops[0] == "is not"
        and isinstance(node.left, (ir.Attribute, ir.Name))
        and is_none_literal(node.comparators[0])
    )


@answered_once
def read_from(function: ir.FunctionDef | None) -> dict[str, str]:
    """Names of a function that stand for what is kept elsewhere, each with the name or attribute
    that it is read from: `found = self._found`, `found = getattr(self, "_found", None)`."""
    found: dict[str, str] = {}
    for node in () if function is None else walk(function.body, OWN_SCOPES):
        for target, value in each_assigned(node):
            if not isinstance(target, ir.Name):
                continue
            if isinstance(value, (ir.Attribute, ir.Name)):
                found[target.id] = dotted_text(value)
            elif isinstance(value, ir.Call) and (attribute := _asked_for(value)):
                found[target.id] = attribute
    return found


def _asked_for(call: ir.Call) -> str:
    """The attribute that `getattr(owner, "name", ...)` reads, "" for another call."""
    if dotted_text(call.func) != "getattr" or len(call.args) < 2:
        return ""
    owner, name = call.args[0].value, call.args[1].value
    return f"{dotted_text(owner)}.{name.value}" if isinstance(name, ir.Const) else ""


@answered_once
def counted_in(test: ir.Expr) -> set[str]:
    """`len(name)` for each container whose length a test asks for."""
    return {
        f"len({dotted_text(node.args[0].value)})"
        for node in walk(test)
        if isinstance(node, ir.Call)
        and isinstance(node.func, ir.Name)
        and node.func.id == "len"
        and len(node.args) == 1
    }


@answered_once
def remembered(function: ir.FunctionDef | None) -> set[str]:
    """Containers in which a function looks for a key with `found = memo.get(key)` before it
    stores under that key."""
    looked: set[tuple[str, str]] = set()
    stored: set[tuple[str, str]] = set()
    for node in walk(function.body) if function is not None else ():
        if not isinstance(node, (ir.Assign, ir.AnnAssign, ir.NamedExpr)):
            continue
        value = node.value
        func = value.func if isinstance(value, ir.Call) and value.args else None
        if isinstance(value, ir.Call) and isinstance(func, ir.Attribute) and func.attr == "get":
            looked.add((dotted_text(func.value), dotted_text(value.args[0].value)))
        for target in node.targets if isinstance(node, ir.Assign) else ():
            if isinstance(target, ir.Subscript):
                stored.add((dotted_text(target.value), dotted_text(target.index)))
    return {container for container, key in looked & stored if key}


_TYPE_TESTS = frozenset({"isinstance", "isscalar", "type"})


@answered_once
def types_asked(function: ir.FunctionDef) -> frozenset[str]:
    """Names whose type or identity a function asks about."""
    found: set[str] = set()
    for node in walk(function.body):
        asked: tuple[ir.Expr, ...] = ()
        if isinstance(node, ir.Call) and dotted_text(node.func).rpartition(".")[2] in _TYPE_TESTS:
            asked = tuple(argument.value for argument in node.args[:1])
        elif isinstance(node, ir.Compare) and node.ops[0] in ("is", "is not"):
            asked = (node.left, *node.comparators)
        found |= {one.id for one in asked if isinstance(one, ir.Name)}
    return frozenset(found)


@answered_once
def set_later(module: ir.Module) -> frozenset[str]:
    """Attributes that code of a module sets elsewhere than in initialisers, or in copies of
    objects: `replace(state, key=...)`."""
    copied = {
        argument.keyword
        for node in walk(module.body)
        if isinstance(node, ir.Call) and dotted_text(node.func).endswith("replace")
        for argument in node.args
        if argument.keyword
    }
    return stored_later(module) | copied


@answered_once
def stored_later(module: ir.Module) -> frozenset[str]:
    """Attributes of objects that code of a module sets elsewhere than in initialisers."""
    found: set[str] = set()
    for node in walk(module.body, (ir.FunctionDef,)):
        found |= _set_in(node) if isinstance(node, ir.FunctionDef) else attributes_set(node)
    return frozenset(found)


def _set_in(function: ir.FunctionDef) -> set[str]:
    found: set[str] = set()
    for node in walk(function.body, (ir.FunctionDef,)):
        if isinstance(node, ir.FunctionDef):
            found |= _set_in(node)
        elif function.name not in (*CONSTRUCTORS, "setup"):
            found |= attributes_set(node)
    return found


def attributes_set(node: Any) -> set[str]:
    """Attributes that one statement sets."""
    targets = node.targets if isinstance(node, ir.Assign) else ()
    if isinstance(node, (ir.AugAssign, ir.For)):
        targets = (node.target,)
    return {
        part.attr for target in targets for part in walk(target) if isinstance(part, ir.Attribute)
    }


def attribute_of(node: ir.Node, owner: str) -> str:
    """The attribute that an expression reads of a name, "" for any other expression."""
    if isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
        return node.attr if node.value.id == owner else ""
    return ""

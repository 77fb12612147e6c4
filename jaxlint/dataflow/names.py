"""Questions about names that the shape of a function answers without running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from jaxlint.base.dataclass import declared, is_slotted
from jaxlint.dataflow.budget import METER, OverBudgetError
from jaxlint.dataflow.memo import answered_once, answered_once_of
from jaxlint.syntax import ir

# The methods that make an object, in their order: those of dataclasses and of attrs too.
CONSTRUCTORS = ("__init__", "__post_init__", "__attrs_post_init__")
_fields: dict[type, tuple[str, ...]] = {}
# Fields of these types hold no nodes.
_PLAIN = ("bool", "int", "set[int]", "str", "frozenset[str]", "tuple[str, ...]")
_WITHOUT_NODES = frozenset([*_PLAIN, *(f"{plain} | None" for plain in _PLAIN)])


def children(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes, in source order."""
    known = _fields.get(kind)
    if known is None:
        known = _fields[kind] = tuple(
            name
            for name, one in declared(kind).items()
            if name != "origin" and one.type not in _WITHOUT_NODES
        )
    return known


def walk(node: Any, closed: tuple[type, ...] = ()) -> Iterator[Any]:
    """Every IR node under a node or tuple of nodes, itself included, in source order; nothing
    inside those of a `closed` kind."""
    stack = [node]
    while stack:
        one = stack.pop()
        kind = type(one)
        if kind is tuple:
            stack += one[::-1]
            continue
        inner = _inner.get(kind)
        if inner is None:
            inner = _inner[kind] = _reader(kind)
        if inner is _no_node:
            continue
        METER.left -= 1
        if METER.left < 0:
            raise OverBudgetError
        yield one
        if not (closed and isinstance(one, closed)):
            stack += inner(one)


def _reader(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of the fields of a kind that may hold nodes, the last one first."""
    if not is_slotted(kind):
        return _no_node
    names = children(kind)[::-1]
    read = attrgetter(*names) if names else _no_fields
    return read if len(names) != 1 else lambda one: (read(one),)


def _no_fields(one: Any) -> tuple[Any, ...]:
    """Of a node with nothing inside."""
    return ()


def _no_node(one: Any) -> tuple[Any, ...]:
    """Of what is no node."""
    return ()


@answered_once_of
def called_names(body: tuple[Any, ...]) -> frozenset[str]:
    """The last names of all that a body calls."""
    calls = (one.func for one in walk(body) if isinstance(one, ir.Call))
    return frozenset(dotted_text(func).rpartition(".")[2] for func in calls)


@answered_once_of
def names_by_text(body: Any) -> dict[str, list[ir.Name]]:
    """The places of a body in which each name is said, in source order."""
    found: dict[str, list[ir.Name]] = {}
    for one in walk(body):
        if isinstance(one, ir.Name):
            found.setdefault(one.id, []).append(one)
    return found


@answered_once_of
def parents(body: tuple[Any, ...]) -> dict[int, Any]:
    """The node directly around each node of a body, by its identity."""
    found: dict[int, Any] = {}
    for node in walk(body):
        inside = list(_reader(type(node))(node))
        while inside:
            one = inside.pop()
            if type(one) is tuple:
                inside += one
            elif is_slotted(type(one)):
                found[id(one)] = node
    return found


def parted(body: tuple[Any, ...], one: ir.Node, other: ir.Node) -> tuple[Any, Any, Any] | None:
    """The innermost node of a body that two nodes are in, and what is directly inside it around
    each of them; None where there is none, or one of the two is in the other."""
    around = parents(body)
    way: dict[int, Any] = {}
    inner: Any = one
    while (outer := around.get(id(inner))) is not None:
        way[id(outer)] = inner
        inner = outer
    inner = other
    while (outer := around.get(id(inner))) is not None:
        METER.spend(1)
        if id(outer) in way:
            return outer, way[id(outer)], inner
        inner = outer
    return None


_inner: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


@answered_once
def asked_of_first(function: ir.FunctionDef) -> frozenset[str] | None:
    """The attributes of its first parameter that a method reads or sets, None where it does
    anything else with it."""
    first = function.params[0].name if function.params else ""
    asked: set[str] = set()
    others = 0
    for node in walk(function.body):
        if isinstance(node, ir.Name):
            others += node.id in (first, "super")
        elif first and isinstance(node, ir.Attribute) and dotted_text(node.value) == first:
            others -= 1
            asked.add(node.attr)
    return None if others else frozenset(asked)


def is_stub(function: ir.FunctionDef) -> bool:
    """Whether a function only says what it is for: classes that derive from its own define it."""
    return len(function.body) <= 2 and all(
        isinstance(one, ir.ExprStmt) and _is_constant(one.value) for one in function.body
    )


def _is_constant(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and (node.value is ... or isinstance(node.value, str))


@answered_once
def free_names(function: ir.FunctionDef) -> frozenset[str]:
    """Names that a function reads from outside, nested functions included."""
    return (function.nonlocals | _mentioned_in(function.body)) - function.bound


def _mentioned_in(nodes: Any) -> set[str]:
    names: set[str] = set()
    for one in walk(nodes, (ir.FunctionDef,)):
        if isinstance(one, ir.Name):
            names.add(one.id)
        elif isinstance(one, ir.FunctionDef):
            defaults = tuple(p.default for p in one.params)
            names |= free_names(one) | _mentioned_in((defaults, one.decorators))
    return names


_ARRAY_OPS = frozenset({"-", "/", "**", "@", "//"})
_ORDER_OPS = frozenset({"<", ">", "<=", ">="})


@answered_once
def array_parameters(function: ir.FunctionDef) -> frozenset[str]:
    """Parameters that the body uses as an array or number, never as a container.

    The uses are those that fail for every container: subtraction, division, powers, order
    comparisons, a numeric constant as the other operand. A name that is bound again tells
    nothing.
    """
    used: set[str] = set()
    rebound: set[str] = set()
    for node in walk(function.body):
        if isinstance(node, ir.BinOp):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                numeric = isinstance(other, ir.Const) and isinstance(other.value, float)
                if isinstance(side, ir.Name) and (node.op in _ARRAY_OPS or numeric):
                    used.add(side.id)
        elif isinstance(node, ir.Compare):
            sides = (node.left, *node.comparators)
            if all(op in _ORDER_OPS for op in node.ops):
                used.update(side.id for side in sides if isinstance(side, ir.Name))
        elif isinstance(node, ir.UnaryOp) and node.op in "-~":
            if isinstance(node.operand, ir.Name):
                used.add(node.operand.id)
        elif isinstance(node, (ir.Assign, ir.For, ir.AnnAssign, ir.With, ir.NamedExpr)):
            rebound.update(bound_names(node))
    return frozenset(used - rebound)


_OF_MAPPINGS = frozenset({"items", "keys", "setdefault", "values"})


@answered_once
def mappings(function: ir.FunctionDef) -> frozenset[str]:
    """Names whose methods the body calls that mappings have and arrays have not. Objects of
    libraries that have them may take a list of keys as an index."""
    return frozenset(
        node.func.value.id
        for node in walk(function.body)
        if isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.attr in _OF_MAPPINGS
        and isinstance(node.func.value, ir.Name)
    )


@answered_once
def aliases(function: ir.FunctionDef | None) -> dict[str, str]:
    """Names that a function binds to what another name holds: `b = a`."""
    if function is None:
        return {}
    return {
        name: node.value.id
        for node in walk(function.body)
        if isinstance(node, (ir.Assign, ir.AnnAssign)) and isinstance(node.value, ir.Name)
        for name in bound_names(node)
    }


def bound_names(node: Any) -> set[str]:
    """Names that one statement or expression binds itself."""
    found: set[str] = set()
    targets: list[Any] = []
    if isinstance(node, ir.Assign):
        targets = list(node.targets)
    elif isinstance(node, (ir.For, ir.AnnAssign, ir.NamedExpr, ir.AugAssign)):
        targets = [node.target]
    elif isinstance(node, ir.With):
        targets = [target for _, target in node.items if target is not None]
    while targets:
        target = targets.pop()
        if isinstance(target, ir.Name):
            found.add(target.id)
        elif isinstance(target, ir.Starred):
            targets.append(target.value)
        elif isinstance(target, ir.Sequence):
            targets.extend(target.items)
    if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
        found.add(node.name)
    return found


def assigned(node: Any) -> tuple[tuple[ir.Expr, ...], ir.Expr | None]:
    """The targets and the value of an assignment, annotated or not; of anything else, none."""
    if isinstance(node, ir.Assign):
        return node.targets, node.value
    return ((node.target,), node.value) if isinstance(node, ir.AnnAssign) else ((), None)


@answered_once_of
def names_in_loop(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """Names that a loop body binds, functions defined in it excluded."""
    found: set[str] = set()
    stack: list[Any] = list(body)
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack.extend(one)
            continue
        if isinstance(one, (ir.FunctionDef, ir.ClassDef)) or not isinstance(one, ir.Stmt):
            continue
        found |= bound_names(one)
        for name in ("body", "orelse", "final", "handlers", "cases"):
            inner = getattr(one, name, ())
            for child in inner:
                stack.extend(child.body if not isinstance(child, ir.Stmt) else (child,))
    return frozenset(found)


_TAKES_BACK = frozenset({"pop", "popleft", "popitem", "remove", "discard", "clear", "update"})


@answered_once
def restored(function: ir.FunctionDef | None) -> frozenset[str]:
    """Names, attributes and containers that a function sets back itself: what a `finally`
    clause does, under this name or the one that the old value was read by, attributes that it
    deletes, and what it assigns as it found it."""
    if function is None:
        return frozenset()
    found = _given_back(function.body)
    read = _attributes_kept(function.body)
    for block in walk(function.body):
        if isinstance(block, ir.Delete):
            found |= {dotted_text(t) for t in block.targets if isinstance(t, ir.Attribute)}
        for node in walk(block.final) if isinstance(block, ir.Try) else ():
            if isinstance(node, (ir.Assign, ir.Delete)):
                for target in node.targets:
                    inner = target.value if isinstance(target, ir.Subscript) else target
                    found.add(dotted_text(inner))
                value = node.value if isinstance(node, ir.Assign) else None
                if isinstance(value, ir.Name):
                    names = {one.attr for one in node.targets if isinstance(one, ir.Attribute)}
                    found |= {text for attr, text in read.get(value.id, ()) if attr in names}
            elif isinstance(node, ir.AugAssign):
                found.add(dotted_text(node.target))
            elif isinstance(node, ir.Call):
                func = node.func
                if isinstance(func, ir.Attribute) and func.attr in _TAKES_BACK:
                    found.add(dotted_text(func.value))
    return frozenset(found)


def _attributes_kept(body: tuple[ir.Stmt, ...]) -> dict[str, list[tuple[str, str]]]:
    """The attributes that names are given the values of, each with the whole chain."""
    found: dict[str, list[tuple[str, str]]] = {}
    for node in walk(body):
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Attribute):
            place = (node.value.attr, dotted_text(node.value))
            for target in node.targets:
                if isinstance(target, ir.Name):
                    found.setdefault(target.id, []).append(place)
    return found


def _given_back(body: tuple[ir.Stmt, ...]) -> set[str]:
    """What a body first assigns to a name, and in the end gets that name's value again."""
    saved: dict[str, str] = {}
    last: dict[str, str] = {}
    for statement in body:
        if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
            continue
        if not isinstance(statement.targets[0], (ir.Attribute, ir.Name)):
            continue
        target, text = dotted_text(statement.targets[0]), dotted_text(statement.value)
        last[target] = text if isinstance(statement.value, ir.Name) else ""
        if isinstance(statement.value, (ir.Attribute, ir.Name)) and target not in saved:
            saved[target] = text if text not in last else ""
    return {target for target, name in last.items() if name and saved.get(name) == target}


def dotted_text(node: Any) -> str:
    """A name or attribute chain as written, the head of anything else left out."""
    parts: list[str] = []
    while isinstance(node, (ir.Attribute, ir.Call, ir.Subscript)):
        if isinstance(node, ir.Attribute):
            parts.append(node.attr)
        node = node.func if isinstance(node, ir.Call) else node.value
    if isinstance(node, ir.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


@answered_once
def updates(value: ir.Expr, target: ir.Expr) -> bool:
    """Whether an assigned expression reads what it is assigned to: `count = count + 1`."""
    parts = target.items if isinstance(target, ir.Sequence) else (target,)
    texts = {dotted_text(p.value if isinstance(p, ir.Starred) else p) for p in parts} - {""}
    if not texts or isinstance(value, ir.Const):
        return False
    kinds = (ir.Name, ir.Attribute) if any("." in text for text in texts) else (ir.Name,)
    return any(isinstance(node, kinds) and dotted_text(node) in texts for node in walk(value))


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
def free_in(node: ir.Node) -> frozenset[str]:
    """Names that an expression or statement mentions."""
    return frozenset(n.id for n in walk(node) if isinstance(n, ir.Name))


@answered_once
def set_later(module: ir.Module) -> frozenset[str]:
    """Attributes that code of a module sets elsewhere than in initialisers."""
    found: set[str] = set()
    for node in walk(module.body, (ir.FunctionDef,)):
        found |= _set_in(node) if isinstance(node, ir.FunctionDef) else _attributes_set(node)
    return frozenset(found)


def _set_in(function: ir.FunctionDef) -> set[str]:
    found: set[str] = set()
    for node in walk(function.body, (ir.FunctionDef,)):
        if isinstance(node, ir.FunctionDef):
            found |= _set_in(node)
        elif function.name not in (*CONSTRUCTORS, "setup"):
            found |= _attributes_set(node)
    return found


def _attributes_set(node: Any) -> set[str]:
    """Attributes that one statement sets, or a copy of an object: `replace(state, key=...)`."""
    if isinstance(node, ir.Call) and dotted_text(node.func).endswith("replace"):
        return {argument.keyword for argument in node.args if argument.keyword}
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

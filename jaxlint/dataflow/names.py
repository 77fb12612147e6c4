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
# What has names of its own: `walk(body, OWN_SCOPES)` stays in the scope of a body.
OWN_SCOPES = (ir.FunctionDef, ir.Lambda, ir.ClassDef)
# What may not be evaluated where it is written: `walk(body, CONDITIONAL)` leaves it out.
CONDITIONAL = (*OWN_SCOPES, ir.BoolOp, ir.Comprehension, ir.IfExp)
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


def only_refuses(function: ir.FunctionDef) -> bool:
    """Whether a function does nothing but raise that it is not there."""
    last = function.body[-1] if function.body else None
    raised = dotted_text(last.exc) if isinstance(last, ir.Raise) and last.exc is not None else ""
    return len(function.body) <= 2 and raised == "NotImplementedError"


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


def is_none_literal(node: Any) -> bool:
    """Whether an expression is `None`, as written."""
    return isinstance(node, ir.Const) and node.value is None


def targets_of(node: Any) -> tuple[ir.Expr, ...]:
    """The targets of an assignment, augmented or not; of anything else, none."""
    return (node.target,) if isinstance(node, ir.AugAssign) else assigned(node)[0]


def each_assigned(node: Any) -> Iterator[tuple[ir.Expr, ir.Expr | None]]:
    """Each target of an assignment with what it is given, `a, b = c, d` taken apart; None where a
    target gets a part of one value."""
    targets, value = assigned(node)
    for target in targets:
        yield from _apart(target, value)


def _apart(target: ir.Expr, value: ir.Expr | None) -> Iterator[tuple[ir.Expr, ir.Expr | None]]:
    if not isinstance(target, ir.Sequence):
        yield target, value
        return
    given = value.items if isinstance(value, ir.Sequence) else ()
    is_plain = not any(isinstance(one, ir.Starred) for one in (*target.items, *given))
    is_known = is_plain and len(given) == len(target.items)
    for at, one in enumerate(target.items):
        yield from _apart(one, given[at] if is_known else None)


def imported_names(module: ir.Module) -> dict[str, str]:
    """The names that a module imports at its top level, with the dotted names that they stand for;
    relative imports are left out."""
    found: dict[str, str] = {}
    for node in module.body:
        if isinstance(node, ir.Import):
            for dotted, alias in node.names:
                root = dotted if alias is not None else dotted.partition(".")[0]
                found[alias or root] = root
        elif isinstance(node, ir.ImportFrom) and not node.level:
            for name, alias in node.names or ():
                found[alias or name] = f"{node.module}.{name}"
    return found


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
def named_in(function: ir.FunctionDef) -> frozenset[str]:
    """The names and attributes that a function says: those of all functions that it may call."""
    return frozenset(
        node.attr if isinstance(node, ir.Attribute) else node.id
        for node in walk(function.body)
        if isinstance(node, (ir.Attribute, ir.Name))
    )


def leading_to(module: ir.Module, names: frozenset[str]) -> frozenset[str]:
    """Names of functions, and those of the functions and methods of a module that may lead to
    them by what they name."""
    functions = [one for one in walk(module.body) if isinstance(one, ir.FunctionDef)]
    found = {*names}
    while more := {one.name for one in functions if named_in(one) & found} - found:
        found |= more
    return frozenset(found)


def chain_text(node: ir.Expr) -> str:
    """A name or attribute chain as written, "" for anything else."""
    inner = node
    while isinstance(inner, ir.Attribute):
        inner = inner.value
    return dotted_text(node) if isinstance(inner, ir.Name) else ""


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
def free_in(node: ir.Node) -> frozenset[str]:
    """Names that an expression or statement mentions."""
    return frozenset(n.id for n in walk(node) if isinstance(n, ir.Name))

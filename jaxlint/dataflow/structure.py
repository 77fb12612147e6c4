"""Where code stands: the loops and the function around a node, and what a loop binds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from jaxlint.base.dataclass import is_slotted, slotted
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import children, dotted_text, walk
from jaxlint.syntax import ir

# Loops that turn no oftener are not worth a finding.
FEW_TURNS = 4
_CLOSED = (ir.FunctionDef, ir.ClassDef)
_GROWS = frozenset({"append", "extend", "insert", "appendleft"})
_SHRINKS = frozenset({"pop", "popleft", "clear", "remove"})


@slotted(eq=False)
class Turn:
    """One loop around a node: what it goes through, and what its body binds by name.

    `targets` are pairs of a target and what it is taken from, `bound` the right-hand sides by
    name or attribute (None for what cannot be followed), and whether they run in each turn;
    `grown` and `shrunk` are the containers that the body changes in place.
    """

    node: ir.Node
    targets: list[tuple[ir.Expr, ir.Expr]] = field(default_factory=list)
    bound: dict[str, list[tuple[ir.Node, bool]]] = field(default_factory=dict)
    grown: set[str] = field(default_factory=set)
    shrunk: set[str] = field(default_factory=set)

    def binds(self, name: str) -> bool:
        return name in self.bound or any(name in names_of(target) for target, _ in self.targets)


class Layout:
    """The nodes of one module, each with the node around it."""

    def __init__(self, body: tuple[ir.Stmt, ...]) -> None:
        self.body = body
        self._around: dict[int, Any] = {}
        self._turns: dict[int, Turn] = {}
        self._calls: dict[str, list[ir.Call]] = {}
        self._functions: dict[str, list[ir.FunctionDef]] = {}
        self._classes: set[str] = set()
        self._known = False

    def _index(self) -> None:
        """Looks at all nodes, once somebody asks."""
        if self._known:
            return
        self._known = True
        stack: list[Any] = list(self.body)
        while stack:
            node = stack.pop()
            if isinstance(node, ir.Call):
                name = dotted_text(node.func).rpartition(".")[2]
                self._calls.setdefault(name, []).append(node)
            elif isinstance(node, ir.FunctionDef):
                self._functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ir.ClassDef):
                self._classes.add(node.name)
            for one in _inner(node):
                self._around[id(one)] = node
                stack.append(one)

    def around(self, node: Any) -> Any:
        """The node directly around one, None for statements of the module."""
        self._index()
        return self._around.get(id(node))

    def outward(self, node: Any) -> Iterator[Any]:
        """The nodes around one, the innermost first."""
        while (node := self.around(node)) is not None:
            yield node

    def function_of(self, node: Any) -> ir.FunctionDef | None:
        """The innermost function around a node."""
        return next((one for one in self.outward(node) if isinstance(one, ir.FunctionDef)), None)

    def innermost(self, node: Any, kinds: tuple[type, ...]) -> Any:
        """The innermost node of some kinds around one, None behind a function or a class."""
        for one in self.outward(node):
            if isinstance(one, kinds):
                return one
            if isinstance(one, (ir.FunctionDef, ir.ClassDef)):
                return None
        return None

    def function(self, name: str) -> ir.FunctionDef | None:
        """The one function of this name in the module."""
        self._index()
        found = self._functions.get(name, [])
        return found[0] if len(found) == 1 else None

    def is_class(self, name: str) -> bool:
        self._index()
        return name in self._classes

    def calls_of(self, name: str) -> list[ir.Call]:
        """The calls of whatever has this name."""
        self._index()
        return self._calls.get(name, [])

    def statement_of(self, node: Any) -> ir.Stmt | None:
        """The statement that an expression belongs to, if no function or lambda is between."""
        while node is not None and not isinstance(node, (ir.Stmt, ir.FunctionDef)):
            node = self.around(node)
        return node if isinstance(node, ir.Stmt) else None

    def turns(self, node: Any) -> list[Turn]:
        """The loops around a node in its function, the innermost first."""
        found: list[Turn] = []
        inner, outer = node, self.around(node)
        while outer is not None and not isinstance(outer, _CLOSED):
            if _repeats(outer, inner) and not _leaves_at_once(outer):
                found.append(self.turn(outer))
            inner, outer = outer, self.around(outer)
        return found

    def turn(self, node: Any) -> Turn:
        """What a loop binds."""
        known = self._turns.get(id(node))
        if known is None:
            known = self._turns[id(node)] = _read(node)
        return known

    def bindings(self, function: ir.FunctionDef | None, name: str) -> list[ir.Node | None]:
        """What a function, or the module, binds a name to anywhere: the right-hand sides."""
        body = self.body if function is None else function.body
        return [value for value, _ in bindings_in(body).get(name, [])]


def _inner(node: Any) -> Iterator[Any]:
    """The nodes, clauses and arguments directly inside one."""
    for name in children(type(node)):
        stack = [getattr(node, name)]
        while stack:
            value = stack.pop()
            if isinstance(value, tuple):
                stack.extend(value)
            elif is_slotted(type(value)):
                yield value


def _repeats(outer: Any, inner: Any) -> bool:
    """Whether what is directly inside a node runs once for each turn of it."""
    if isinstance(outer, (ir.For, ir.While)):
        return any(inner is one for one in outer.body) or inner is getattr(outer, "test", None)
    if isinstance(outer, ir.Comprehension):
        return inner is not outer.clauses[0]
    return False


def _leaves_at_once(node: Any) -> bool:
    """Whether a loop certainly ends in its first turn."""
    body = node.body if isinstance(node, (ir.For, ir.While)) else ()
    return any(isinstance(one, (ir.Break, ir.Return, ir.Raise)) for one in body)


def _read(node: Any) -> Turn:
    turn = Turn(node)
    if isinstance(node, ir.Comprehension):
        turn.targets = [(clause.target, clause.iter) for clause in node.clauses]
        return turn
    if isinstance(node, ir.For):
        turn.targets = [(node.target, node.iter)]
    turn.bound = bindings_in(node.body)
    for one in walk(node.body, closed=_CLOSED):
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attribute):
            owner = dotted_text(one.func.value)
            if one.func.attr in _GROWS:
                turn.grown.add(owner)
            elif one.func.attr in _SHRINKS:
                turn.shrunk.add(owner)
        elif isinstance(one, ir.Delete):
            turn.shrunk |= {dotted_text(t) for t in one.targets}
    return turn


@answered_once_of
def layout(body: tuple[ir.Stmt, ...]) -> Layout:
    """The layout of a module, one for each."""
    return Layout(body)


@answered_once_of
def bindings_in(body: tuple[ir.Stmt, ...]) -> dict[str, list[tuple[Any, bool]]]:
    """What statements bind each name or attribute to, and whether in each turn.

    An augmented assignment stands for itself, a target of an inner loop for its `For`.
    """
    found: dict[str, list[tuple[Any, bool]]] = {}
    stack: list[tuple[Any, bool]] = [(one, True) for one in reversed(body)]
    while stack:
        one, always = stack.pop()
        if isinstance(one, ir.Assign):
            for target in one.targets:
                _note(found, target, one.value, always)
        elif isinstance(one, ir.AnnAssign) and one.value is not None:
            _note(found, one.target, one.value, always)
        elif isinstance(one, ir.AugAssign):
            found.setdefault(dotted_text(one.target), []).append((one, always))
        elif isinstance(one, ir.For):
            for name in names_of(one.target):
                found.setdefault(name, []).append((one, always))
        elif isinstance(one, (ir.FunctionDef, ir.ClassDef)):
            found.setdefault(one.name, []).append((one, always))
            continue
        elif isinstance(one, ir.With):
            for _, entered in one.items:
                for name in names_of(entered or ()):
                    found.setdefault(name, []).append((None, always))
        _note_walrus(found, one, always)
        stays = always and isinstance(one, ir.With)
        for name in ("body", "orelse", "final", "handlers", "cases"):
            for inner in getattr(one, name, ()):
                inside = (inner,) if isinstance(inner, ir.Stmt) else inner.body
                stack.extend((each, stays) for each in inside)
    return found


def _note(found: dict[str, list[tuple[Any, bool]]], target: Any, value: Any, always: bool) -> None:
    """Notes the value of each name of a target; a part of a tuple is followed if it is shown."""
    if isinstance(target, ir.Sequence):
        items = value.items if isinstance(value, ir.Sequence) else ()
        fits = len(items) == len(target.items) and not any(
            isinstance(one, ir.Starred) for one in (*items, *target.items)
        )
        for at, one in enumerate(target.items):
            _note(found, one, items[at] if fits else Part(value, at), always)
        return
    if isinstance(target, ir.Starred):
        target, value = target.value, None
    if isinstance(target, (ir.Name, ir.Attribute)):
        found.setdefault(dotted_text(target), []).append((value, always))


def _note_walrus(found: dict[str, list[tuple[Any, bool]]], one: Any, always: bool) -> None:
    for name in ("value", "test", "iter"):
        inner = getattr(one, name, None)
        if isinstance(inner, ir.Expr):
            for node in walk(inner, closed=(ir.FunctionDef, ir.Comprehension)):
                if isinstance(node, ir.NamedExpr):
                    found.setdefault(node.target.id, []).append((node.value, always))


def is_optional(body: tuple[ir.Stmt, ...], node: ir.Node) -> bool:
    """Whether statements may end without that a node in them runs: a test decides on it, or
    leaves before it."""
    for one in body:
        if any(inner is node for inner in walk(one)):
            if isinstance(one, ir.With):
                return is_optional(one.body, node)
            return not isinstance(one, _STRAIGHT) or _is_chosen(one, node)
        if any(isinstance(inner, ir.Return) for inner in walk(one, (ir.FunctionDef,))):
            return True
    return False


_STRAIGHT = (ir.Assign, ir.AnnAssign, ir.ExprStmt, ir.FunctionDef)


def _is_chosen(statement: ir.Stmt, node: ir.Node) -> bool:
    """Whether an operator or a conditional expression may leave a node out."""
    for one in walk(statement):
        if isinstance(one, (ir.BoolOp, ir.IfExp)):
            chosen = one.values[1:] if isinstance(one, ir.BoolOp) else (one.body, one.orelse)
            if any(inner is node for inner in walk(chosen)):
                return True
    return False


@slotted(eq=False)
class Part:
    """One element of a value that is taken apart."""

    value: Any
    at: int


def names_of(target: Any) -> set[str]:
    """The names in a target."""
    return {one.id for one in walk(target) if isinstance(one, ir.Name)}

"""What the names of a function stand for, read from the source: an expression is looked at
together with those that it is computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.base.dataclass import declared, slotted
from jaxlint.dataflow.memo import answered_once, answered_once_of
from jaxlint.dataflow.names import OWN_SCOPES, assigned, bound_names, dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Deferred
from jaxlint.engine.domain.values import Bound, Class, Function, Instance, Mapping, Sequence, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_DEEPEST = 8


@answered_once_of
def bindings(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.Expr | None]]:
    """What each name of a body is bound to, None where that is no expression of its own."""
    found: dict[str, list[ir.Expr | None]] = {}
    for node in walk(body, OWN_SCOPES):
        targets, value = assigned(node)
        if isinstance(node, ir.NamedExpr):
            targets, value = (node.target,), node.value
        plain = {t.id for t in targets if isinstance(t, ir.Name)}
        for name in bound_names(node):
            found.setdefault(name, []).append(value if name in plain else None)
        if isinstance(node, ir.Clause):
            for one in walk(node.target):
                if isinstance(one, ir.Name):
                    found.setdefault(one.id, []).append(None)
    return found


@answered_once_of
def unpacked(body: tuple[ir.Stmt, ...]) -> dict[str, tuple[ir.Expr, int]]:
    """The names of a body that are bound to a part of a tuple: the whole, and which part."""
    found: dict[str, tuple[ir.Expr, int]] = {}
    for node in walk(body, OWN_SCOPES):
        targets, value = assigned(node)
        for target in targets:
            if value is None or not isinstance(target, ir.Sequence):
                continue
            if any(isinstance(one, ir.Starred) for one in target.items):
                continue
            for at, one in enumerate(target.items):
                if isinstance(one, ir.Name):
                    found[one.id] = value, at
    return found


@answered_once
def parameters(function: ir.FunctionDef) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(param.name for param in function.params)


@answered_once
def returns_of(function: ir.FunctionDef) -> tuple[ir.Return, ...]:
    """The return statements of a function."""
    return tuple(n for n in walk(function.body, OWN_SCOPES) if isinstance(n, ir.Return))


def returned(function: ir.FunctionDef) -> ir.Node:
    """Where a function returns something, the function itself if it does so in several places."""
    returns = returns_of(function)
    value = returns[0].value if len(returns) == 1 else None
    return function if value is None else value


@slotted(frozen=True, eq=False)
class Scope:
    """Where an expression stands: the frame that evaluates it, and for the body of a helper the
    arguments of its call, each with its own scope. With the `machine`, functions of other modules
    and methods are helpers as well."""

    frame: Frame
    body: tuple[ir.Stmt, ...]
    given: dict[str, Term]
    machine: Machine | None = None

    def bindings(self, name: str) -> list[ir.Expr | None]:
        """What the code around binds a name to, in the order of the source."""
        return bindings(self.body).get(name, [])

    def takes(self, name: str) -> bool:
        """Whether a name is a parameter of the function around, or bound by one around that."""
        home = self.frame.home()
        if home.func is not None and name in parameters(home.func):
            return True
        around = None if name in bindings(self.body) else home.enclosing()
        while around is not None and around.parent is not None:
            if around.func is None or name in around.func.bound:
                return True
            around = around.enclosing()
        return False

    def is_steady(self, name: str) -> bool:
        """Whether a name stands for the same value all over its function: it is a parameter that
        is not bound again, or bound once."""
        count = len(self.bindings(name))
        return count == 0 or (count == 1 and not self.takes(name))

    def identity(self) -> object:
        """What tells scopes apart: those of one body are one, those of each call another one."""
        return self if self.given else (self.frame, id(self.body))

    def outermost(self) -> Scope:
        """The module around."""
        root = self.frame.root
        body = () if root.module is None else root.module.body
        return Scope(root, body, {}, self.machine)


@slotted(frozen=True, eq=False)
class Term:
    """An expression in its scope."""

    node: Any
    scope: Scope

    def inside(self, node: Any) -> Term:
        """A part of the expression, or another one of the scope."""
        return Term(node, self.scope)

    def resolved(self) -> Term:
        """What a name stands for that is bound once, or what a parameter is given."""
        term, depth = self, _DEEPEST
        while isinstance(term.node, ir.Name) and depth:
            depth -= 1
            name = term.node.id
            if name in term.scope.given:
                term = term.scope.given[name]
                continue
            bound = term.scope.bindings(name)
            if not bound and not term.scope.takes(name):
                term = Term(term.node, term.scope.outermost())
                bound = term.scope.bindings(name)
            taken = term.scope.takes(name) and not term.scope.given
            found = None
            if len(bound) == 1 and not taken:
                found = term._unpacked(name, depth) if bound[0] is None else term.inside(bound[0])
            if found is None:
                break
            term = found
        if isinstance(term.node, (ir.Attribute, ir.Subscript)) and depth:
            return term._item() or term
        return term.returned() if isinstance(term.node, ir.Call) else term

    def outer(self) -> Term:
        """What the caller gives where this is a parameter of a helper."""
        term, depth = self, _DEEPEST
        while isinstance(term.node, ir.Name) and term.node.id in term.scope.given and depth:
            term, depth = term.scope.given[term.node.id], depth - 1
        return term

    def _unpacked(self, name: str, depth: int) -> Term | None:
        """What a name is bound to that takes a part of a tuple, where its parts are written."""
        found = unpacked(self.scope.body).get(name)
        if found is None or not depth:
            return None
        whole, at = found
        term = self.inside(whole).resolved()
        items = term.node.items if isinstance(term.node, ir.Sequence) else ()
        starred = any(isinstance(one, ir.Starred) for one in items)
        return term.inside(items[at]) if at < len(items) and not starred else None

    def _item(self) -> Term | None:
        """What is written where a dict, a tuple or an object is made that this is a part of."""
        whole = self.inside(self.node.value)
        whole = whole.resolved() if isinstance(whole.node, (ir.Name, ir.Call)) else whole
        key = self.node.attr if isinstance(self.node, ir.Attribute) else self.node.index
        made: Any = None
        if isinstance(whole.node, ir.Call) and isinstance(key, str):
            made = _field(whole, key)
        elif isinstance(key, ir.Const) and isinstance(whole.node, ir.Dict):
            keys = [isinstance(name, ir.Const) and name.value for name, _ in whole.node.items]
            if all(isinstance(one, str) for one in keys) and key.value in keys:
                made = whole.node.items[keys.index(key.value)][1]
        return None if made is None else whole.inside(made).resolved()

    def returned(self) -> Term:
        """What a call of a small helper gives: the expression that it returns."""
        func = term_value(self)
        owner = self.node.func.value if isinstance(self.node.func, ir.Attribute) else None
        owner = owner if isinstance(func, Bound) else None
        plain = func.func if isinstance(func, Bound) else func
        if not isinstance(plain, Function) or plain.node.is_generator:
            return self
        if isinstance(func, Bound) and owner is None:
            return self  # The object of a method that has a name of its own is not written here.
        returns = returns_of(plain.node)
        if len(returns) != 1 or returns[0].value is None or returns[0] is not plain.node.body[-1]:
            return self
        given: dict[str, Term] = {}
        names = [p.name for p in plain.node.params if p.kind in ("plain", "positional")]
        if owner is not None and names:
            given[names.pop(0)] = self.inside(owner)
        for at, argument in enumerate(self.node.args):
            if argument.star or (argument.keyword is None and at >= len(names)):
                return self
            given[argument.keyword or names[at]] = self.inside(argument.value)
        scope = Scope(plain.frame, plain.node.body, given, self.scope.machine)
        return Term(returns[0].value, scope)

    def parts(
        self, depth: int = _DEEPEST, closed: Callable[[Any], bool] | None = None
    ) -> Iterator[Term]:
        """The expressions that this is computed from, itself first, names resolved, each name
        and call of a scope once; nothing of those that are `closed`."""
        return self._parts(depth, closed, {})

    def _parts(
        self, depth: int, closed: Callable[[Any], bool] | None, seen: dict[object, int]
    ) -> Iterator[Term]:
        """`seen` are the names and calls that were resolved, with the depth that was left."""
        stack = [self.node]
        while stack:
            node = stack.pop()
            if closed is not None and closed(node):
                continue
            yield (one := self.inside(node))
            if depth and isinstance(node, (ir.Attribute, ir.Subscript)):
                part = one._item()
                if part is not None and part.node is not node:
                    yield from part._parts(depth - 1, closed, seen)
                    continue
            if depth and isinstance(node, (ir.Name, ir.Call)):
                place = (self.scope.identity(), node.id if isinstance(node, ir.Name) else node)
                other = one.resolved() if seen.get(place, 0) < depth else one
                if other.node is not node:
                    seen[place] = depth
                    yield from other._parts(depth - 1, closed, seen)
            stack.extend(reversed(list(children(node))))

    def is_of_array(self) -> bool:
        """Whether a call is one of an array's method, as in `v.any()`."""
        func = self.node.func
        root = dotted_text(func).partition(".")[0]
        if not isinstance(func, ir.Attribute) or lookup.method(func.attr) is None:
            return False
        scope = self.scope
        return not root or root in scope.given or scope.takes(root) or bool(scope.bindings(root))

    def atoms(self) -> set[str]:
        """The names and attributes that this is computed from, as written; what is static of
        arrays, and what is called, left out."""
        found: set[str] = set()
        calls = [one for one in self.parts() if isinstance(one.node, ir.Call)]
        called = {id(one.node.func) for one in calls if not one.is_of_array()}
        methods = {id(one.node.func) for one in calls} - called
        hidden: set[int] = set()
        for one in self.parts():
            node = one.node
            if id(node) in methods:
                continue
            if id(node) in hidden or id(node) in called:
                hidden.update(map(id, _heads(node)))
            elif isinstance(node, ir.Attribute):
                hidden.update(map(id, _heads(node)))
                if node.attr not in lookup.STATIC_ATTRIBUTES:
                    found.add(dotted_text(node))
            elif isinstance(node, ir.Name) and node.id not in one.scope.given:
                found.add(node.id)
        return found - {""}


def children(node: Any) -> Iterator[Any]:
    """The expressions directly inside one, not those of functions in it."""
    if isinstance(node, OWN_SCOPES):
        return
    inside = tuple(getattr(node, f) for f in declared(type(node)) if f != "origin")
    yield from (one for one in walk(inside, (ir.Expr,)) if isinstance(one, ir.Expr))


def _heads(node: Any) -> Iterator[Any]:
    while isinstance(node, ir.Attribute):
        node = node.value
        yield node


def term(frame: Frame, node: ir.Expr, machine: Machine | None = None) -> Term:
    """An expression that a frame evaluates."""
    return Term(node, Scope(frame, body_of(frame), {}, machine))


def body_of(frame: Frame) -> tuple[ir.Stmt, ...]:
    """The body of the function that a frame belongs to, or of the module."""
    home = frame.home()
    root = home.root.module
    return home.func.body if home.func is not None else root.body if root is not None else ()


def value_of(frame: Frame, name: str) -> Value | None:
    """What a name holds now, where that can be told without running anything."""
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.env:
            return scope.env[name]
        scope = scope.parent
    return None


def held_by(frame: Frame, node: Any) -> Value | None:
    """What a name holds, or an attribute of an object that a name holds."""
    if isinstance(node, ir.Name):
        return value_of(frame, node.id)
    if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const):
        return _item(held_by(frame, node.value), node.index.value)
    if not isinstance(node, ir.Attribute):
        return None
    owner = held_by(frame, node.value)
    if isinstance(owner, Instance):
        found = owner.fields.get(node.attr)
        return owner.cls.find(node.attr) if found is None else found
    return owner.find(node.attr) if isinstance(owner, Class) else None


def _field(made: Term, name: str) -> ir.Expr | None:
    """The argument that goes to a field where an object of a class without a constructor of its
    own is made."""
    cls = term_value(made)
    if not isinstance(cls, Class) or cls.find("__init__") is not None:
        return None
    names = [*cls.fields]
    for at, argument in enumerate(made.node.args):
        if argument.star:
            return None
        if name == (argument.keyword or (names[at] if at < len(names) else "")):
            found: ir.Expr = argument.value
            return found
    return None


def _item(owner: Value | None, key: object) -> Value | None:
    """What a dict or a tuple holds at a place."""
    if isinstance(owner, Mapping):
        return owner.items.get(key) if isinstance(key, str) else None
    items = owner.items if isinstance(owner, Sequence) else None
    known = items is not None and type(key) is int and -len(items) <= key < len(items)
    return items[key] if items is not None and isinstance(key, int) and known else None


def term_value(one: Term) -> Value | None:
    """The function that a call calls, where it goes by a name."""
    func = one.node.func if isinstance(one.node, ir.Call) else None
    if isinstance(func, ir.Name):
        found = value_of(one.scope.frame, func.id)
        if not isinstance(found, Deferred):
            return found
    machine = one.scope.machine
    if machine is None or func is None or not is_chain(func):
        return None
    if isinstance(func, ir.Attribute):
        owner = one.inside(func.value).outer()
        if owner.scope is not one.scope:
            # A method of what a helper is given: the caller knows the object.
            return _method(held_by(owner.scope.frame, owner.node), func.attr)
    return peek(machine, one.scope.frame, func)


def _method(owner: Value | None, name: str) -> Value | None:
    """A method of an object."""
    found = owner.cls.find(name) if isinstance(owner, Instance) else None
    return Bound(found, owner) if isinstance(found, Function) and owner is not None else None

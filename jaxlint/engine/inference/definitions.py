"""What the names of a function stand for, read from the source: an expression is looked at
together with those that it is computed from."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.base.dataclass import declared, slotted
from jaxlint.dataflow.memo import answered_once, answered_once_of
from jaxlint.dataflow.names import assigned, bound_names, dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Function, Instance, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_DEEPEST = 8
_INNER = (ir.FunctionDef, ir.Lambda, ir.ClassDef)


@answered_once_of
def bindings(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.Expr | None]]:
    """What each name of a body is bound to, None where that is no expression of its own."""
    found: dict[str, list[ir.Expr | None]] = {}
    for node in walk(body, _INNER):
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


@answered_once
def parameters(function: ir.FunctionDef) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(param.name for param in function.params)


@answered_once
def returns_of(function: ir.FunctionDef) -> tuple[ir.Return, ...]:
    """The return statements of a function."""
    return tuple(n for n in walk(function.body, _INNER) if isinstance(n, ir.Return))


def returned(function: ir.FunctionDef) -> ir.Node:
    """Where a function returns something, the function itself if it does so in several places."""
    returns = returns_of(function)
    value = returns[0].value if len(returns) == 1 else None
    return function if value is None else value


@slotted(frozen=True, eq=False)
class Scope:
    """Where an expression stands: the frame that evaluates it, and for the body of a helper the
    arguments of its call, each with its own scope."""

    frame: Frame
    body: tuple[ir.Stmt, ...]
    given: dict[str, Term]

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

    def identity(self) -> object:
        """What tells scopes apart: those of one body are one, those of each call another one."""
        return self if self.given else (self.frame, id(self.body))

    def outermost(self) -> Scope:
        """The module around."""
        root = self.frame.root
        return Scope(root, () if root.module is None else root.module.body, {})


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
            if len(bound) != 1 or bound[0] is None or taken:
                break
            term = term.inside(bound[0])
        return term.returned() if isinstance(term.node, ir.Call) else term

    def returned(self) -> Term:
        """What a call of a small helper gives: the expression that it returns."""
        func = term_value(self)
        if not isinstance(func, Function) or func.node.is_generator:
            return self
        returns = returns_of(func.node)
        if len(returns) != 1 or returns[0].value is None or returns[0] is not func.node.body[-1]:
            return self
        given: dict[str, Term] = {}
        names = [p.name for p in func.node.params if p.kind in ("plain", "positional")]
        for at, argument in enumerate(self.node.args):
            if argument.star or (argument.keyword is None and at >= len(names)):
                return self
            given[argument.keyword or names[at]] = self.inside(argument.value)
        return Term(returns[0].value, Scope(func.frame, func.node.body, given))

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
            if depth and isinstance(node, (ir.Name, ir.Call)):
                place = (self.scope.identity(), node.id if isinstance(node, ir.Name) else node)
                other = one.resolved() if seen.get(place, 0) < depth else one
                if other.node is not node:
                    seen[place] = depth
                    yield from other._parts(depth - 1, closed, seen)
            stack.extend(reversed(list(children(node))))

    def atoms(self) -> set[str]:
        """The names and attributes that this is computed from, as written; what is static of
        arrays, and what is called, left out."""
        found: set[str] = set()
        called = {id(one.node.func) for one in self.parts() if isinstance(one.node, ir.Call)}
        hidden: set[int] = set()
        for one in self.parts():
            node = one.node
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
    if isinstance(node, _INNER):
        return
    inside = tuple(getattr(node, f) for f in declared(type(node)) if f != "origin")
    yield from (one for one in walk(inside, (ir.Expr,)) if isinstance(one, ir.Expr))


def _heads(node: Any) -> Iterator[Any]:
    while isinstance(node, ir.Attribute):
        node = node.value
        yield node


def term(frame: Frame, node: ir.Expr) -> Term:
    """An expression that a frame evaluates."""
    home = frame.home()
    root = home.root.module
    body = home.func.body if home.func is not None else root.body if root is not None else ()
    return Term(node, Scope(home, body, {}))


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
    if not isinstance(node, ir.Attribute):
        return None
    owner = held_by(frame, node.value)
    if isinstance(owner, Instance):
        found = owner.fields.get(node.attr)
        return owner.cls.find(node.attr) if found is None else found
    return owner.find(node.attr) if isinstance(owner, Class) else None


def term_value(one: Term) -> Value | None:
    """The function that a call calls, where it goes by a name."""
    func = one.node.func if isinstance(one.node, ir.Call) else None
    return value_of(one.scope.frame, func.id) if isinstance(func, ir.Name) else None


Known = dict[tuple[object, int], float | None]


def number_of(one: Term, known: Known | None = None) -> float | None:
    """The number that an expression is, None where it is none or not known. `known` are those
    of the terms that were looked at."""
    resolved = one.resolved()
    known = {} if known is None else known
    place = (resolved.scope.identity(), id(resolved.node))
    if place not in known:
        known[place] = None  # An expression that is computed from itself.
        known[place] = _number(resolved, known)
    return known[place]


def _number(one: Term, known: Known) -> float | None:
    node, sign = one.node, 1.0
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        node, sign = node.operand, -1.0
    if isinstance(node, ir.BinOp) and node.op == "/":
        parts = [number_of(one.inside(side), known) for side in (node.left, node.right)]
        return None if None in parts or not parts[1] else (parts[0] or 0.0) / parts[1]
    if isinstance(node, ir.Const) and isinstance(node.value, (int, float)):
        return sign * node.value
    value = held_by(one.scope.frame, node)
    if isinstance(value, Static) and isinstance(value.const, (int, float)):
        return sign * value.const
    return None


def evaluated(one: Term, name: str, value: float) -> float:
    """The value of an expression of one variable where that has a value.

    Raises:
        ArithmeticError, ValueError: it has none there.
        LookupError: what is not known is computed with.
    """
    return _Evaluation(name, value).of(one, _DEEPEST)


class _Evaluation:
    """The values of expressions for one value of a variable, each name's once."""

    def __init__(self, name: str, value: float) -> None:
        self.name, self.value = name, value
        self.known: dict[tuple[object, int], float] = {}
        self.numbers: Known = {}

    def of(self, one: Term, depth: int) -> float:
        """The value of a term, names followed so deep."""
        node = one.node
        if dotted_text(node) == self.name:
            return self.value
        number = number_of(one, self.numbers)
        if number is not None:
            return number
        if isinstance(node, ir.Const) and isinstance(node.value, complex) and not node.value.imag:
            # `x + 0j`
            return node.value.real
        if isinstance(node, ir.UnaryOp) and node.op == "-":
            return -self.of(one.inside(node.operand), depth)
        if isinstance(node, ir.BinOp):
            left, right = (self.of(one.inside(side), depth) for side in (node.left, node.right))
            return _ARITHMETIC[node.op](left, right)
        if isinstance(node, ir.Call) and len(node.args) == 1 and not node.args[0].star:
            last = dotted_text(node.func).rpartition(".")[2]
            if last in _ELEMENTARY:
                return _ELEMENTARY[last](self.of(one.inside(node.args[0].value), depth))
        other = one.resolved()
        if other.node is node or not depth:
            raise LookupError(self.name)
        place = (other.scope.identity(), id(other.node))
        if place not in self.known:
            self.known[place] = self.of(other, depth - 1)
        return self.known[place]


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_ELEMENTARY: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "negative": operator.neg,
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
    "tanh": math.tanh,
}

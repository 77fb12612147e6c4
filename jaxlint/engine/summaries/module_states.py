"""What the names of a module hold at the moments at which a function of it may be called.

A function is analysed for arguments of any sort once the whole module has run. By then a name that
it reads may have been bound again, in a later cell of a notebook for example, to something that no
call of the function ever saw.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter

from jaxlint.dataflow.budget import unmetered
from jaxlint.dataflow.memo import answered_once, answered_once_of
from jaxlint.dataflow.names import bound_names, names_in_loop, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.namespace import Namespace
from jaxlint.engine.domain.values import NonNone, Transformed, Unknown, Value, join
from jaxlint.syntax import ir

# Statements that bind what they bind once all else in them has run.
_SIMPLE = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt)
_DEFINITIONS = (ir.FunctionDef, ir.ClassDef)
_FIRST = itemgetter(0)


class Moments:
    """The names that the statements of a module bound, in order: the statement and the value. And
    the statements that only wrap functions, and call none, a bit each."""

    __slots__ = ("bound", "wrapping")

    def __init__(self) -> None:
        self.bound: dict[str, list[tuple[int, Value]]] = {}
        self.wrapping = 0

    def ran(self, frame: Frame, at: int, statement: ir.Stmt) -> None:
        """Notes what the names hold behind a statement that may bind them."""
        for name in {*names_in_loop((statement,)), *bound_names(statement)}:
            value = frame.env.get(name)
            if value is not None:
                self.bound.setdefault(name, []).append((at, value))
                if isinstance(statement, ir.Assign) and _makes(statement.value, value):
                    self.wrapping |= 1 << at

    @contextmanager
    def around(self, frame: Frame, node: ir.Node) -> Iterator[None]:
        """While code that stands at `node` runs, a name that was bound several times holds what it
        may hold when that code is called."""
        module = frame.module
        again = {name: held for name, held in self.bound.items() if len(held) > 1}
        calls = _calls(module, node) if module is not None and again else None
        if calls is None or module is None:
            yield
            return
        # Other modules may call it too, but nothing imports a notebook.
        anytime = not (module.source.cells and calls)
        # What is only wrapped here may be called from there on.
        calls = calls & ~self.wrapping or (0 if anytime else calls)
        held = {
            name: _then(
                values,
                _held(values, calls, module.body, self.wrapping),
                frame.env.get(name) if anytime else None,
            )
            for name, values in again.items()
        }
        given = {name: value for name, value in held.items() if value is not None}
        # A name that was deleted in the end holds nothing.
        before = {name: frame.env.get(name) for name in given}
        frame.env.update(given)
        try:
            yield
        finally:
            # Paths that part leave an environment of another kind behind.
            if not isinstance(frame.env, Namespace):
                frame.env = Namespace(frame.env)
            for name, value in given.items():
                if frame.env.get(name) is not value:
                    continue
                last = before[name]
                if last is None:
                    del frame.env[name]
                else:
                    frame.env[name] = last


def _then(
    values: list[tuple[int, Value]], held: Iterator[Value], last: Value | None
) -> Value | None:
    """What a name holds at calls, None where that is what it holds last."""
    joined: Value | None = None
    distinct = set[int]()
    for value in chain(() if last is None else (last,), held):
        if id(value) not in distinct:
            distinct.add(id(value))
            joined = value if joined is None else join(joined, value)
            if isinstance(joined, Unknown) and not isinstance(joined, NonNone):
                break  # Nothing that is joined to it changes it.
    return None if distinct <= {id(values[-1][1])} else joined


def _held(
    values: list[tuple[int, Value]], calls: int, body: tuple[ir.Stmt, ...], wrapping: int
) -> Iterator[Value]:
    """What a name holds at calls in these statements, or behind those that only wrap."""
    while calls:
        first = calls & -calls
        calls ^= first
        call = first.bit_length() - 1
        at = (bisect_right if first & wrapping else bisect_left)(values, call, key=_FIRST)
        if at:
            yield values[at - 1][1]
        if at < len(values) and values[at][0] == call and not isinstance(body[call], _SIMPLE):
            yield values[at][1]


def _makes(call: ir.Expr, value: Value) -> bool:
    """Whether a call is a transform that gives this value, and nothing else is called for it."""
    if not isinstance(call, ir.Call) or not isinstance(value, Transformed):
        return False
    return value.record.node is call and all(
        _makes(given.value, value.func)
        or not any(isinstance(one, ir.Call) for one in walk(given.value))
        for given in call.args
    )


def _calls(module: ir.Module, node: ir.Node) -> int | None:
    """The statements in which the code around a node may be called, a bit each; None where it
    stands in no statement."""
    at = _places(module).get(id(node))
    if at is None:
        return None
    found = _reached(module)
    if at not in found:
        _reach(module, at, found)
    return found[at]


@answered_once
def _reached(module: ir.Module) -> dict[int, int]:
    """What `_reach` found so far in a module."""
    return {}


def _reach(module: ir.Module, start: int, found: dict[int, int]) -> None:
    """Finds the statements that may run what one binds, directly or not, and the same for all that
    it goes through, once each. Statements that reach each other reach the same ones (Tarjan)."""
    body = module.body
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    calls: dict[int, int] = {}
    around: list[int] = []
    running: list[tuple[int, Iterator[int]]] = []

    def begin(at: int) -> None:
        order[at] = lowest[at] = len(order)
        calls[at] = 0 if isinstance(body[at], _DEFINITIONS) else 1 << at
        around.append(at)
        running.append((at, _users(module, at)))

    begin(start)
    while running:
        at, users = running[-1]
        user = next(users, None)
        if user is None:
            running.pop()
            if lowest[at] == order[at]:
                while at not in found:
                    found[around.pop()] = calls[at]
            if running:
                caller = running[-1][0]
                lowest[caller] = min(lowest[caller], lowest[at])
                calls[caller] |= calls[at]
        elif user in found:
            calls[at] |= found[user]
        elif user in order:
            lowest[at] = min(lowest[at], order[user])
        else:
            begin(user)


def _users(module: ir.Module, at: int) -> Iterator[int]:
    """The statements that mention a name that a statement binds, before another one binds it."""
    earlier_too = isinstance(module.body[at], _DEFINITIONS)
    for name in sorted(bound_names(module.body[at])):
        users, binders = _said(module).get(name, ((), ()))
        begin = 0 if earlier_too else bisect_right(users, at)
        end = len(users)
        again = bisect_right(binders, at)
        if again < len(binders):
            # An assignment may read what it binds anew.
            last, statement = binders[again], module.body[binders[again]]
            reads = not isinstance(statement, _DEFINITIONS) and name in _reads(statement)
            end = bisect_right(users, last) if reads else bisect_left(users, last)
        yield from (users[one] for one in range(begin, end) if users[one] != at)


@answered_once_of
def _reads(statement: ir.Stmt) -> set[str]:
    """The names that a statement mentions, those apart that an assignment merely binds."""
    told = statement.value if isinstance(statement, (ir.Assign, ir.AnnAssign)) else statement
    with unmetered():
        return {one.id for one in walk(told) if isinstance(one, ir.Name)}


@answered_once
def _said(module: ir.Module) -> dict[str, tuple[list[int], list[int]]]:
    """The statements of a module that mention or bind each name, and those that bind it."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for at, statement in enumerate(module.body):
        bound = bound_names(statement)
        for name in _reads(statement) | bound:
            users, binders = found.setdefault(name, ([], []))
            users.append(at)
            if name in bound:
                binders.append(at)
    return found


@answered_once
def _places(module: ir.Module) -> dict[int, int]:
    """The statement of a module that each node is in, by the node's identity."""
    with unmetered():
        return {id(one): at for at, stmt in enumerate(module.body) for one in walk(stmt)}

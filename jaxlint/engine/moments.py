"""What the names of a module hold at the moments at which a function of it may be called.

A function is analysed for arguments of any sort once the whole module has run. By then a name that
it reads may have been bound again, in a later cell of a notebook for example, to something that no
call of the function ever saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.engine.bindings import bound_names, names_in_loop, walk
from jaxlint.engine.namespace import Namespace
from jaxlint.engine.questions import answered_once
from jaxlint.engine.state import Frame
from jaxlint.engine.values import Value, join_all
from jaxlint.syntax import ir

# Statements that bind what they bind once all else in them has run.
_SIMPLE = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt)
_DEFINITIONS = (ir.FunctionDef, ir.ClassDef)


class Moments:
    """The names that the statements of a module bound, in order: the statement and the value."""

    __slots__ = ("bound",)

    def __init__(self) -> None:
        self.bound: dict[str, list[tuple[int, Value]]] = {}

    def ran(self, frame: Frame, at: int, statement: ir.Stmt) -> None:
        """Notes what the names hold behind a statement that may bind them."""
        for name in {*names_in_loop((statement,)), *bound_names(statement)}:
            value = frame.env.get(name)
            if value is not None:
                self.bound.setdefault(name, []).append((at, value))

    @contextmanager
    def around(self, frame: Frame, node: ir.Node) -> Iterator[None]:
        """While code that stands at `node` runs, a name that was bound several times holds what it
        may hold when that code is called."""
        module = frame.module
        again = {name: held for name, held in self.bound.items() if len(held) > 1}
        found = _calls(module, node) if module is not None and again else None
        if found is None or module is None:
            yield
            return
        calls, anytime = found
        held = {
            name: _then(values, calls, module.body, frame.env.get(name) if anytime else None)
            for name, values in again.items()
        }
        before = {name: frame.env[name] for name, value in held.items() if value is not None}
        given = {name: value for name, value in held.items() if value is not None}
        frame.env.update(given)
        try:
            yield
        finally:
            # Paths that part leave an environment of another kind behind.
            if not isinstance(frame.env, Namespace):
                frame.env = Namespace(frame.env)
            for name, value in given.items():
                if frame.env.get(name) is value:
                    frame.env[name] = before[name]


def _then(
    values: list[tuple[int, Value]],
    calls: frozenset[int],
    body: tuple[ir.Stmt, ...],
    last: Value | None,
) -> Value | None:
    """What a name holds at calls in these statements, None where that is what it holds last."""
    found: list[Value] = [] if last is None else [last]
    for call in calls:
        earlier = [value for at, value in values if at < call]
        found += earlier[-1:]
        if not isinstance(body[call], _SIMPLE):
            found += [value for at, value in values if at == call]
    distinct = list({id(value): value for value in found}.values())
    if not distinct or (len(distinct) == 1 and distinct[0] is values[-1][1]):
        return None
    return join_all(distinct)


def _calls(module: ir.Module, node: ir.Node) -> tuple[frozenset[int], bool] | None:
    """The statements in which the code around a node may be called, and whether other modules may
    call it too; None where it stands in no statement."""
    at = _places(module).get(id(node))
    if at is None:
        return None
    calls: set[int] = set()
    if not isinstance(module.body[at], _DEFINITIONS):
        calls.add(at)
    waiting, known = [(at, name) for name in sorted(bound_names(module.body[at]))], set()
    while waiting:
        one = waiting.pop()
        if one in known:
            continue
        known.add(one)
        for user in _users(module, *one):
            statement = module.body[user]
            if not isinstance(statement, _DEFINITIONS):
                calls.add(user)
            waiting += [(user, name) for name in sorted(bound_names(statement))]
    # Nothing imports a notebook.
    return frozenset(calls), not (module.source.cells and calls)


def _users(module: ir.Module, at: int, name: str) -> list[int]:
    """The statements that mention a name that a statement binds, before another one binds it."""
    earlier_too = isinstance(module.body[at], _DEFINITIONS)
    found = []
    for one in _said(module).get(name, ()):
        if one != at and (one > at or earlier_too):
            found.append(one)
    for one in found:
        if one > at and name in bound_names(module.body[one]):
            reads = not isinstance(module.body[one], _DEFINITIONS) and _reads(module.body[one])
            last = one if reads and name in reads else one - 1
            return [other for other in found if other <= last]
    return found


def _reads(statement: ir.Stmt) -> set[str]:
    """The names that a statement mentions, those apart that an assignment merely binds."""
    told = statement.value if isinstance(statement, (ir.Assign, ir.AnnAssign)) else statement
    return {one.id for one in walk(told) if isinstance(one, ir.Name)} if told is not None else set()


@answered_once
def _said(module: ir.Module) -> dict[str, list[int]]:
    """The statements of a module that mention or bind each name."""
    found: dict[str, list[int]] = {}
    for at, statement in enumerate(module.body):
        for name in _reads(statement) | bound_names(statement):
            found.setdefault(name, []).append(at)
    return found


@answered_once
def _places(module: ir.Module) -> dict[int, int]:
    """The statement of a module that each node is in, by the node's identity."""
    return {id(one): at for at, stmt in enumerate(module.body) for one in walk(stmt)}

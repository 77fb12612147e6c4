"""What functions put on lists for a while: a block adds an element, and takes it off again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import OWN_SCOPES, dotted_text, walk
from jaxlint.syntax import ir

_LEAVES = (ir.Return, ir.Break, ir.Continue)
_COMPOUND = (*OWN_SCOPES, ir.If, ir.While, ir.For, ir.With, ir.Try, ir.Match)
# Methods that add one element, each with the one that takes it off again.
ENDS = {"append": "pop", "appendleft": "popleft"}
_ADDED_BY = {taking: adding for adding, taking in ENDS.items()}


@answered_once
def lent_to(function: ir.FunctionDef | None) -> frozenset[str]:
    """Names and attributes of lists that hold after a function what they held before: each block
    that appends to one takes as much off again, and is not left in between."""
    blocks = [] if function is None else list(_blocks(function.body))
    if not any(_put_on(one) for block in blocks for one in block):
        return frozenset()
    lent: set[str] = set()
    kept: set[str] = set()
    for block in blocks:
        _balance(block, lent, kept)
    return frozenset(lent - kept)


def _balance(block: tuple[ir.Stmt, ...], lent: set[str], kept: set[str]) -> None:
    """Sorts the lists that the statements of one block change."""
    count: Counter[tuple[str, str]] = Counter()
    for one in block:
        if (end := _put_on(one)) is not None:
            count[end] += 1
        elif isinstance(one, _COMPOUND):
            if any(isinstance(part, _LEAVES) for part in walk(one, OWN_SCOPES)):
                kept.update(name for name, _ in +count)
        else:
            for end in _taken_from(one):
                count[end] -= 1
                (lent if count[end] >= 0 else kept).add(end[0])
            if isinstance(one, _LEAVES):
                break
    kept.update(name for name, _ in +count)


def _blocks(body: Any) -> Iterator[tuple[ir.Stmt, ...]]:
    """A body, and those of the statements in it."""
    yield body
    for one in walk(body, OWN_SCOPES):
        if isinstance(one, (ir.If, ir.While, ir.For)):
            yield from (one.body, one.orelse)
        elif isinstance(one, ir.With):
            yield one.body
        elif isinstance(one, ir.Try):
            yield from (
                one.body,
                *(handler.body for handler in one.handlers),
                one.orelse,
                one.final,
            )
        elif isinstance(one, ir.Match):
            yield from (case.body for case in one.cases)


def _put_on(statement: ir.Stmt) -> tuple[str, str] | None:
    """The list that a statement appends to, with the method; None for any other."""
    call = statement.value if isinstance(statement, ir.ExprStmt) else None
    func = call.func if isinstance(call, ir.Call) and len(call.args) == 1 else None
    if not isinstance(func, ir.Attribute) or func.attr not in ENDS:
        return None
    return dotted_text(func.value), func.attr


def _taken_from(statement: ir.Stmt) -> Iterator[tuple[str, str]]:
    """The lists that a statement takes an element off, each with the method that adds there."""
    for part in walk(statement, OWN_SCOPES):
        func = part.func if isinstance(part, ir.Call) and not part.args else None
        if isinstance(func, ir.Attribute) and func.attr in _ADDED_BY:
            yield dotted_text(func.value), _ADDED_BY[func.attr]

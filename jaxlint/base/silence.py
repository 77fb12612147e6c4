"""Why tracing did not reach what it did not reach: one reason for each function and statement.

What one reason hides has one root: a call of what is not known, a branch that is never taken, a
function that nothing calls. Functions that only unreached functions call have the root of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import TypeVar

from jaxlint.base.coverage import Coverage
from jaxlint.base.inventory import Definition, Key, Statement
from jaxlint.base.slotted import slotted
from jaxlint.base.spot import Spot

T = TypeVar("T")
# Every kind of reason, the most telling first, with what it says.
KINDS = {
    "file": "file that could not be analysed",
    "cut": "analysis cut: size or recursion",
    "unknown": "possible target of an unknown call",
    "given": "given to code that is not followed",
    "branch": "behind a test with one outcome",
    "loop": "in a loop without iterations",
    "handler": "in a handler of what is not raised",
    "behind": "behind the end of every path",
    "stored": "handed on, and no call of it followed",
    "host": "called from host code only",
    "caller": "no caller",
    "test": "test or fixture, run on the host",
    "stub": "declaration without a body to run",
    "jaxless": "file that tracing does not lead to",
    "module": "code of a module, run on the host",
}


@slotted(frozen=True, order=True)
class Root:
    """What hides functions and statements. `place` tells roots apart that say the same."""

    kind: str
    text: str
    place: Spot | None = None


@slotted(frozen=True)
class Reason:
    """Why a function or a statement is not reached.

    `kind` is one of KINDS, or "callers" for a function that only unreached functions call:
    `through` is the outermost of these. `spot` is where the chain to the root begins, such as the
    call whose callee is not known.
    """

    kind: str
    root: Root
    spot: Spot | None = None
    through: Definition | None = None

    @property
    def text(self) -> str:
        """The reason in words."""
        place = "" if self.spot is None else f" ({self.spot})"
        if self.through is None:
            return f"{self.root.text}{place}"
        outer = f"`{self.through.name}` ({self.through.spot})"
        return f"its callers are not reached, the outermost is {outer}: {self.root.text}{place}"


@slotted(frozen=True)
class Hidden:
    """A function or a statement that tracing did not reach; `name` is that of the function."""

    spot: Spot
    name: str
    reason: Reason


@slotted(frozen=True)
class Group:
    """What one root hides."""

    root: Root
    functions: tuple[Hidden, ...]
    statements: tuple[Hidden, ...]
    spots: tuple[Spot, ...]


@slotted(frozen=True)
class Silence:
    """What tracing reached of some files, and why not the rest.

    `known` counts their functions, `supposed` those that ran for any arguments only, `listed` the
    statements of the functions that were reached. `functions` and `statements` are those that were
    not reached.
    """

    known: int
    supposed: int
    listed: int
    functions: tuple[Hidden, ...]
    statements: tuple[Hidden, ...]
    index: Index = field(repr=False)

    def reason(self, file: str, line: int, cell: int = 0) -> Reason | None:
        """Why the statement, or the function whose `def` or decorator is on a line, is not
        reached; None if it is. `file` is a path as it was given, or a file's identity."""
        return self.index.reason(file, line, cell)

    def totals(self) -> list[tuple[str, int, int]]:
        """The kinds of reasons, with how many functions and how many statements have each. What
        only unreached functions call counts for the root of these."""
        rows = []
        for kind in KINDS:
            functions = sum(one.reason.root.kind == kind for one in self.functions)
            statements = sum(one.reason.root.kind == kind for one in self.statements)
            if functions or statements:
                rows.append((kind, functions, statements))
        return sorted(rows, key=lambda row: (-row[1], -row[2], row[0]))

    def groups(self) -> list[Group]:
        """What each root hides, the root that hides most first."""
        found: dict[Root, tuple[list[Hidden], list[Hidden]]] = {}
        for one in self.functions:
            found.setdefault(one.reason.root, ([], []))[0].append(one)
        for one in self.statements:
            found.setdefault(one.reason.root, ([], []))[1].append(one)
        groups = [
            Group(root, tuple(functions), tuple(statements), _spots([*functions, *statements]))
            for root, (functions, statements) in found.items()
        ]
        return sorted(groups, key=_weight)


def _spots(hidden: list[Hidden]) -> tuple[Spot, ...]:
    return tuple(sorted({one.reason.spot for one in hidden if one.reason.spot is not None}))


def _weight(group: Group) -> tuple[int, int, Root, Spot]:
    first = (*group.functions, *group.statements)[0].spot
    root = Root(group.root.kind, group.root.text)
    return -len(group.functions), -len(group.statements), root, first


class Index:
    """The reasons of files by lines."""

    def __init__(
        self,
        coverage: Coverage,
        functions: dict[Key, Reason],
        statements: dict[Key, Reason],
        broken: dict[str, Reason],
    ) -> None:
        self._functions = functions
        self._statements = statements
        self._broken = broken
        self._written: dict[str, tuple[str, tuple[Definition, ...], tuple[Statement, ...]]] = {}
        for one in coverage.inventories:
            written = (one.file, one.definitions, one.statements)
            self._written[one.path] = self._written[one.file] = written
        for fault in coverage.broken:
            self._broken[fault.spot.path] = self._broken[fault.file] = broken[fault.file]

    def reason(self, file: str, line: int, cell: int = 0) -> Reason | None:
        """Why a line is not reached."""
        if file not in self._written:
            return self._broken.get(file, _OUTSIDE)
        file, definitions, statements = self._written[file]
        for one in definitions:
            if one.spot.cell == cell and one.first <= line <= one.spot.line:
                return self._functions.get(Key(file, one.number))
        statement = _innermost(
            (one.spot.line, one)
            for one in statements
            if one.spot.cell == cell and one.spot.line <= line <= one.last
        )
        if statement is not None:
            inside = self._functions.get(Key(file, statement.function))
            return inside or self._statements.get(Key(file, statement.number))
        definition = _innermost(
            (one.first, one)
            for one in definitions
            if one.spot.cell == cell and one.first <= line <= one.last
        )
        return _MODULE if definition is None else self._functions.get(Key(file, definition.number))


def _innermost(found: Iterable[tuple[int, T]]) -> T | None:
    best = max(found, key=lambda one: one[0], default=None)
    return None if best is None else best[1]


_OUTSIDE = Reason("file", Root("file", "the file is not among those that were looked at"))
_MODULE = Reason("module", Root("module", "code of a module runs on the host"))

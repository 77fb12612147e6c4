"""Why tracing did not reach what it did not reach: one reason for each function and statement.

What one reason hides has one root: a call of what is not known, a branch that is never taken, a
function that nothing calls. Functions that only unreached functions call have the root of these.
"""

from __future__ import annotations

from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.surveys.coverage import Coverage
from jaxlint.base.surveys.inventory import Definition, Inventory, Key
from jaxlint.base.surveys.spot import Spot

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

    def reason(self, file: str, line: int, cell: int = 0, is_lambda: bool = False) -> Reason | None:
        """Why the statement, or the function whose `def` or decorator is on a line, is not
        reached; None if it is. `file` is a path as it was given, or a file's identity. With
        `is_lambda`, it is about the code of a lambda without a name that begins there."""
        if is_lambda:
            return self.index.reason_of_lambda(file, line, cell)
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
        self._written: dict[str, Inventory] = {}
        # By the files: the reasons of all lines that are in functions.
        self._lines: dict[str, dict[tuple[int, int], Reason | None]] = {}
        for one in coverage.inventories:
            self._written[one.path] = self._written[one.file] = one
        for fault in coverage.broken:
            self._broken[fault.spot.path] = broken[fault.file]

    def reason(self, file: str, line: int, cell: int = 0) -> Reason | None:
        """Why a line is not reached."""
        written = self._written.get(file)
        if written is None:
            return self._broken.get(file, _OUTSIDE)
        if written.file not in self._lines:
            self._lines[written.file] = self._read(written)
        return self._lines[written.file].get((cell, line), _MODULE)

    def reason_of_lambda(self, file: str, line: int, cell: int) -> Reason | None:
        """Why a lambda without a name is not reached; one of several on a line that is."""
        written = self._written.get(file)
        if written is None:
            return self.reason(file, line, cell)
        found = [
            self._functions.get(Key(written.file, one.number))
            for one in written.definitions
            if one.anonymous and (one.spot.cell, one.spot.line) == (cell, line)
        ]
        return next(filter(None, found), None) if found else self.reason(file, line, cell)

    def _read(self, written: Inventory) -> dict[tuple[int, int], Reason | None]:
        """The reasons by cell and line: what is further inside comes later."""
        found: dict[tuple[int, int], Reason | None] = {}
        named = [one for one in written.definitions if not one.anonymous]
        for one in named:
            reason = self._functions.get(Key(written.file, one.number))
            found |= dict.fromkeys(_lines(one.spot.cell, one.first, one.last), reason)
        for it in written.statements:
            reason = self._functions.get(Key(written.file, it.function))
            reason = reason or self._statements.get(Key(written.file, it.number))
            found |= dict.fromkeys(_lines(it.spot.cell, it.spot.line, it.last), reason)
        for one in named:
            reason = self._functions.get(Key(written.file, one.number))
            found |= dict.fromkeys(_lines(one.spot.cell, one.first, one.spot.line), reason)
        return found


def _lines(cell: int, first: int, last: int) -> list[tuple[int, int]]:
    return [(cell, line) for line in range(first, last + 1)]


_OUTSIDE = Reason("file", Root("file", "the file is not among those that were looked at"))
_MODULE = Reason("module", Root("module", "code of a module runs on the host"))

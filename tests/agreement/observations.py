"""What a project's own tests showed of its code: the JSON of `observer.py`, by statements."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TRACED = frozenset("tm")
"""The kinds of values that are tracers or hold one."""
AGAIN, ALIKE, FRESH, UNKNOWN = "again", "alike", "fresh", "unknown"
"""What is known of a consumed key: the same object was consumed before; another with the same
content was; no such key was; or it is a tracer that was not consumed before, of which nobody knows
whether it is computed as another one was."""
EMPTY = frozenset("e")
"""The kinds of values that have no leaves, which tell nothing of what would be in them."""
OPAQUE = frozenset("u")
"""The kind of what cannot be looked into, which may hold a tracer."""
NOTHING = frozenset("o")
"""The kind of None, which is a pytree without leaves."""


Place = tuple[str, int]
Counts = dict[Place, dict[str, int]]


@dataclass(frozen=True)
class Entry:
    """A function at which tracing starts."""

    file: str
    line: int


@dataclass
class Seen:
    """What was seen of one statement under traces. `names` gives the kinds of values that each
    name held before it, in the letters of the observer, `forms` the dtypes and ranks of tracers."""

    file: str
    line: int
    function: Function
    traced: int = 0
    staged: int = 0
    host: int = 0
    entries: set[Entry] = field(default_factory=set)
    names: dict[str, set[str]] = field(default_factory=dict)
    forms: dict[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Function:
    """A function that ran. `calls` and `modules` are its distance from the function at which
    tracing starts, None where it only ran outside traces."""

    file: str
    name: str
    line: int
    traced: int
    host: int
    calls: int | None
    modules: int | None
    entries: tuple[Entry, ...]
    tracers: tuple[str, ...]


@dataclass
class Observations:
    """All that was seen of a project. `ran` are the statements that ran, under traces or outside.
    The rest counts by file and line of a statement: the errors that were raised there under a
    trace and outside, the conversions of tracers and whether they succeeded, the warnings by
    category, and the random keys that were consumed by what was known of them."""

    functions: list[Function] = field(default_factory=list)
    statements: dict[Place, Seen] = field(default_factory=dict)
    ran: set[Place] = field(default_factory=set)
    raised: Counts = field(default_factory=dict)
    failed: Counts = field(default_factory=dict)
    converted: Counts = field(default_factory=dict)
    warned: Counts = field(default_factory=dict)
    keys: Counts = field(default_factory=dict)
    seconds: float = 0.0
    jax: str = ""
    python: str = ""
    outcome: str = ""
    changed: list[str] = field(default_factory=list)


class Statements:
    """The innermost statement of each line of a checkout's files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, dict[int, int]] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self._functions: dict[str, dict[int, int]] = {}
        self._within: dict[str, dict[int, frozenset[str]]] = {}
        self._attributes: dict[str, list[tuple[int, int, frozenset[str]]]] = {}
        self._uncertain: dict[str, list[tuple[tuple[int, int], tuple[int, int]]]] = {}

    def tree(self, file: str) -> ast.Module | None:
        """A file's syntax tree, None where there is none."""
        if file not in self._trees:
            try:
                self._trees[file] = ast.parse((self._root / file).read_bytes())
            except (OSError, SyntaxError, ValueError):
                self._trees[file] = None
        return self._trees[file]

    def start(self, file: str, line: int) -> int:
        """The first line of the innermost statement that covers a line."""
        if file not in self._files:
            tree = self.tree(file)
            self._files[file] = {} if tree is None else _starts(tree)
        return self._files[file].get(line, line)

    def is_certain(self, file: str, line: int, column: int) -> bool:
        """Whether what stands at a place runs whenever its statement does: it is in no lambda, no
        element of a comprehension, and no operand that another one decides about. Columns count
        code points from 1."""
        if file not in self._uncertain:
            tree = self.tree(file)
            self._uncertain[file] = [] if tree is None else _uncertain(tree)
        if not self._uncertain[file]:
            return True
        text = (self._root / file).read_bytes().splitlines()[line - 1].decode(errors="replace")
        place = line, len(text[: column - 1].encode())
        return not any(first <= place < last for first, last in self._uncertain[file])

    def first(self, file: str, line: int) -> int:
        """The first line of the function that is defined at a line, its decorators included; the
        line itself where there is none."""
        if file not in self._functions:
            tree = self.tree(file)
            self._functions[file] = {} if tree is None else _functions(tree)
        return self._functions[file].get(line, line)

    def bound_within(self, file: str, line: int) -> frozenset[str]:
        """The names that a loop or `with` at a line binds itself. Python comes to its first line
        again when they are bound."""
        if file not in self._within:
            tree = self.tree(file)
            self._within[file] = {} if tree is None else _within(tree)
        return self._within[file].get(line, frozenset())

    def attributes(self, file: str, line: int) -> frozenset[str]:
        """The attributes that the innermost function around a line mentions."""
        if file not in self._attributes:
            tree = self.tree(file)
            self._attributes[file] = [] if tree is None else _attributes(tree)
        around = [row for row in self._attributes[file] if row[0] <= line <= row[1]]
        return max(around, default=(0, 0, frozenset[str]()), key=lambda row: row[0])[2]


def _functions(tree: ast.Module) -> dict[int, int]:
    return {
        node.lineno: _first(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _within(tree: ast.Module) -> dict[int, frozenset[str]]:
    again = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
    return {
        node.lineno: frozenset(
            one.id
            for one in ast.walk(node)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        )
        for node in ast.walk(tree)
        if isinstance(node, again)
    }


def _uncertain(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    found = []
    for node in ast.walk(tree):
        for part in _decided(node):
            last = part.end_lineno or part.lineno, part.end_col_offset or part.col_offset
            found.append(((part.lineno, part.col_offset), last))
    return found


def _decided(node: ast.AST) -> list[ast.expr]:
    """The parts of an expression that need not run when the expression does."""
    match node:
        case ast.Lambda(body=body):
            return [body]
        case ast.IfExp(body=body, orelse=other):
            return [body, other]
        case ast.BoolOp(values=[_, *others]) | ast.Compare(comparators=[_, *others]):
            return others
        case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
            return [elt, *_conditions(node.generators)]
        case ast.DictComp(key=key, value=value):
            return [key, value, *_conditions(node.generators)]
    return []


def _conditions(generators: list[ast.comprehension]) -> list[ast.expr]:
    first, *others = generators
    return [*first.ifs, *(part for one in others for part in (one.iter, *one.ifs))]


def _attributes(tree: ast.Module) -> list[tuple[int, int, frozenset[str]]]:
    return [
        (
            node.lineno,
            node.end_lineno or node.lineno,
            frozenset(one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)),
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _starts(tree: ast.Module) -> dict[int, int]:
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        first, last = head(node)
        for line in range(first, last + 1):
            known = found.get(line)
            if known is None or known[0] >= last - first:
                found[line] = (last - first, first)
    return {line: first for line, (_, first) in found.items()}


def head(node: ast.stmt) -> tuple[int, int]:
    """The lines of a statement that belong to no statement within it."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    inner = [_first(one) for one in _blocks(node)]
    last = min([node.end_lineno or node.lineno, *(line - 1 for line in inner)])
    return first, max(last, node.lineno)


def _blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())[:1]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from part.body[:1]


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def read(path: Path, root: Path, statements: Statements | None = None) -> Observations:
    """Reads observations. Files that no longer hold what was observed are left out, and named."""
    document = json.loads(path.read_text(encoding="utf-8"))
    places = statements or Statements(root)
    found = Observations(
        seconds=document["seconds"],
        jax=document["jax"],
        python=document["python"],
        outcome=document["outcome"],
    )
    for file, known in document["files"].items():
        if known["digest"] != _digest(root / file):
            found.changed.append(file)
            continue
        for one in known["functions"]:
            _take(found, places, file, one)
    found.raised = _counts(places, document["errors"])
    found.failed = _counts(places, document["host_errors"])
    found.warned = _counts(places, document["warnings"])
    found.keys = _counts(places, document["keys"])
    found.converted = _counts(
        places,
        (
            (file, line, name if done else f"{name} raises", count)
            for file, line, name, done, count in document["conversions"]
        ),
    )
    return found


def _counts(places: Statements, rows: Iterable[Iterable[Any]]) -> Counts:
    found: Counts = {}
    for file, line, name, count in rows:
        counts = found.setdefault((file, places.start(file, line)), {})
        counts[name] = counts.get(name, 0) + count
    return found


@functools.cache
def _digest(path: Path) -> str:
    if not path.is_file():
        return ""
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _take(found: Observations, places: Statements, file: str, one: dict[str, Any]) -> None:
    function = Function(
        file,
        one["name"],
        one["line"],
        one["traced"],
        one["host"],
        one["calls"],
        one["modules"],
        tuple(_entries(one["entries"])),
        tuple(one["tracers"]),
    )
    found.functions.append(function)
    lines = (*map(int, one["lines"]), *one["host_lines"])
    found.ran.update((file, places.start(file, line)) for line in lines)
    for text, line in one["lines"].items():
        start = places.start(file, int(text))
        seen = found.statements.setdefault((file, start), Seen(file, start, function))
        seen.traced = max(seen.traced, line["traced"])
        seen.staged = max(seen.staged, line["staged"])
        seen.host = max(seen.host, line["host"])
        seen.entries.update(_entries(line["entries"]))
        for name, kinds in line["names"].items():
            seen.names.setdefault(name, set()).update(kinds)
        for name, forms in line.get("forms", {}).items():
            seen.forms.setdefault(name, set()).update(forms)


def _entries(rows: Iterable[Iterable[Any]]) -> Iterator[Entry]:
    return (Entry(*row) for row in rows)

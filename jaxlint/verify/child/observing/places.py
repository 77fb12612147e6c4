"""Places of the user's source: where the running code is, where an error came from, what is there.

Lines count from 1 and columns count UTF-8 bytes from 0, as in `ast` and `co_positions`. Python
3.10 knows lines only.
"""

from __future__ import annotations

import ast
import dis
import os
import sys
import sysconfig
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jaxlint.verify.protocol import Target

_Range = tuple[int, int, int, int]


@dataclass(frozen=True)
class Place:
    """A range of one file, and the qualified name of the function that runs it."""

    file: str
    line: int
    column: int | None
    end_line: int | None
    end_column: int | None
    function: str


class UserFiles:
    """The files that are the user's: under the roots, not installed, not Python's, not ours.

    A root that is a file stands for itself. An installed package is the user's if a root lies in
    the directory of installed packages.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(dict.fromkeys(_real(root) for root in roots))
        self._known: dict[str, bool] = {}

    def __contains__(self, filename: str) -> bool:
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._judge(filename)
        return known

    def _judge(self, filename: str) -> bool:
        if filename.startswith("<"):
            return False
        path = _real(filename)
        return any(_belongs(path, root) for root in self._roots)


_INSTALLED = {"site-packages", "dist-packages"}
_LIBRARIES = tuple(
    {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
)
_OURSELVES = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))


def _real(path: str) -> str:
    return os.path.realpath(os.path.abspath(path))


def _belongs(path: str, root: str) -> bool:
    """Whether a file under a root is the user's, not that of a library beneath the root."""
    if path == root:
        return True
    if not _is_under(path, root) or _is_under(path, _OURSELVES):
        return False
    if not _INSTALLED.isdisjoint(os.path.relpath(path, root).split(os.sep)):
        return False
    return not any(_is_under(path, part) and not _is_under(root, part) for part in _LIBRARIES)


def _is_under(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


_positions: dict[int, tuple[types.CodeType, list[tuple[int | None, ...]]]] = {}


def instruction_place(code: types.CodeType, instruction: int, line: int | None) -> Place:
    """The range of one instruction of a code object (`f_lasti`, `tb_lasti`)."""
    name = getattr(code, "co_qualname", code.co_name)
    fallback = Place(code.co_filename, line or code.co_firstlineno, None, None, None, name)
    if sys.version_info < (3, 11) or instruction < 0:
        return fallback
    entry = _positions.get(id(code))
    if entry is None:
        entry = _positions[id(code)] = (code, _ranges(code))
    index = instruction // 2
    if index >= len(entry[1]):
        return fallback
    start, end, column, end_column = entry[1][index]
    if start is None or column is None:
        return fallback
    return Place(code.co_filename, start, column, end, end_column, name)


def _ranges(code: types.CodeType) -> list[tuple[int | None, ...]]:
    """The range of each instruction.

    Python 3.11 gives a truth test the range of its statement, or of the comparison before it.
    What makes the value comes right before; an assignment expression stores it in between.
    """
    ranges: list[tuple[int | None, ...]] = list(code.co_positions())
    if sys.version_info >= (3, 12):
        return ranges
    opcodes = code.co_code[::2]
    for index, opcode in enumerate(opcodes):
        if opcode in _TESTS:
            before = index - 1
            while opcodes[before] == dis.EXTENDED_ARG:  # The jump is a long one.
                before -= 1
            ranges[index] = ranges[before - (opcodes[before] in _STORES)]
    return ranges


_TESTS = {
    number
    for name, number in dis.opmap.items()
    if name.startswith("POP_JUMP_") and name.endswith(("_IF_TRUE", "_IF_FALSE"))
}
_STORES = {number for name, number in dis.opmap.items() if name.startswith("STORE_")}


def frame_place(frame: types.FrameType) -> Place:
    """Where a frame is."""
    return instruction_place(frame.f_code, frame.f_lasti, frame.f_lineno)


def current_place(files: UserFiles, stop: types.FrameType | None = None) -> Place | None:
    """The innermost user frame of the running stack, among those called by `stop` if given."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame is not stop:
        if frame.f_code.co_filename in files:
            return frame_place(frame)
        frame = frame.f_back
    return None


def error_places(error: BaseException, files: UserFiles) -> list[Place]:
    """The user frames of an error's traceback, outermost first."""
    found: list[Place] = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename in files:
            instruction = -1 if _leaves(code, step.tb_lasti) else step.tb_lasti
            found.append(instruction_place(code, instruction, step.tb_lineno))
        step = step.tb_next
    return found


def _leaves(code: types.CodeType, instruction: int) -> bool:
    """Whether an error leaves a frame here after a handler, so that it came from elsewhere.

    JAX writes such places into the tracebacks that it filters; their lines are right.
    """
    return instruction >= 0 and code.co_code[instruction] in _LEAVING


_LEAVING = {dis.opmap[name] for name in ("RERAISE",) if name in dis.opmap}


class Matcher:
    """Tells which targets a place speaks of. Parses each file once."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets: dict[str, list[Target]] = {}
        for target in targets:
            self._targets.setdefault(_real(target.file), []).append(target)
        self._sources: dict[str, Source] = {}
        self._reals: dict[str, str] = {}
        self._matches: dict[Place, list[Target]] = {}

    def match(self, place: Place) -> list[Target]:
        """The targets that fail when the code at a place fails."""
        matches = self._matches.get(place)
        if matches is None:
            matches = self._matches[place] = self._find(place)
        return matches

    def source(self, file: str) -> Source:
        """The parsed file."""
        real = self._reals.setdefault(file, _real(file))
        if real not in self._sources:
            self._sources[real] = Source(real)
        return self._sources[real]

    def _find(self, place: Place) -> list[Target]:
        real = self._reals.setdefault(place.file, _real(place.file))
        targets = self._targets.get(real, [])
        if place.column is None or place.end_line is None or place.end_column is None:
            return [target for target in targets if target.line <= place.line <= target.end_line]
        failing = (place.line, place.column, place.end_line, place.end_column)
        source = self.source(place.file) if targets else None
        return [
            target
            for target in targets
            if source and source.concerns(failing, target_range(target))
        ]


def target_range(target: Target) -> _Range:
    """The range that a target flags."""
    return target.line, target.column, target.end_line, target.end_column


class Source:
    """The syntax of one file, by range."""

    def __init__(self, path: str) -> None:
        self._nodes: dict[_Range, list[ast.AST]] = {}
        self._parents: dict[ast.AST, tuple[ast.AST, str]] = {}
        self._shields: list[tuple[int, int]] | None = None
        try:
            with open(path, "rb") as stream:
                tree: ast.AST = ast.parse(stream.read())
        except (OSError, SyntaxError, ValueError):
            return
        self._shields = []
        for node in ast.walk(tree):
            if isinstance(node, _SHIELDS):
                self._shields.append((node.body[0].lineno, node.body[-1].end_lineno or 0))
            where = node_range(node)
            if where is not None:
                self._nodes.setdefault(where, []).append(node)
            for name, child in _children(node):
                self._parents[child] = (node, name)

    def nodes(self, where: _Range) -> list[ast.AST]:
        """The nodes of exactly this range, outermost first."""
        return self._nodes.get(where, [])

    def concerns(self, failing: _Range, flagged: _Range) -> bool:
        """Whether a failure of the first range is one of the expression in the second."""
        if failing == flagged:
            return True
        inside = _within(failing, flagged)
        if not inside and not _within(flagged, failing):
            return False
        outer, inner = (flagged, failing) if inside else (failing, flagged)
        outers, inners = self.nodes(outer), self.nodes(inner)
        if not outers or not inners:
            return failing[0] == flagged[0] and failing[2] == flagged[2]
        opaque = _hides_failures if inside else _takes_elsewhere
        return not opaque(self._path(inners[0], self._around(inners[0], outers)))

    def may_handle(self, line: int) -> bool:
        """Whether an error on this line may be handled in the file, by a `try` or a `with`."""
        if self._shields is None:
            return True
        return any(first <= line <= last for first, last in self._shields)

    def _around(self, inner: ast.AST, outers: list[ast.AST]) -> ast.AST:
        """The last of some nodes that has another one in it.

        Before Python 3.12 all of an f-string's parts have its range, those beside `inner` too.
        """
        holders = {inner}
        while inner in self._parents:
            inner = self._parents[inner][0]
            holders.add(inner)
        return next((node for node in reversed(outers) if node in holders), outers[-1])

    def _path(self, inner: ast.AST, outer: ast.AST) -> list[tuple[ast.AST, str]]:
        """Nodes from the inner one's parent up to and with the outer one, and the fields taken."""
        path: list[tuple[ast.AST, str]] = []
        node = inner
        while node is not outer and node in self._parents:
            node, name = self._parents[node]
            path.append((node, name))
        return path


def node_range(node: ast.AST) -> _Range | None:
    """The range of a node that has one."""
    start: Any = getattr(node, "lineno", None)
    end: Any = getattr(node, "end_lineno", None)
    if start is None or end is None:
        return None
    return start, node.col_offset, end, node.end_col_offset  # type: ignore[attr-defined]


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield name, each


def _within(inner: _Range, outer: _Range) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


_SHIELDS = (ast.Try, getattr(ast, "TryStar", ast.Try), ast.With, ast.AsyncWith)
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _hides_failures(path: list[tuple[ast.AST, str]]) -> bool:
    """Whether the failing expression is evaluated for its own sake within the flagged one.

    An operand of a call or subscript in the flagged expression fails by itself: another finding.
    Statements own their expressions. A call owns the comprehension that it is given.
    """
    if path and isinstance(path[-1][0], ast.stmt):
        return False
    for index, (node, name) in enumerate(path):
        if isinstance(node, ast.Lambda) or (isinstance(node, ast.IfExp) and name == "test"):
            return True
        if isinstance(node, ast.Call) and name in ("args", "func"):
            within = path[index - 1][0] if index else None
            if not isinstance(within, _COMPREHENSIONS):
                return True
        if isinstance(node, ast.keyword):
            return True
    return False


_ASKING = {"dropwhile", "filter", "filterfalse", "max", "min", "sort", "sorted", "takewhile"}
"""Functions that ask for the truth, or the order, of what the function they are given returns."""


def _is_asked_of_function(path: list[tuple[ast.AST, str]]) -> bool:
    """Whether a call asks for what a function returns: the flagged one, or a lambda's value.

    The asking call may be lazy: in `list(takewhile(lambda x: x < 2, xs))` the outer call is the
    one that fails.
    """
    if path and isinstance(path[0][0], ast.Lambda) and path[0][1] == "body":
        path = path[1:]
    calls = [node for node, field in path if isinstance(node, ast.Call) and field != "func"]
    if not calls or not all(isinstance(node, (ast.Call, ast.keyword)) for node, _ in path):
        return False
    asking = calls[0].func
    name = asking.attr if isinstance(asking, ast.Attribute) else getattr(asking, "id", "")
    return name in _ASKING


_BODIES = ("body", "orelse", "finalbody", "handlers", "decorator_list")


def _takes_elsewhere(path: list[tuple[ast.AST, str]]) -> bool:
    """Whether something between takes the flagged expression before the failing one sees it."""
    *between, (outer, field) = path
    if isinstance(outer, ast.stmt) and field in _BODIES:
        return True
    if _is_asked_of_function(path):
        return False
    if isinstance(outer, (ast.Lambda, ast.IfExp)) and field != "test":
        return True
    for index, (node, name) in enumerate(between):
        if isinstance(node, (ast.Call, ast.Lambda)):
            return True
        if isinstance(node, (*_COMPREHENSIONS, ast.comprehension)):
            holder = path[index + 1][0]
            if name not in ("elt", "key", "value") or not isinstance(holder, ast.Call):
                return True
    return False

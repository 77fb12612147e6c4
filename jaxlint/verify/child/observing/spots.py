"""Nodes of a syntax tree, by the range of source that they cover."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass

Range = tuple[int, int, int, int]
"""First line, column, last line, column; columns count bytes from 0."""

_PIECES = {"JoinedStr", "FormattedValue", "TemplateStr", "Interpolation"}
_LOAD = ast.Load()
_ANNOTATIONS = {
    ("arg", "annotation"), ("FunctionDef", "returns"), ("AsyncFunctionDef", "returns"),
    ("AnnAssign", "annotation"), ("FunctionDef", "type_params"), ("ClassDef", "type_params"),
    ("AsyncFunctionDef", "type_params"), ("TypeAlias", "value"), ("TypeAlias", "type_params"),
}  # fmt: skip


def decode(source: bytes) -> str:
    """The text of a source file, by its own declaration of an encoding."""
    return importlib.util.decode_source(source)


@dataclass(eq=False)
class Spot:
    """A node and where it hangs."""

    node: ast.AST
    parent: Spot | None
    field: str

    def above(self) -> Iterator[Spot]:
        """The spots from this one up to the module."""
        spot: Spot | None = self
        while spot is not None:
            yield spot
            spot = spot.parent

    def edge(self) -> tuple[str, str]:
        """Which field of which kind of node holds this one."""
        return (type(self.parent.node).__name__ if self.parent else "", self.field)

    def below(self, name: str, place: int | None = None) -> Spot:
        """The node in a field of this one."""
        held = getattr(self.node, name)
        return Spot(held if place is None else held[place], self, name)


class Index:
    """Finds the node that covers a range of the source."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self.lines = text.encode().split(b"\n")
        self.exact: dict[Range, list[Spot]] = {}
        self.inner: dict[Range, Spot] = {}
        self.spots: list[tuple[Range, Spot]] = []
        self.add(Spot(tree, None, ""))

    def add(self, root: Spot) -> None:
        """Lists the nodes from the outside in."""
        queue = [root]
        for spot in queue:
            found = _range(spot.node)
            if found is not None:
                self.exact.setdefault(found, []).append(spot)
                if isinstance(spot.node, ast.arg):
                    self.exact.setdefault(name_range(spot.node), []).append(spot)
                self.spots.append((found, spot))
                if isinstance(spot.node, (ast.Tuple, ast.GeneratorExp)):
                    self.inner.setdefault(self.stripped(found), spot)
            queue.extend(
                Spot(child, spot, name)
                for name, value in ast.iter_fields(spot.node)
                for child in (value if isinstance(value, list) else [value])
                if isinstance(child, ast.AST)
            )

    def find(self, place: Range) -> Spot | None:
        """The outermost expression with this range, else another node, else its statement."""
        bare = self.stripped(place)
        found = self.exact.get(place) or self.exact.get(bare) or []
        for spot in found:
            if expression(spot) is not None:
                return spot
        if found:
            return found[0]
        return self.inner.get(bare) or self.in_string(place) or self.statement(place)

    def in_string(self, place: Range) -> Spot | None:
        """Before Python 3.12, expressions in f-strings may stand at a wrong place."""
        try:
            wanted = ast.dump(ast.parse(self.segment(place).strip(), mode="eval").body)
        except (SyntaxError, ValueError):
            return None
        for found, spot in self.spots:
            if type(spot.node).__name__ in _PIECES and _covers(found, place):
                for node in _subtree(spot):
                    if node.parent is not spot.parent and ast.dump(node.node) == wanted:
                        return node
        return None

    def statement(self, place: Range) -> Spot | None:
        """The innermost statement that holds the range, which starts with code."""
        if not self.segment(place).strip():
            return None
        holders = [
            spot
            for found, spot in self.spots
            if isinstance(spot.node, ast.stmt) and _covers(_decorated(spot.node, found), place)
        ]
        return holders[-1] if holders else None

    def segment(self, place: Range) -> str:
        line, column, end_line, end_column = place
        if not 0 < line <= end_line <= len(self.lines):
            return ""
        rows = self.lines[line - 1 : end_line]
        rows[-1] = rows[-1][:end_column]
        rows[0] = rows[0][column:]
        return b"\n".join(rows).decode(errors="replace")

    def stripped(self, place: Range) -> Range:
        """The range without the parentheses and blanks around what it covers."""
        text = self.segment(place)
        start, end = 0, len(text)
        while end - start >= 2 and text[start] == "(" and text[end - 1] == ")":
            start, end = start + 1, end - 1
            while start < end and text[start].isspace():
                start += 1
            while start < end and text[end - 1].isspace():
                end -= 1
        return (*_advance(place, text[:start]), *_advance(place, text[:end]))


def _advance(place: Range, text: str) -> tuple[int, int]:
    """The position after some text that begins at the place."""
    rows = text.split("\n")
    column = len(rows[-1].encode())
    return place[0] + len(rows) - 1, column if len(rows) > 1 else place[1] + column


def _range(node: ast.AST) -> Range | None:
    if not hasattr(node, "lineno"):
        return None
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def name_range(node: ast.arg) -> Range:
    """The range of a parameter without its annotation."""
    end = node.col_offset + len(node.arg.encode())
    return node.lineno, node.col_offset, node.lineno, end


def _decorated(node: ast.AST, found: Range) -> Range:
    """The range of a statement with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    if not decorators:
        return found
    first = decorators[0]
    return (first.lineno, 0, *found[2:])


def _covers(outer: Range, inner: Range) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _subtree(root: Spot) -> Iterator[Spot]:
    for name, value in ast.iter_fields(root.node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                spot = Spot(child, root, name)
                yield spot
                yield from _subtree(spot)


def expression(spot: Spot) -> Spot | None:
    """The spot whose value is the value of this node, if Python allows a call in its place."""
    node = spot.node
    if isinstance(node, (ast.Starred, ast.keyword)) or type(node).__name__ in (
        "FormattedValue",
        "Interpolation",
    ):
        return expression(spot.below("value"))
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", _LOAD), ast.Load):
        return None
    kind, name = spot.edge()
    if kind in ("JoinedStr", "TemplateStr") or name == "format_spec":
        return None
    if kind == "Expr" and _is_docstring(spot):
        return None
    for above in spot.above():
        if isinstance(above.node, ast.stmt):
            break
        if above.edge() in _ANNOTATIONS or isinstance(above.node, ast.pattern):
            return None
    return spot


def _is_docstring(spot: Spot) -> bool:
    statement = spot.parent
    if not isinstance(spot.node, ast.Constant) or statement is None or statement.parent is None:
        return False
    body = getattr(statement.parent.node, "body", None)
    return isinstance(spot.node.value, str) and isinstance(body, list) and body[0] is statement.node

"""Literals as they are written: the names and numbers that options are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}")}


def quoted(code: Code, text: str, like: ir.Expr | None = None) -> str:
    """A string in the quotes that another one has, if there is one."""
    one = next(constants(like), None) if like is not None else None
    quote = code.text(one)[-1:] if one is not None and isinstance(one.value, str) else '"'
    return f"{quote}{text}{quote}"


def constants(node: ir.Expr) -> Iterator[ir.Const]:
    """The constants that a literal is made of: itself, or its items."""
    items = node.items if isinstance(node, ir.Sequence) else (node,)
    return iter([one for one in items if isinstance(one, ir.Const)])


def is_literal(node: ir.Expr) -> bool:
    """Whether nothing but constants is written: one, or a display of some."""
    if isinstance(node, ir.Sequence):
        return all(isinstance(one, ir.Const) for one in node.items)
    return isinstance(node, ir.Const)


def with_item(code: Code, node: ir.Expr, text: str) -> tuple[Edit, ...] | None:
    """One more item in a literal; None for what is no literal."""
    if not is_literal(node):
        return None
    if isinstance(node, ir.Sequence):
        if node.items and "\n" in code.text(node):
            return (code.after(node.items[-1], f", {text}"),)
        return (replaced(code, node, [*map(code.text, node.items), text]),)
    is_none = isinstance(node, ir.Const) and node.value is None
    return (code.replace(node, text if is_none else f"({code.text(node)}, {text})"),)


def without_items(
    code: Code, node: ir.Expr, unwanted: Callable[[ir.Const], bool]
) -> tuple[Edit, ...] | None:
    """A literal of several items without some of them; None for what is no such literal, and
    where nothing would be left."""
    if not isinstance(node, ir.Sequence) or not is_literal(node):
        return None
    kept = [code.text(one) for one in constants(node) if not unwanted(one)]
    return (replaced(code, node, kept),) if kept else None


def replaced(code: Code, node: ir.Sequence, items: list[str]) -> Edit:
    """Other items in a display; the place of a tuple is that between its parentheses."""
    text = display(node.kind, items)
    return code.replace(node, text[1:-1] if node.kind == "tuple" else text)


def display(kind: str, items: list[str]) -> str:
    """The source of a tuple, a list or a set of some items."""
    opening, closing = _BRACKETS[kind]
    comma = "," if kind == "tuple" and len(items) == 1 else ""
    return f"{opening}{', '.join(items)}{comma}{closing}"


def hashable(code: Code, node: ir.Expr) -> tuple[Edit, ...]:
    """What makes tuples of the lists, and frozen sets of the sets, that are written in an
    expression; nothing where something else in it may have no hash."""
    if isinstance(node, ir.Comprehension):
        return _comprehended(code, node)
    if not isinstance(node, ir.Sequence):
        return ()
    edits: list[Edit] = []
    for item in node.items:
        if isinstance(item, (ir.Sequence, ir.Comprehension)):
            more = hashable(code, item)
            if not more and not _has_hash(item):
                return ()
            edits += more
        elif not isinstance(item, (ir.Const, ir.Name, ir.Attribute, ir.BinOp, ir.UnaryOp)):
            return ()
    if node.kind == "set":
        return (*edits, code.before(node, "frozenset("), code.after(node, ")"))
    if node.kind == "list":
        edits += _as_tuple(code, node)
    return tuple(edits)


def _has_hash(node: ir.Expr) -> bool:
    if isinstance(node, ir.Sequence):
        return node.kind == "tuple" and all(map(_has_hash, node.items))
    return isinstance(node, ir.Const)


def _as_tuple(code: Code, node: ir.Sequence) -> list[Edit]:
    """Round brackets in the place of those of a list."""
    span = code.module.locate(node)
    opening = Span(span.line, span.column, span.line, span.column + 1)
    closing = Span(span.end_line, span.end_column - 1, span.end_line, span.end_column)
    comma = ""
    if len(node.items) == 1:
        behind = code.source.slice(code.rest(node, node.items[0]))
        comma = "" if "," in behind.partition("#")[0] else ","
    return [Edit(opening, "("), Edit(closing, f"{comma})")]


def _comprehended(code: Code, node: ir.Comprehension) -> tuple[Edit, ...]:
    maker = {"list": "tuple", "set": "frozenset"}.get(node.kind)
    if maker is None or not isinstance(node.element, (ir.Const, ir.Name, ir.Attribute, ir.BinOp)):
        return ()
    span = code.module.locate(node)
    opening = Span(span.line, span.column, span.line, span.column + 1)
    closing = Span(span.end_line, span.end_column - 1, span.end_line, span.end_column)
    return Edit(opening, f"{maker}("), Edit(closing, ")")

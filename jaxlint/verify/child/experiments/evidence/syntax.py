"""The syntax around a flagged expression: its statement, its loop, what it writes to."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterator

from jaxlint.verify.child.observing.spots import name_range
from jaxlint.verify.protocol import Target

MUTATORS = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "symmetric_difference_update",
        "update",
        "__setitem__",
        "__delitem__",
    ]
)


class Syntax:
    """One parsed file. A file that cannot be read has no nodes."""

    def __init__(self, path: str) -> None:
        self._parents: dict[ast.AST, ast.AST] = {}
        self._ranges: dict[tuple[int, int, int, int], list[ast.AST]] = {}
        try:
            with open(path, "rb") as stream:
                tree = ast.parse(stream.read())
        except (OSError, SyntaxError, ValueError):
            return
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                self._ranges.setdefault(_range(node), []).append(node)
            if isinstance(node, ast.arg):
                self._ranges.setdefault(name_range(node), []).append(node)
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node

    def node(self, target: Target) -> ast.AST | None:
        """The innermost node of exactly the flagged range; for a part of a `def`, the `def`."""
        where = (target.line, target.column, target.end_line, target.end_column)
        exact = self._ranges.get(where)
        if exact:
            return exact[-1]
        starting = [
            node
            for (line, column, *_), nodes in self._ranges.items()
            for node in nodes
            if (line, column) == where[:2] and isinstance(node, ast.stmt)
        ]
        return starting[0] if starting else None

    def text(self, target: Target) -> str:
        """The flagged code in Python's own spelling."""
        node = self.node(target)
        return ast.unparse(node) if isinstance(node, ast.expr) else ""

    def around(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """The node and those around it, innermost first."""
        while node is not None:
            yield node
            node = self._parents.get(node)

    def is_read_again(self, target: Target) -> bool:
        """Whether the statement reads the flagged name at another place as well."""
        name, statement = self.node(target), self.statement(target)
        if not isinstance(name, ast.Name) or statement is None:
            return False
        names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        return any(node.id == name.id and node is not name for node in names)

    def statement(self, target: Target) -> ast.stmt | None:
        """The statement that the target is a part of."""
        nodes = self.around(self.node(target))
        return next((node for node in nodes if isinstance(node, ast.stmt)), None)

    def statement_lines(self, target: Target) -> tuple[int, int]:
        """First and last line of the target's statement, without statements inside it."""
        statement = self.statement(target)
        if statement is None:
            return target.line, target.end_line
        last = statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body:
            last = max(statement.lineno, min(last, body[0].lineno - 1))
        return min(statement.lineno, target.line), max(last, target.end_line)

    def loop(self, target: Target) -> ast.For | ast.While | ast.comprehension | None:
        """The loop that the target is, or whose iterable or test it is a part of."""
        inner: ast.AST | None = None
        for node in self.around(self.node(target)):
            if isinstance(node, (ast.For, ast.comprehension)):
                if inner is None or inner is node.iter:
                    return node
            elif isinstance(node, ast.While):
                if inner is None or inner is node.test:
                    return node
            elif isinstance(node, _COMPREHENSIONS) and inner is None:
                return node.generators[0]
            inner = node
        return None

    def is_iterable_of(self, loop: ast.AST, target: Target) -> bool:
        """Whether the target is exactly what a loop iterates over."""
        return getattr(loop, "iter", None) is self.node(target)

    def is_iterated(self, target: Target) -> bool:
        """Whether a loop iterates over the name or attribute that is flagged."""
        node = self.node(target)
        parent = self._parents.get(node) if node is not None else None
        is_place = isinstance(node, (ast.Name, ast.Attribute))
        return is_place and getattr(parent, "iter", None) is node

    def attribute_of(self, target: Target) -> str:
        """The attribute that the code reads of the target's value, if it does nothing else."""
        node = self.node(target)
        parent = self._parents.get(node) if node is not None else None
        if isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load):
            return parent.attr
        return ""

    def written(self, target: Target) -> ast.expr | None:
        """What the flagged code writes to: a name, an attribute, or the container it changes.

        For a container the answer is an expression in the context `Load`.
        """
        node = self.node(target)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            node = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(node, ast.Expr):
            node = node.value
        if isinstance(node, ast.NamedExpr):
            node = node.target
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.value if node.func.attr in MUTATORS else None
        parent = self._parents.get(node) if node is not None else None
        if self.is_iterated(target) and isinstance(node, ast.expr):
            return node
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(parent, ast.Call):
            advances = isinstance(parent.func, ast.Name) and parent.func.id == "next"
            return node if advances and node in parent.args[:1] else None
        return None


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def _range(node: ast.AST) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=64)
def _read(path: str, stamp: int) -> Syntax:
    return Syntax(path)


def syntax_of(file: str) -> Syntax:
    """The syntax of a file, parsed once as long as the file stays as it is."""
    path = os.path.realpath(file)
    try:
        stamp = os.stat(path).st_mtime_ns
    except OSError:
        stamp = 0
    return _read(path, stamp)

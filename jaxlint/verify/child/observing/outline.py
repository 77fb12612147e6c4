"""What the text of a module tells of its functions: who calls whom, how parameters are used.

Functions are known by the line where their code starts (the first decorator or the `def`) and
their name. Everything here is a hint for invented arguments, never a fact.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import jax

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Definition = tuple[int, str]

_SCALAR_CALLS = frozenset({"float", "int", "bool", "range", "complex", "round"})
_MAPPING_METHODS = frozenset({"items", "keys", "values", "get"})
_ARRAY_ATTRIBUTES = frozenset(name for name in dir(jax.Array) if not name.startswith("_"))


@dataclass
class Usage:
    """How a function's body uses one of its parameters.

    `keys` are the texts that it is indexed by.
    """

    rank: int = 0
    is_scalar: bool = False
    is_called: bool = False
    is_mapping: bool = False
    unpacked: int = 0
    keys: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass
class Outline:
    """One function or method that is not inside another function, with all that it holds."""

    node: FunctionNode
    owner: str
    names: frozenset[str]

    @property
    def start(self) -> int:
        return min([self.node.lineno, *(item.lineno for item in self.node.decorator_list)])

    @property
    def end(self) -> int:
        return self.node.end_lineno or self.node.lineno


class Module:
    """The functions of one source file and the calls between them."""

    def __init__(self, source: str | bytes) -> None:
        self._tree = ast.parse(source)
        self.outlines = list(_outlines(self._tree.body, ""))
        self._functions: dict[Definition, ast.AST] = {}
        self._calls: dict[str, list[ast.Call]] | None = None
        self._assigned: dict[str, ast.expr] | None = None

    def function(self, definition: Definition) -> ast.AST | None:
        """The node of a function at any depth, lambdas too."""
        if not self._functions:
            for node in ast.walk(self._tree):
                if isinstance(node, FunctionNode):
                    start = min([node.lineno, *(item.lineno for item in node.decorator_list)])
                    self._functions[start, node.name] = node
                elif isinstance(node, ast.Lambda):
                    self._functions.setdefault((node.lineno, "<lambda>"), node)
        return self._functions.get(definition)

    def lines(self, definition: Definition) -> range:
        """The lines of a function at any depth, by where it starts if it was given another name;
        none of one that is not in this module."""
        start = definition[0]
        node = self.function(definition)
        others = (each for (line, _), each in self._functions.items() if line == start)
        node = node or next(others, None)
        return range(start, _last_line(node) + 1) if node is not None else range(0)

    def usages(self, definition: Definition) -> dict[str, Usage]:
        """How a function at any depth uses its parameters."""
        node = self.function(definition)
        return {} if node is None else _usages(node)

    def reaching(self, lines: Iterable[int], depth: int = 3) -> list[Outline]:
        """Functions that hold one of the lines, then those that may call them, nearest first."""
        wanted = list(lines)
        found = [
            outline
            for outline in self.outlines
            if any(outline.start <= line <= outline.end for line in wanted)
        ]
        frontier = found
        for _ in range(depth):
            called = {_known_as(outline) for outline in frontier}
            frontier = [
                outline
                for outline in self.outlines
                if outline not in found and not called.isdisjoint(outline.names)
            ]
            found = found + frontier
        return found

    def calls(self, name: str) -> list[ast.Call]:
        """Calls in this module of anything with this name."""
        if self._calls is None:
            self._calls = {}
            for node in ast.walk(self._tree):
                if isinstance(node, ast.Call):
                    self._calls.setdefault(_last_name(node.func), []).append(node)
        return self._calls.get(name, [])

    def assigned(self, name: str) -> ast.expr | None:
        """What the module assigns to a name, at any depth, if only once."""
        if self._assigned is None:
            found: dict[str, list[ast.expr]] = {}
            for node in ast.walk(self._tree):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    found.setdefault(node.targets[0].id, []).append(node.value)
            self._assigned = {name: values[0] for name, values in found.items() if len(values) == 1}
        return self._assigned.get(name)


def _last_line(node: ast.AST) -> int:
    last: int = getattr(node, "end_lineno", None) or 0
    return last


def names_on(node: ast.AST, line: int) -> set[str]:
    """Names that are read on one line."""
    return {
        item.id
        for item in ast.walk(node)
        if isinstance(item, ast.Name) and item.lineno <= line <= (item.end_lineno or item.lineno)
    }


def _outlines(body: list[ast.stmt], owner: str) -> Iterator[Outline]:
    for node in body:
        if isinstance(node, FunctionNode):
            yield Outline(node, owner, _names(node))
        elif isinstance(node, ast.ClassDef):
            yield from _outlines(node.body, f"{owner}.{node.name}" if owner else node.name)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _outlines(getattr(node, part, []), owner)


def _names(node: ast.AST) -> frozenset[str]:
    names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
    return frozenset(
        names | {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute)}
    )


def _known_as(outline: Outline) -> str:
    """The name that calls use: a class stands for its constructor, an object for its call."""
    if outline.node.name in ("__init__", "__call__", "__post_init__", "setup") and outline.owner:
        return outline.owner.rpartition(".")[2]
    return outline.node.name


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _usages(function: ast.AST) -> dict[str, Usage]:
    usages: dict[str, Usage] = {}
    for node in ast.walk(function):
        for name, change in _seen(node):
            usage = usages.setdefault(name, Usage())
            for part, value in change.items():
                old = getattr(usage, part)
                new = (*old, *value) if isinstance(value, tuple) else max(old, value)
                setattr(usage, part, new)
    return usages


def _seen(node: ast.AST) -> Iterator[tuple[str, dict[str, object]]]:
    """What one node of a body tells of the names in it."""
    if isinstance(node, ast.Call):
        yield from _called(node)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        for name in _tested(node.test):
            yield name, {"is_scalar": True}
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr not in _ARRAY_ATTRIBUTES | _MAPPING_METHODS:
            yield node.value.id, {"attributes": (node.attr,)}
    elif isinstance(node, ast.Subscript):
        yield from _subscripted(node)
    elif isinstance(node, ast.Assign):
        yield from _unpacked(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for name in _plain_names([node.left, node.right]):
            yield name, {"rank": 2}


def _called(node: ast.Call) -> Iterator[tuple[str, dict[str, object]]]:
    func = node.func
    if isinstance(func, ast.Name):
        yield func.id, {"is_called": True}
        if func.id in _SCALAR_CALLS:
            for name in _plain_names(node.args):
                yield name, {"is_scalar": True}
    elif (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.attr in _MAPPING_METHODS
    ):
        yield func.value.id, {"is_mapping": True}
        if func.attr == "get" and node.args and isinstance(node.args[0], ast.Constant):
            key = node.args[0].value
            if isinstance(key, str):
                yield func.value.id, {"keys": (key,)}


def _subscripted(node: ast.Subscript) -> Iterator[tuple[str, dict[str, object]]]:
    value, index = node.value, node.slice
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        if isinstance(value.value, ast.Name) and isinstance(index, ast.Constant):
            place = index.value
            if isinstance(place, int):
                yield value.value.id, {"rank": place + 1 if place >= 0 else -place}
    elif isinstance(value, ast.Name):
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            yield value.id, {"keys": (index.value,)}
        elif isinstance(index, ast.Tuple):
            yield value.id, {"rank": sum(not _is_new_axis(item) for item in index.elts)}
        else:
            yield value.id, {"rank": 1}


def _unpacked(node: ast.Assign) -> Iterator[tuple[str, dict[str, object]]]:
    target, value = node.targets[0], node.value
    if not isinstance(target, (ast.Tuple, ast.List)):
        return
    if any(isinstance(item, ast.Starred) for item in target.elts):
        return
    if isinstance(value, ast.Name):
        yield value.id, {"unpacked": len(target.elts)}
    elif (
        isinstance(value, ast.Attribute)
        and value.attr == "shape"
        and isinstance(value.value, ast.Name)
    ):
        yield value.value.id, {"rank": len(target.elts)}


def _is_new_axis(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is Ellipsis
    return _last_name(node) == "newaxis"


def _plain_names(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id


def _tested(test: ast.expr) -> Iterator[str]:
    """Names whose own truth a test asks for, or that it compares by size."""
    if isinstance(test, ast.Name):
        yield test.id
    elif isinstance(test, ast.UnaryOp):
        yield from _tested(test.operand)
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _tested(value)
    elif isinstance(test, ast.Compare) and not any(
        isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in test.ops
    ):
        yield from _plain_names([test.left, *test.comparators])

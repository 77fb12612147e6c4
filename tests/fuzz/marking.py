"""Marks the statements of a module, so that running it tells where it is.

A call before each statement and one after it, in functions and on the level of the module. Every
expression keeps its place, so the explorer sees the places of the file.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from dataclasses import dataclass, field

BEFORE, AFTER, RETURN, LAMBDA = "__before__", "__after__", "__return__", "__lambda__"
"""The names of the calls; what runs the module gives them a meaning, as built-in functions."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_HEADED = (ast.For, ast.While, ast.With, ast.Try, ast.Match, getattr(ast, "TryStar", ast.Try))
_SILENT = (ast.Global, ast.Nonlocal)
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


@dataclass(eq=False)
class Spot:
    """A statement, or the body of a lambda.

    `function` and `first` name the function it is in ("" at module level). `labelled`
    tells that what its names hold is well-posed, `enters` that the function begins with it.
    `parent` is the compound statement around it. `rebinds` are the nonlocal variables that it
    binds, each with the number of the function that owns it; `owner` is the number of its own.
    """

    line: int
    function: str
    first: int
    owner: int
    labelled: bool
    enters: bool
    parent: Spot | None
    rebinds: tuple[tuple[int, str], ...] = ()


@dataclass
class Marked:
    """A module with marks. The argument of a mark is an index of `spots`.

    `lines` gives the line where the statement around a line starts. `globals` are the names that
    functions declare global, None if any name may be meant. `stores` tells where attributes are
    stored: "self" if in methods alone, "any", or "" if nowhere but in initialisers.
    """

    code: types.CodeType
    spots: list[Spot]
    lines: dict[int, int]
    globals: frozenset[str] | None
    stores: str


def mark(source: str, path: str) -> Marked:
    """Mark a module. Raises SyntaxError for what is none."""
    tree = ast.parse(source, path)
    nodes = list(ast.walk(tree))
    lines, declared, stores = _lines(nodes), _declared(nodes), _stores(nodes)
    writer = _Writer(nodes)
    writer.module(tree)
    ast.fix_missing_locations(tree)
    code = compile(tree, path, "exec", dont_inherit=True)
    return Marked(code, writer.spots, lines, declared, stores)


def _lines(nodes: list[ast.AST]) -> dict[int, int]:
    """For each line of a statement, where the innermost statement on it starts."""
    found: dict[int, int] = {}
    for node in nodes:
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = max(found.get(line, 0), node.lineno)
    return found


def _declared(nodes: list[ast.AST]) -> frozenset[str] | None:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Global):
            names.update(node.names)
        elif isinstance(node, ast.Name) and node.id in ("globals", "vars", "exec"):
            return None
    return frozenset(names)


def _stores(nodes: list[ast.AST]) -> str:
    """Where attributes are stored, as far as can be told."""
    initial: set[ast.AST] = set()
    found = ""
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            initial.update(ast.walk(node))
        elif isinstance(node, ast.Name) and node.id in ("setattr", "delattr", "vars", "exec"):
            return "any"
        elif isinstance(node, ast.Attribute) and node not in initial:
            is_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            if node.attr in ("__dict__", "__setattr__"):
                return "any"
            if not isinstance(node.ctx, ast.Load):
                if not is_self:
                    return "any"
                found = "self"
    return found


@dataclass
class _Owner:
    """A function during the walk: its place, and the names that are its own."""

    number: int
    name: str
    first: int
    own: frozenset[str]
    nonlocals: frozenset[str]
    outer: _Owner | None


@dataclass
class _Binding(ast.NodeVisitor):
    """Names that a piece of code binds, without the functions in it."""

    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals.update(node.names)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bound.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.bound.update([node.name] if node.name else [])
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.bound.update([node.name] if node.name else [])
        self.generic_visit(node)


def _binding(nodes: list[ast.stmt]) -> _Binding:
    binding = _Binding()
    for node in nodes:
        binding.visit(node)
    return binding


class _Writer:
    """Adds the marks, depth first."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.spots: list[Spot] = []
        self.owners = 0
        starts = [node.lineno for node in nodes if isinstance(node, ast.stmt)]
        lambdas = [node.lineno for node in nodes if isinstance(node, ast.Lambda)]
        self.crowded = {line for line, count in Counter(starts).items() if count > 1}
        self.ambiguous = {line for line, count in Counter(lambdas).items() if count > 1}

    def module(self, tree: ast.Module) -> None:
        owner = _Owner(-1, "", 0, frozenset(), frozenset(), None)
        tree.body = self.body(tree.body, owner, None)

    def spot(self, node: ast.AST, owner: _Owner, parent: Spot | None, *, enters: bool) -> int:
        """A new spot; its index."""
        assert isinstance(node, (ast.stmt, ast.expr))
        line = node.lineno
        is_clear = line not in self.crowded or isinstance(node, ast.expr)
        labelled = (
            bool(owner.name)
            and is_clear
            and not isinstance(node, (*_HEADED, *_SILENT))
            and not (owner.name == "<lambda>" and owner.first in self.ambiguous)
        )
        self.spots.append(
            Spot(line, owner.name, owner.first, owner.number, labelled, enters, parent)
        )
        return len(self.spots) - 1

    def body(
        self, body: list[ast.stmt], owner: _Owner, parent: Spot | None, *, enters: bool = False
    ) -> list[ast.stmt]:
        """A block with marks."""
        written: list[ast.stmt] = []
        for node in body:
            if _is_docstring(node) or _is_future(node):
                written.append(node)
                continue
            index = self.spot(node, owner, parent, enters=enters)
            enters = False
            spot = self.spots[index]
            spot.rebinds = _rebinds(node, owner)
            self.children(node, owner, spot)
            written.append(_call(node, BEFORE, index))
            written.append(node)
            if isinstance(node, ast.Return) and node.value is not None:
                node.value = _wrapped(node.value, RETURN, ast.Constant(index))
            elif not isinstance(node, _LEAVES):
                written.append(_call(node, AFTER, index))
        return written

    def children(self, node: ast.AST, owner: _Owner, parent: Spot | None) -> None:
        """Marks in the blocks and the functions of a node."""
        if isinstance(node, _Function):
            self.function(node, owner, parent)
            return
        if isinstance(node, ast.ClassDef):
            for child in ast.iter_child_nodes(node):
                self.children(child, owner, parent)
            return
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                if _is_elif(node, name, value):
                    self.children(value[0], owner, parent)
                else:
                    setattr(node, name, self.body(value, owner, parent))
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.children(child, owner, parent)

    def function(self, node: _Function, outer: _Owner, parent: Spot | None) -> None:
        """Marks in one function; its defaults and decorators belong to the outer one."""
        outside = [
            *getattr(node, "decorator_list", []),
            *node.args.defaults,
            *node.args.kw_defaults,
        ]
        for part in outside:
            if part is not None:
                self.children(part, outer, parent)
        self.owners += 1
        body = [] if isinstance(node, ast.Lambda) else node.body
        binding = _binding(body)
        names = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        own = frozenset(binding.bound | names) - binding.globals - binding.nonlocals
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        nonlocals = frozenset(binding.nonlocals)
        owner = _Owner(self.owners, name, node.lineno, own, nonlocals, outer)
        if isinstance(node, ast.Lambda):
            index = self.spot(node.body, owner, None, enters=True)
            self.children(node.body, owner, self.spots[index])
            before = _wrapped(ast.Constant(index), BEFORE)
            node.body = _wrapped(node.body, LAMBDA, ast.copy_location(before, node.body))
        else:
            node.body = self.body(node.body, owner, None, enters=True)


def _rebinds(node: ast.stmt, owner: _Owner) -> tuple[tuple[int, str], ...]:
    """The nonlocal variables that a statement itself binds, with the function that owns each."""
    if not owner.nonlocals:
        return ()
    found = []
    for name in sorted(_binding([node]).bound & owner.nonlocals):
        outer = owner.outer
        while outer is not None and name not in outer.own:
            outer = outer.outer
        if outer is not None:
            found.append((outer.number, name))
    return tuple(found)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_elif(node: ast.AST, name: str, block: list[ast.stmt]) -> bool:
    return (
        isinstance(node, ast.If)
        and name == "orelse"
        and isinstance(block[0], ast.If)
        and block[0].col_offset == node.col_offset
    )


def _wrapped(value: ast.expr, name: str, *others: ast.expr) -> ast.Call:
    """A call at the place of a value, with the other arguments before it."""
    call = ast.Call(ast.Name(name, ast.Load()), [*others, value], [])
    return ast.copy_location(call, value) if hasattr(value, "lineno") else call


def _call(node: ast.stmt, name: str, index: int) -> ast.Expr:
    """A mark on the line of a statement."""
    call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), [ast.Constant(index)], []))
    for part in ast.walk(call):
        ast.copy_location(part, node)
        if isinstance(part, (ast.expr, ast.stmt)):
            part.end_lineno, part.end_col_offset = node.lineno, node.col_offset
    return call

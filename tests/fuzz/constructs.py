"""Names the piece of Python that a disagreement is about, so that like ones count together.

A construct is a statement with its names and constants taken out: `_ = jnp.where(_, _, 0.0)`.
Names of modules, of builtins and of attributes stay, as they say what is called.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

_DEPTH = 4
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


class Constructs:
    """The statements of one program."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.statements: dict[int, ast.stmt] = {}
        self.functions: dict[tuple[str, int], Function] = {}
        self.kept = set(dir(builtins))
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.stmt):
                self.statements.setdefault(node.lineno, node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions[node.name, node.lineno] = node
            elif isinstance(node, ast.Lambda):
                self.functions.setdefault(("<lambda>", node.lineno), node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.kept |= {(a.asname or a.name).partition(".")[0] for a in node.names}

    def shape(self, node: ast.AST) -> str:
        """A statement or expression without its names, on one line."""
        copied = _Shape(self.kept).strip(node, 0)
        text = " ".join(ast.unparse(ast.fix_missing_locations(copied)).split())
        return text if len(text) <= 100 else text[:97] + "..."

    def of_line(self, line: int) -> str:
        """The shape of the statement around a line."""
        node = self._around(line)
        return self.shape(node) if node is not None else "?"

    def of_range(self, where: tuple[int, int, int, int]) -> str:
        """The shape of the statement or expression of exactly this range, else of its line.

        A plain expression is shown with the one around it.
        """
        node = self._at(where)
        if node is None:
            return self.of_line(where[0])
        around = self.parents[node]
        is_plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant))
        return self.shape(around if is_plain and isinstance(around, ast.expr) else node)

    def is_conditional(self, where: tuple[int, int, int, int]) -> bool:
        """Whether an expression is evaluated on some ways through its statement only."""
        node: ast.AST | None = self._at(where)
        while node is not None and not isinstance(node, ast.stmt):
            around = self.parents[node]
            if isinstance(around, ast.BoolOp) and node is not around.values[0]:
                return True
            if isinstance(around, ast.IfExp) and node is not around.test:
                return True
            if isinstance(around, ast.Compare) and node in around.comparators[1:]:
                return True
            node = around
        return False

    def names_at(self, where: tuple[int, int, int, int]) -> set[str]:
        """The names in an expression or statement of exactly this range."""
        node = self._at(where)
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} if node else set()

    def _at(self, where: tuple[int, int, int, int]) -> ast.expr | ast.stmt | None:
        for node in ast.walk(self.tree):
            if (
                isinstance(node, (ast.expr, ast.stmt))
                and (node.lineno, node.col_offset) == where[:2]
                and (node.end_lineno, node.end_col_offset) == where[2:]
            ):
                return node
        return None

    def lines_of(self, first: int, last: int) -> set[int]:
        """The lines of a range and those at which the statements around it start."""
        found = set(range(first, last + 1))
        around = self._around(first)
        if around is not None and not has_body(around):
            found.add(around.lineno)
        return found

    def _around(self, line: int) -> ast.stmt | None:
        best: ast.stmt | None = None
        for node in self.statements.values():
            if node.lineno <= line <= (node.end_lineno or 0) and (
                best is None or node.lineno > best.lineno
            ):
                best = node
        return best

    def binding(self, function: Function, line: int, name: str) -> ast.stmt | None:
        """The last statement of a function before a line that binds a name."""
        found: ast.stmt | None = None
        for node in inside_of(function):
            if node.lineno < line and name in _bound(node):
                found = node if found is None or node.lineno > found.lineno else found
        return found

    def bindings(self, function: Function, name: str) -> list[ast.stmt]:
        """All statements of a function that bind a name."""
        return [node for node in inside_of(function) if name in _bound(node)]

    def named(self, name: str) -> list[Function]:
        """The functions of a name."""
        return [node for (called, _), node in self.functions.items() if called == name]

    def references(self, name: str) -> list[ast.stmt]:
        """The statements that read the name of a function, or an attribute of that name."""
        return [
            statement
            for statement in self.statements.values()
            if any(
                (isinstance(n, ast.Name) and n.id == name)
                or (isinstance(n, ast.Attribute) and n.attr == name)
                for n in own(statement)
            )
        ]

    def is_half_called(self, line: int, executed: frozenset[int]) -> bool:
        """Whether code that never ran calls the function around a line, or one that leads there.

        What is true of such a call need not show in the calls that ran.
        """
        waiting, seen = [line], set()
        while waiting:
            for name in self.functions_around(waiting.pop()) - seen:
                seen.add(name)
                for statement in self.references(name):
                    if isinstance(self.parents[statement], ast.Module):
                        continue
                    if statement.lineno not in executed and not has_body(statement):
                        return True
                    waiting.append(statement.lineno)
        return False

    def reads_unseen(self, where: tuple[int, int, int, int], executed: frozenset[int]) -> bool:
        """Whether the statement around a range reads a name that code which never ran binds too,
        as where a loop ended in its first turn."""
        statement = self.statements.get(where[0])
        if statement is None:
            return False
        read = {node.id for node in own(statement) if isinstance(node, ast.Name)}
        around = (f for f in self.functions.values() if statement in inside_of(f))
        return any(
            binding.lineno not in executed
            for function in around
            for name in read
            for binding in self.bindings(function, name)
        )

    def functions_around(self, line: int) -> set[str]:
        """The names of the functions that a line is in."""
        return {
            name
            for (name, _), node in self.functions.items()
            if node.lineno <= line <= (node.end_lineno or 0) and name != "<lambda>"
        }

    def parameter(self, function: Function, called: str) -> str:
        """How a name that no statement binds comes into a function."""
        args = function.args
        plain = [*args.posonlyargs, *args.args]
        defaulted = {a.arg for a in plain[len(plain) - len(args.defaults) :]}
        defaulted |= {a.arg for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d}
        kinds = []
        if called in defaulted:
            kinds.append("defaulted")
        if called in {a.arg for a in args.kwonlyargs}:
            kinds.append("keyword-only")
        for star, arg in (("*", args.vararg), ("**", args.kwarg)):
            if arg is not None and arg.arg == called:
                kinds.append(star)
        if plain and plain[0].arg == called == "self":
            kinds.append("self")
        known = called in {a.arg for a in (*plain, *args.kwonlyargs)} or kinds
        what = "parameter" if known else "name without a binding before it"
        return " ".join([*kinds, what, "of", self.use(function)])

    def use(self, function: Function) -> str:
        """How a function is used: its decorators, or the first expression that takes it."""
        name = getattr(function, "name", "")
        decorators = [self.shape(d) for d in getattr(function, "decorator_list", [])]
        if decorators:
            return "@" + " @".join(decorators)
        if isinstance(function, ast.Lambda):
            return f"a lambda in {self.shape(self.parents[function])}"
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == name:
                holder = self.parents[node]
                if isinstance(holder, (ast.Call, ast.keyword)):
                    call = holder if isinstance(holder, ast.Call) else self.parents[holder]
                    is_called = isinstance(call, ast.Call) and call.func is node
                    return "a called function" if is_called else self.shape(call)
        return "a method" if isinstance(self.parents[function], ast.ClassDef) else "a function"


def inside_of(function: Function) -> Iterator[ast.stmt]:
    """The statements of a function, those of functions in it left out."""
    waiting = list(function.body) if not isinstance(function, ast.Lambda) else []
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in BODIES:
            for part in getattr(node, name, None) or []:
                waiting += [part] if isinstance(part, ast.stmt) else part.body


def own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without the bodies in it."""
    for name, value in ast.iter_fields(statement):
        if name in BODIES:
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield from ast.walk(node)


def names_in(statement: ast.stmt) -> set[str]:
    """The names, attributes and nested functions that a statement mentions, bodies left out."""
    found: set[str] = set()
    for node in own(statement):
        if isinstance(node, (ast.Name, ast.Attribute)):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found.add(statement.name)
    return found


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement binds or changes in place by a method or a subscript."""
    found = {
        n.id for n in own(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        found.add(statement.name)
    for node in own(statement):
        held: Any = None
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            held = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = node.func.value if isinstance(statement, ast.Expr) else None
        while isinstance(held, (ast.Subscript, ast.Attribute)):
            held = held.value
        if isinstance(held, ast.Name):
            found.add(held.id)
    if isinstance(statement, ast.Match):
        for node in ast.walk(statement):
            if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
                found.add(node.name)
    return found


def has_body(statement: ast.stmt) -> bool:
    return any(getattr(statement, name, None) for name in BODIES)


class _Shape:
    """Copies a node without names, constants, bodies and what lies deep."""

    def __init__(self, kept: set[str]) -> None:
        self.kept = kept

    def strip(self, node: Any, depth: int) -> Any:
        """The copy of one node."""
        if isinstance(node, ast.Name):
            return ast.Name(node.id if node.id in self.kept else "_", ast.Load())
        if isinstance(node, ast.Constant):
            return ast.Constant(_plain(node.value))
        if isinstance(node, ast.arg):
            return ast.arg("_")
        if isinstance(node, ast.expr) and depth > _DEPTH:
            return ast.Name("_", ast.Load())
        if isinstance(node, (ast.Yield, ast.Await, ast.JoinedStr, ast.FormattedValue)):
            return ast.Name(type(node).__name__, ast.Load())
        if isinstance(node, ast.match_case):
            return ast.match_case(node.pattern, None, [ast.Pass()])
        copied = type(node)()
        for name, value in ast.iter_fields(node):
            setattr(copied, name, self._field(node, name, value, depth))
        return copied

    def _field(self, node: ast.AST, name: str, value: Any, depth: int) -> Any:
        if isinstance(node, ast.stmt) and name == "body":
            return [ast.Pass()]
        if isinstance(node, ast.stmt) and name in ("orelse", "finalbody"):
            return [ast.Pass()] if isinstance(node, ast.Try) and name == "finalbody" else []
        if name == "handlers":
            return []
        if name == "cases":
            return [self.strip(value[0], depth)]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and name == "name":
            return "_"
        if isinstance(value, list):
            return [self.strip(v, depth + 1) if isinstance(v, ast.AST) else v for v in value]
        if isinstance(value, ast.AST):
            deeper = isinstance(value, ast.expr)
            return self.strip(value, depth + deeper)
        return value


def _plain(value: Any) -> Any:
    """The constant that stands for all of its type."""
    if value is None or value is Ellipsis or isinstance(value, bool):
        return value
    return type(value)()

"""Other ways to write the same program: each keeps what every statement does.

A statement of the new source belongs to the statement of the old one that it stems from.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

Rewrite = Callable[[ast.Module], None]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement, in the order of the source."""
    found: list[ast.stmt] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def rewritten(source: str, rewrite: Rewrite) -> tuple[str, dict[int, int]]:
    """The source rewritten, and for each of its statements that of the old source."""
    tree = ast.parse(source)
    for index, node in enumerate(statements(tree)):
        node.origin = index  # type: ignore[attr-defined]
    rewrite(tree)
    ast.fix_missing_locations(tree)
    made = [getattr(node, "origin", -1) for node in statements(tree)]
    return ast.unparse(tree) + "\n", dict(enumerate(made))


class Places:
    """Which statement of a source a place belongs to: the innermost one around it."""

    def __init__(self, source: str) -> None:
        self.spans = []
        for index, node in enumerate(statements(ast.parse(source))):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            column = node.col_offset if first == node.lineno else 0
            end = (node.end_lineno or 0, node.end_col_offset or 0)
            self.spans.append(((first, column), end, index))

    def statement(self, line: int, column: int) -> int:
        """The statement at a line and column, both from 1."""
        place = (line, column - 1)
        around = [index for start, end, index in self.spans if start <= place <= end]
        return max(around, default=-1)


def functions(tree: ast.Module) -> Iterator[Any]:
    return (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def like(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """A new statement that belongs to an old one."""
    new.origin = getattr(old, "origin", -1)  # type: ignore[attr-defined]
    return ast.copy_location(new, old)


def same(tree: ast.Module) -> None:
    """Nothing but the layout changes."""


def renamed(tree: ast.Module) -> None:
    """Variables, parameters and functions get other names."""
    bound: set[str] = set()
    kept = set(dir(builtins)) | {"self", "cls", "reveal"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            kept.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.keyword) and node.arg:
            kept.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            kept.update(re.findall(r"\w+", node.value))
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            kept.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            kept.add(node.rest)
        elif isinstance(node, ast.ClassDef):
            kept.update(n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name))
            kept.update(s.name for s in node.body if isinstance(s, _FUNCTIONS))
    names = {name: f"{name}_{len(name)}" for name in bound - kept if not name.startswith("__")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [names.get(name, name) for name in node.names]
        elif isinstance(node, _FUNCTIONS):
            node.name = names.get(node.name, node.name)


def first(tree: Any) -> int:
    """Where statements can be put: behind a docstring and what must come first."""
    at = 0
    for at, node in enumerate(tree.body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (text or future or isinstance(node, (ast.Global, ast.Nonlocal))):
            return at
    return at


def annotated(tree: ast.Module) -> None:
    """Annotations that tell nothing: any value may be anywhere."""
    anything = ast.Name("Anything", ast.Load())
    for function in functions(tree):
        arguments = function.args
        given = [arguments.vararg, arguments.kwarg]
        for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *given]:
            if one is not None and one.annotation is None and one.arg not in ("self", "cls"):
                one.annotation = anything
        function.returns = function.returns or anything
        outer = {
            name
            for node in ast.walk(function)
            if isinstance(node, (ast.Global, ast.Nonlocal))
            for name in node.names
        }
        for body in _bodies(function):
            for at, node in enumerate(body):
                target = node.targets[0] if isinstance(node, ast.Assign) else None
                plain = isinstance(target, ast.Name) and len(node.targets) == 1
                if plain and target.id not in outer:
                    body[at] = like(ast.AnnAssign(target, anything, node.value, 1), node)
    line = ast.parse("from typing import Any as Anything").body
    tree.body[first(tree) : first(tree)] = line


def _bodies(node: Any) -> Iterator[list[Any]]:
    """The lists of statements of a function; those in classes are left out."""
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield body
            for inner in body:
                if not isinstance(inner, (ast.ClassDef, *_FUNCTIONS)):
                    yield from _bodies(inner)
    for inner in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        yield from _bodies(inner)


def split(tree: ast.Module) -> None:
    """The first operand or argument of a statement gets a name of its own."""
    for function in list(functions(tree)):
        count = 0
        for body in list(_bodies(function)):
            for at in reversed(range(len(body))):
                part = _detachable(body[at])
                if part is not None:
                    owner, field = part
                    name = f"part_{count}"
                    count += 1
                    value = getattr(owner, field) if field != "args" else owner.args[0]
                    made = ast.Assign([ast.Name(name, ast.Store())], value)
                    read = ast.Name(name, ast.Load())
                    if field == "args":
                        owner.args[0] = read
                    else:
                        setattr(owner, field, read)
                    body.insert(at, like(made, body[at]))


def _detachable(node: ast.stmt) -> tuple[Any, str] | None:
    """The expression of a statement that is evaluated first, by owner and field."""
    if not isinstance(node, (ast.Assign, ast.Return)) or node.value is None:
        return None
    kinds = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Lambda)
    if any(isinstance(inner, kinds) for inner in ast.walk(node.value)):
        return None
    if isinstance(node, ast.Assign):
        read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        written = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if read & written:
            return None
    value = node.value
    if isinstance(value, ast.BinOp) and isinstance(value.left, (ast.Call, ast.BinOp)):
        return value, "left"
    called = isinstance(value, ast.Call) and value.args and _is_dotted(value.func)
    if called and isinstance(value.args[0], (ast.Call, ast.BinOp)):
        return value, "args"
    if isinstance(node, ast.Return) and isinstance(value, (ast.BinOp, ast.Compare)):
        return node, "value"
    return None


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def with_dead_code(tree: ast.Module) -> None:
    """Code that does nothing, and functions that nobody calls."""
    for function in list(functions(tree)):
        at = first(function)
        function.body[at:at] = ast.parse("unused = 0\nassert True\n").body
        if isinstance(function.body[-1], ast.Return):
            function.body += ast.parse("unused = 1\n").body
    tree.body += ast.parse("def never_called(x):\n    return x if x > 0 else -x\n").body


def in_partials(tree: ast.Module) -> None:
    """Functions of the file are called through `functools.partial`."""
    plain = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    again = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _stores(n))
    for function in functions(tree):
        for node in ast.walk(function):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if named and node.func.id in plain and not again[node.func.id]:
                node.func = ast.Call(ast.Name("bind", ast.Load()), [node.func], [])
    line = ast.parse("from functools import partial as bind").body
    tree.body[first(tree) : first(tree)] = line


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def moved(tree: ast.Module) -> None:
    """A helper that one function alone calls is defined in that function."""
    top = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for helper in top:
        if helper.decorator_list or _names_bound(helper) & {helper.name}:
            continue
        users = [
            node
            for node in tree.body
            if node is not helper
            and any(isinstance(n, ast.Name) and n.id == helper.name for n in ast.walk(node))
        ]
        inside = any(isinstance(n, ast.Name) and n.id == helper.name for n in ast.walk(helper))
        if inside or len(users) != 1 or not isinstance(users[0], ast.FunctionDef):
            continue
        user = users[0]
        calls = [n.func for n in ast.walk(user) if isinstance(n, ast.Call)]
        uses = [n for n in ast.walk(user) if isinstance(n, ast.Name) and n.id == helper.name]
        read = {n.id for n in ast.walk(helper) if isinstance(n, ast.Name)} - _names_bound(helper)
        defaults = helper.args.defaults or helper.args.kw_defaults
        if not all(use in calls for use in uses) or read & _names_bound(user) or defaults:
            continue
        tree.body.remove(helper)
        user.body.insert(first(user), helper)


def _names_bound(function: ast.FunctionDef) -> set[str]:
    found = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _stores(n)}
    found |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    return found | {
        n.name for n in ast.walk(function) if isinstance(n, _FUNCTIONS) and n is not function
    }


REWRITES: tuple[Rewrite, ...] = (
    same,
    renamed,
    annotated,
    split,
    with_dead_code,
    in_partials,
    moved,
)


def _is_jit(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        names = [ast.unparse(node.func)]
        if names[0].endswith("partial") and node.args:
            return _is_jit(node.args[0])
        return names[0] in ("jax.jit", "jit")
    return ast.unparse(node) in ("jax.jit", "jit")


class _Unjitter(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if _is_jit(node.func) and node.args else node


def unjitted(tree: ast.Module) -> None:
    """No function is compiled any more."""
    for function in functions(tree):
        function.decorator_list = [d for d in function.decorator_list if not _is_jit(d)]
    _Unjitter().visit(tree)


def static(function: str, name: str) -> Rewrite:
    """One parameter of one compiled function becomes static."""

    def rewrite(tree: ast.Module) -> None:
        for node in functions(tree):
            if node.name == function:
                at = next(i for i, d in enumerate(node.decorator_list) if _is_jit(d))
                node.decorator_list[at] = _with_static(node.decorator_list[at], name)

    return rewrite


def _with_static(decorator: ast.expr, name: str) -> ast.expr:
    new = ast.keyword("static_argnames", ast.Tuple([ast.Constant(name)], ast.Load()))
    if isinstance(decorator, ast.Call):
        made = copy.deepcopy(decorator)
        made.keywords.append(new)
        return made
    return ast.Call(decorator, [], [new])

"""Other ways to make, to decorate and to call the functions of a program."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import Any

from rewrites import Rewrite, first, functions, like

_WRAPPER = """
def passing_on(function):
    @kept_tools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper
"""


def _once(tree: ast.Module) -> set[str]:
    """The names that the module binds once, by a `def`."""
    bound = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n))
    bound += Counter(n.name for n in functions(tree))
    bound += Counter(n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
    bound += Counter(
        name
        for n in ast.walk(tree)
        if isinstance(n, (ast.Global, ast.Nonlocal))
        for name in n.names
    )
    return {n.name for n in tree.body if isinstance(n, ast.FunctionDef) and bound[n.name] == 1}


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _plain(tree: ast.Module) -> list[Any]:
    """The functions of a module that run when they are called."""
    once = _once(tree)
    return [
        n
        for n in tree.body
        if isinstance(n, ast.FunctionDef)
        and n.name in once
        and not any(isinstance(p, (ast.Yield, ast.YieldFrom)) for p in ast.walk(n))
    ]


def in_wrappers(tree: ast.Module) -> None:
    """Each function of the module is called by a wrapper with its signature."""
    for function in _plain(tree):
        function.decorator_list.append(ast.Name("passing_on", ast.Load()))
    at = first(tree)
    tree.body[at:at] = ast.parse("import functools as kept_tools\n" + _WRAPPER).body


def in_closures(tree: ast.Module) -> None:
    """Each function of the module is made by another one."""
    for function in _plain(tree):
        name = f"make_{function.name}"
        made, bound = ast.parse(
            f"def {name}():\n    return {function.name}\n{function.name} = {name}()"
        ).body
        assert isinstance(made, ast.FunctionDef)
        made.body.insert(0, function)
        at = tree.body.index(function)
        tree.body[at : at + 1] = [like(made, function), like(bound, function)]


def starred(tree: ast.Module) -> None:
    """The arguments of calls are passed as a tuple and a dict."""
    names = {function.name for function in _plain(tree)}
    for node in list(ast.walk(tree)):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if not called or node.func.id not in names:  # type: ignore[attr-defined]
            continue
        assert isinstance(node, ast.Call)
        plain = not any(isinstance(one, ast.Starred) for one in node.args)
        if plain and node.args:
            node.args = [ast.Starred(ast.Tuple(node.args, ast.Load()), ast.Load())]
        if node.keywords and all(one.arg for one in node.keywords):
            keys: list[Any] = [ast.Constant(one.arg) for one in node.keywords]
            held = ast.Dict(keys, [one.value for one in node.keywords])
            node.keywords = [ast.keyword(None, held)]


def reordered(tree: ast.Module) -> None:
    """Functions that stand one after the other stand the other way round."""
    run: list[Any] = []
    body: list[ast.stmt] = []
    for node in [*tree.body, None]:
        if isinstance(node, ast.FunctionDef) and node in _plain(tree) and _is_independent(node):
            run.append(node)
            continue
        body += reversed(run)
        run = []
        if node is not None:
            body.append(node)
    tree.body = body


def _is_independent(function: ast.FunctionDef) -> bool:
    """Whether a definition reads nothing but libraries."""
    defaults = [*function.args.defaults, *[d for d in function.args.kw_defaults if d is not None]]
    if not all(isinstance(one, ast.Constant) for one in defaults):
        return False
    read = {n.id for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    return read <= {"jax", "jnp", "functools", "partial", "eqx", "nnx"}


def by_assignment(tree: ast.Module) -> None:
    """Decorators are applied by an assignment behind the definition."""
    for owner in [tree, *[n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]]:
        body: list[ast.stmt] = []
        for node in owner.body:
            body.append(node)
            if isinstance(node, ast.FunctionDef) and _is_movable(node):
                value: ast.expr = ast.Name(node.name, ast.Load())
                for decorator in reversed(node.decorator_list):
                    value = ast.Call(decorator, [value], [])
                node.decorator_list = []
                body.append(like(ast.Assign([ast.Name(node.name, ast.Store())], value), node))
        owner.body = body


def _is_movable(function: ast.FunctionDef) -> bool:
    texts = [ast.unparse(one) for one in function.decorator_list]
    return bool(texts) and not any(re.search(r"\.(setter|deleter|register)\b", t) for t in texts)


def aliased(tree: ast.Module) -> None:
    """Modules are imported under other names."""
    once = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n))
    once += Counter(n.arg for n in ast.walk(tree) if isinstance(n, ast.arg))
    names: dict[str, str] = {}
    for node in tree.body:
        for one in node.names if isinstance(node, ast.Import) else ():
            known = one.asname or one.name
            if "." not in known and not once[known]:
                one.asname = names[known] = f"{known}_module"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [names.get(name, name) for name in node.names]


WRAPPINGS: tuple[Rewrite, ...] = (
    in_wrappers,
    in_closures,
    starred,
    reordered,
    by_assignment,
    aliased,
)

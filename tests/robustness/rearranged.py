"""Valid Python rearranged into other valid Python: parts of its syntax tree change places."""

from __future__ import annotations

import ast
import copy
import random
import warnings
from collections.abc import Callable
from typing import Any

# Expressions that put values of all sorts into code that knew none.
POOL = tuple(
    ast.parse(text, mode="eval").body
    for text in (
        "jnp.ones(3)",
        "jnp.sum",
        "jax.jit",
        "jax.jit(f)",
        "lax.scan(f, x, y)",
        "lax.cond(x, f, g, y)",
        "jax.vmap(f)(x)",
        "jax.grad(lambda w: w ** 2)(1.0)",
        "functools.partial(f, x)",
        "functools.partial",
        "x.at[0].set(y)",
        "x.shape",
        "x.item()",
        "self",
        "self.f(x)",
        "[x, *y]",
        "{**x, 'a': y}",
        "(lambda *a, **k: f(*a, **k))",
        "[f for f in x if f]",
        "dict(zip(x, y))",
        "super().__init__(x)",
        "type(x)(y)",
        "iter(x)",
        "next(f)",
        "print",
        "None",
        "()",
        "10 ** 9",
        "'%s' % x",
        "-1",
        "(yield x)",
        "x[y:f:None, ...]",
    )
)
DECORATORS = tuple(
    ast.parse(text, mode="eval").body
    for text in (
        "jax.jit",
        "jax.vmap",
        "jax.grad",
        "jax.checkpoint",
        "jax.custom_vjp",
        "functools.partial(jax.jit, static_argnums=0)",
        "functools.partial(jax.jit, static_argnames=('x', 'y'))",
        "functools.lru_cache",
        "functools.wraps(f)",
        "staticmethod",
        "classmethod",
        "property",
        "jax.jit(f)",
    )
)


def rearrange(rng: random.Random, text: str) -> str:
    """The source with its tree rearranged; as it was if it is no Python, or cannot be written."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            for _ in range(rng.choice((1, 2, 4, 8))):
                rng.choice(_CHANGES)(rng, tree)
            return ast.unparse(tree) + "\n"
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


Place = tuple[Any, str, int | None]


def _places(tree: ast.AST, kind: type[ast.AST]) -> list[Place]:
    """Where nodes of a kind stand: owner, field, and index in a list."""
    found: list[Place] = []
    for owner in ast.walk(tree):
        if isinstance(owner, (ast.JoinedStr, ast.pattern)):
            continue
        for name, value in ast.iter_fields(owner):
            if isinstance(value, list):
                found += [(owner, name, at) for at, o in enumerate(value) if isinstance(o, kind)]
            elif isinstance(value, kind):
                found.append((owner, name, None))
    return found


def _get(place: Place) -> Any:
    owner, name, at = place
    value = getattr(owner, name)
    return value if at is None else value[at]


def _put(place: Place, node: Any) -> None:
    """Puts a copy of a node at a place, so that no node ever holds itself."""
    owner, name, at = place
    node = copy.deepcopy(node)
    if at is None:
        setattr(owner, name, node)
    else:
        getattr(owner, name)[at] = node


def _readable(tree: ast.AST) -> list[Place]:
    """Places of expressions that are read, not bound."""
    return [
        place
        for place in _places(tree, ast.expr)
        if isinstance(getattr(_get(place), "ctx", ast.Load()), ast.Load)
        and not isinstance(_get(place), ast.Starred)
        and not isinstance(place[0], (ast.FormattedValue, ast.AnnAssign))
    ]


def _expressions_swapped(rng: random.Random, tree: ast.Module) -> None:
    places = _readable(tree)
    if len(places) > 1:
        _put(rng.choice(places), _get(rng.choice(places)))


def _expression_replaced(rng: random.Random, tree: ast.Module) -> None:
    for place in rng.sample(places := _readable(tree), min(len(places), rng.choice((1, 3, 9)))):
        _put(place, rng.choice(POOL))


def _statement_moved(rng: random.Random, tree: ast.Module) -> None:
    places = _places(tree, ast.stmt)
    if len(places) > 1:
        owner, name, at = rng.choice(places)
        getattr(owner, name).insert(at, copy.deepcopy(_get(rng.choice(places))))


def _statement_dropped(rng: random.Random, tree: ast.Module) -> None:
    places = _places(tree, ast.stmt)
    if places:
        _put(rng.choice(places), ast.Pass())


def _functions(tree: ast.Module) -> list[Any]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def _decorated(rng: random.Random, tree: ast.Module) -> None:
    for function in _functions(tree):
        if rng.random() < 0.7:
            function.decorator_list.insert(0, copy.deepcopy(rng.choice(DECORATORS)))


def _jitted(rng: random.Random, tree: ast.Module) -> None:
    """Everything that runs is traced."""
    for function in _functions(tree):
        if not isinstance(function, ast.ClassDef):
            function.decorator_list[:] = [copy.deepcopy(DECORATORS[0])]


def _called(rng: random.Random, tree: ast.Module) -> None:
    """Functions call each other, and themselves, with whatever is at hand."""
    names = [function.name for function in _functions(tree)]
    places = _readable(tree)
    for place in rng.sample(places, min(len(places), rng.choice((2, 5, 20)))) if names else ():
        callee = ast.Name(rng.choice(names), ast.Load())
        arguments = [_get(rng.choice(places)) for _ in range(rng.randrange(3))]
        _put(place, ast.Call(callee, [_get(place), *arguments], []))


def _looped(rng: random.Random, tree: ast.Module) -> None:
    """A body runs in loops, branches and functions around it."""
    for function in _functions(tree):
        body: list[ast.stmt] = list(function.body)
        for _ in range(rng.choice((0, 1, 3))):
            test = ast.Name("x", ast.Load())
            last = copy.deepcopy(function.body[-1:])
            around: list[ast.stmt] = [
                ast.For(ast.Name("x", ast.Store()), copy.deepcopy(rng.choice(POOL)), body, []),
                ast.While(test, body, []),
                ast.If(test, body, last),
                ast.Try(body, [], [], last),
            ]
            body = [rng.choice(around)]
        function.body = body
    ast.fix_missing_locations(tree)


_CHANGES: tuple[Callable[[random.Random, ast.Module], None], ...] = (
    _expressions_swapped,
    _expression_replaced,
    _expression_replaced,
    _statement_moved,
    _statement_dropped,
    _decorated,
    _jitted,
    _jitted,
    _called,
    _looped,
)

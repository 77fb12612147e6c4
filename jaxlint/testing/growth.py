"""How many equations of a traced program come from its Python loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax

from jaxlint.testing.execution import Failure, Program

_HALVED = "_jaxlint_halved"
_TRACED = "_jaxlint_traced"


class UntracedError(Exception):
    """The program does not end with an expression that can be traced, in words."""


def growth(program: Program, lines: Collection[int] | None = None) -> int:
    """By how many equations the last expression shrinks when its loops run half as often.

    Only the `for` loops and comprehensions that start on one of the `lines` are halved, all of
    them by default.
    """
    return _equations(program, ()) - _equations(program, lines)


def loop_lines(program: Program) -> set[int]:
    """The lines on which a `for` loop or a part of a comprehension starts."""
    nodes = (node for statement in program.statements() for node in ast.walk(statement))
    return {_line(node) for node in nodes if isinstance(node, ast.For | ast.comprehension)}


def count(jaxpr: Any) -> int:
    """The equations of a jaxpr and of all that are nested in it."""
    below = (count(inner) for equation in jaxpr.eqns for inner in _nested(equation.params.values()))
    return len(jaxpr.eqns) + sum(below)


def _nested(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        jaxpr = getattr(value, "jaxpr", value)
        if hasattr(jaxpr, "eqns"):
            found.append(jaxpr)
        elif isinstance(value, tuple | list):
            found.extend(_nested(value))
    return found


def _equations(program: Program, lines: Collection[int] | None) -> int:
    tree = ast.Module(program.statements(), [])
    if not isinstance(tree.body[-1], ast.Expr):
        raise UntracedError("ends without an expression to trace")
    tree = ast.fix_missing_locations(_Halver(lines).visit(tree))
    last = tree.body[-1]
    thunk = ast.Lambda(ast.arguments([], [], None, [], [], None, []), last.value)
    last.value = ast.Call(ast.Name(_TRACED, ast.Load()), [thunk], [])
    source = ast.unparse(ast.fix_missing_locations(tree))
    found: list[int] = []

    def traced(thunk: Callable[[], Any]) -> None:
        found.append(count(jax.make_jaxpr(thunk)().jaxpr))

    given = {_HALVED: _halved, _TRACED: traced}
    failures = Program(source, program.filename).run(given=given).failures
    if failures:
        raise UntracedError(f"cannot be traced, as it raised {_first(failures)}")
    return found[0]


def _first(failures: Sequence[Failure]) -> str:
    text = str(failures[0].error).strip().partition("\n")[0]
    return f"{failures[0].kind}: {text}"


def _halved(values: Any) -> Any:
    sliceable = values if hasattr(values, "__getitem__") and hasattr(values, "__len__") else None
    if sliceable is None or isinstance(values, dict):
        sliceable = list(values)
    return sliceable[: len(sliceable) // 2]


def _line(node: ast.For | ast.comprehension) -> int:
    return node.lineno if isinstance(node, ast.For) else node.target.lineno


class _Halver(ast.NodeTransformer):
    def __init__(self, lines: Collection[int] | None) -> None:
        self._lines = lines

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._halve(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        return self._halve(node)

    def _halve(self, node: ast.For | ast.comprehension) -> ast.AST:
        if self._lines is None or _line(node) in self._lines:
            node.iter = ast.Call(ast.Name(_HALVED, ast.Load()), [node.iter], [])
        return self.generic_visit(node)

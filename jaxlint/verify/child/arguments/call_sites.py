"""What the calls in a module pass to its functions, as far as their text tells it.

Only literals, module attributes and calls into `jax`, `jax.numpy` and `numpy` are evaluated, and
the latter abstractly.
"""

from __future__ import annotations

import ast
import types
from typing import Any

import jax
import numpy as np

from jaxlint.verify.child.arguments.values import traced
from jaxlint.verify.child.observing.outline import Module

_DEPTH = 4
_MOST_CALLS = 5


class UnknownError(Exception):
    """An expression whose value its text does not tell."""


class CallSites:
    """Arguments at the calls of one module."""

    def __init__(self, outline: Module, module: types.ModuleType) -> None:
        self._outline = outline
        self._names = vars(module)

    def arguments(self, function: str, parameters: list[str]) -> dict[str, list[Any]]:
        """What calls of a function with this name pass for its parameters."""
        found: dict[str, list[Any]] = {}
        for call in self._outline.calls(function)[:_MOST_CALLS]:
            pairs = [
                *zip(parameters, call.args, strict=False),
                *((item.arg, item.value) for item in call.keywords),
            ]
            for name, node in pairs:
                if name is None or isinstance(node, ast.Starred):
                    break
                try:
                    found.setdefault(name, []).append(self._value(node, _DEPTH))
                except UnknownError:
                    continue
        return found

    def _value(self, node: ast.expr, depth: int) -> Any:
        if depth == 0:
            raise UnknownError
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._value(node.operand, depth)
            if isinstance(value, (int, float)):
                return -value
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self._value(item, depth - 1) for item in node.elts]
            return tuple(items) if isinstance(node, ast.Tuple) else items
        if isinstance(node, ast.Name):
            return self._named(node.id, depth)
        if isinstance(node, ast.Call) and self._is_array_library(node.func):
            return self._called(node)
        raise UnknownError

    def _named(self, name: str, depth: int) -> Any:
        held = self._names.get(name, UnknownError)
        if held is not UnknownError and not isinstance(held, types.ModuleType):
            return traced(held) if isinstance(held, (jax.Array, np.ndarray)) else held
        assigned = self._outline.assigned(name)
        if assigned is None:
            raise UnknownError
        return self._value(assigned, depth - 1)

    def _is_array_library(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        held = self._names.get(node.id) if isinstance(node, ast.Name) else None
        return isinstance(held, types.ModuleType) and held.__name__.partition(".")[0] in (
            "jax",
            "numpy",
        )

    def _called(self, node: ast.Call) -> Any:
        """The array that a call of the library makes from literals, without its values."""
        inner = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
        if not all(isinstance(self._names.get(item.id), types.ModuleType) for item in inner):
            raise UnknownError
        code = compile(ast.Expression(node), "<arguments>", "eval")
        try:
            return jax.eval_shape(lambda: jax.numpy.asarray(eval(code, dict(self._names))))
        except Exception as error:  # The expression may be wrong in any way.
            raise UnknownError from error

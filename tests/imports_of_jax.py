"""Which test modules import JAX, or a library that does, as soon as they are imported."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LIBRARIES = frozenset(
    [
        *("jax", "jaxlib", "chex", "diffrax", "distrax", "equinox", "flax", "haiku"),
        *("jax_dataclasses", "jaxtyping", "lineax", "numpyro", "optax", "optimistix"),
    ]
)


def marked(names: Iterable[str]) -> list[Any]:
    """Dotted names as parameters: those of JAX, and of libraries that import it, have the mark."""
    return [
        pytest.param(name, marks=[pytest.mark.jax] if name.partition(".")[0] in LIBRARIES else [])
        for name in names
    ]


@cache
def imports_jax(path: Path) -> bool:
    """Whether importing a module imports JAX, by the imports of its text and of the modules of
    ours that these name."""
    seen, left = {path}, [path]
    while left:
        module = left.pop()
        for name in _imported(module):
            if name.partition(".")[0] in LIBRARIES:
                return True
            inner = set(_ours(name, module.parent)) - seen
            seen |= inner
            left += inner
    return False


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """The modules that code outside functions imports, and those that tests are skipped without."""
    return tuple(_names(ast.parse(path.read_text(encoding="utf-8"))))


def _names(tree: ast.Module) -> Iterator[str]:
    stack: list[ast.AST] = [*tree.body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("importorskip"):
            yield from (one.value for one in node.args if _is_text(one))
        elif not _is_left_out(node):
            stack.extend(ast.iter_child_nodes(node))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_left_out(node: ast.AST) -> bool:
    """Whether a node is not run when its module is imported."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return True
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _ours(name: str, beside: Path) -> Iterator[Path]:
    """The file of a helper of the tests, or of a part of jaxlint that may import JAX."""
    places = [beside, beside.parent, ROOT / "tests"]
    if name.startswith(("jaxlint.testing.", "jaxlint.verify.child.")):
        places = [ROOT]
    elif name.startswith("jaxlint"):
        return
    for place in places:
        path = place.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                yield file
                return

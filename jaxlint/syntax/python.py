"""Python's own parser, without what it warns of. Imports next to nothing."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

_ONLY_SYNTAX_TREE = 0x400  # `ast.PyCF_ONLY_AST`, without importing ast
# What the parser raises over source that it does not take.
REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError)


def tree_of(source: str | bytes, path: str = "<source>") -> ast.Module:
    """Python's tree of a module. Raises one of REFUSALS."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: ast.Module = compile(source, path, "exec", _ONLY_SYNTAX_TREE, dont_inherit=True)
    return tree

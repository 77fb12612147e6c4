"""Targets at every place of a file that asks a value for its truth or its number.

Tested code is healthy, so hardly any of them may be confirmed.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterable, Iterator

from jaxlint.rule import Rule
from jaxlint.rules.branch_on_traced import rule as branch
from jaxlint.rules.scalar_cast_of_traced import rule as cast
from jaxlint.verify import plan
from jaxlint.verify.protocol import Target

_CASTS = ("int", "float", "bool")
_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)


def targets(paths: Iterable[pathlib.Path], first: int = 0) -> list[Target]:
    """The targets of these files, with ids from `first` on."""
    found: list[Target] = []
    for path in paths:
        for node, rule in dict(_places(ast.parse(path.read_bytes()))).items():
            witness = rule.witness
            found.append(
                Target(
                    id=first + len(found),
                    file=str(path),
                    line=node.lineno,
                    column=node.col_offset,
                    end_line=node.end_lineno or node.lineno,
                    end_column=node.end_col_offset or node.col_offset,
                    code=rule.code,
                    hazard=plan.hazard(witness),
                    errors=getattr(witness, "errors", ()),
                )
            )
    return found


def _places(tree: ast.AST) -> Iterator[tuple[ast.expr, Rule]]:
    for node in ast.walk(tree):
        if isinstance(node, _TESTS):
            yield from ((operand, branch) for operand in _operands(node.test))
        elif isinstance(node, ast.comprehension):
            yield from ((operand, branch) for test in node.ifs for operand in _operands(test))
        elif isinstance(node, ast.Call) and _is_cast(node):
            yield node.args[0], cast


def _is_cast(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Name) or node.func.id not in _CASTS:
        return False
    return len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose own truth a test asks for."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _operands(test.operand)
    else:
        yield test

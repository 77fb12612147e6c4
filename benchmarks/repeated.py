"""Programs that are written again and again into one module, under names of their own."""

from __future__ import annotations

import ast
import io
import tokenize


def repeated(program: str, prelude: str, times: int) -> str:
    """A module that holds a program so many times: each copy has its own names."""
    copies = (renamed(program, f"_{number}") for number in range(times))
    return prelude + "\n".join(copies)


def renamed(program: str, suffix: str) -> str:
    """A program whose own names, those that it binds outside functions, end in a suffix."""
    names = _bound(program)
    tokens = tokenize.generate_tokens(io.StringIO(program).readline)
    lines = program.splitlines(keepends=True)
    before = ""
    places: list[tuple[int, int]] = []
    for token in tokens:
        if token.type == tokenize.NAME and token.string in names and before != ".":
            places.append(token.end)
        before = token.string
    for line, column in reversed(places):
        text = lines[line - 1]
        lines[line - 1] = text[:column] + suffix + text[column:]
    return "".join(lines)


def _bound(program: str) -> set[str]:
    """The names that the statements of a module bind, but those of imports."""
    found: set[str] = set()
    for statement in ast.parse(program).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.With):
            found |= {
                one.id
                for one in ast.walk(statement)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            }
    return found

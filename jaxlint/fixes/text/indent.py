"""Bodies of functions that go into a block of their own."""

from __future__ import annotations

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import walk
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir


def definitions(code: Code, name: str) -> list[ir.FunctionDef]:
    """The functions and methods of a file that have a name."""
    return _functions(code.module.body).get(name, [])


@answered_once_of
def _functions(body: tuple[ir.Stmt, ...]) -> dict[str, list[ir.FunctionDef]]:
    found: dict[str, list[ir.FunctionDef]] = {}
    for one in walk(body):
        if isinstance(one, ir.FunctionDef):
            found.setdefault(one.name, []).append(one)
    return found


def inside_with(code: Code, function: ir.FunctionDef, context: str) -> list[Edit] | None:
    """The edits that put the body of a function, but for its docstring, into `with context:`. None
    where a line of it is more than code."""
    body = function.body[1:] if _is_text(function.body[0]) else function.body
    if not body or function.is_generator or function.is_lambda:
        return None
    for one in walk(body):
        if isinstance(one, (ir.Const, ir.JoinedString)) and "\n" in code.text(one):
            return None
    first = code.module.locate(body[0])
    before = code.source.line(first.line)[: first.column - 1]
    if before.strip():
        return None
    last = max(code.module.locate(one).end_line for one in walk(body) if isinstance(one, ir.Stmt))
    unit = "\t" if "\t" in before else "    "
    edits = []
    for number in range(first.line, last + 1):
        start = Span(number, 1, number, 1)
        text = f"{before}with {context}:\n{unit}" if number == first.line else unit
        if code.source.line(number).strip():
            edits.append(Edit(start, text))
    return edits


def _is_text(statement: ir.Stmt) -> bool:
    value = statement.value if isinstance(statement, ir.ExprStmt) else None
    return isinstance(value, ir.Const) and isinstance(value.value, str)

"""Bound methods that a class compiles again and again, kept by its objects instead."""

from __future__ import annotations

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.queries.scopes import binders
from jaxlint.fixes.rewrites.hoist import free_in_expression, new_name
from jaxlint.fixes.source import Code
from jaxlint.fixes.text import blocks
from jaxlint.syntax import ir


def kept(code: Code, node: ir.Call) -> Fix | None:
    """The fix that compiles a method of `self` in the initialiser; None where the class may
    have another one, or takes no such attribute."""
    method = code.function(node)
    owner = None if method is None else code.parent(method)
    given = node.args[0].value if node.args else None
    if method is None or not isinstance(owner, ir.ClassDef) or not method.params:
        return None
    receiver = method.params[0].name
    is_own = isinstance(given, ir.Attribute) and isinstance(given.value, ir.Name)
    if not is_own or not isinstance(given, ir.Attribute) or method.decorators:
        return None
    if free_in_expression(node) & method.bound != {receiver} or binders(receiver, method.body):
        return None
    if not isinstance(given.value, ir.Name) or given.value.id != receiver:
        return None
    name = new_name(code, node, f"compiled_{given.attr.strip('_')}", owner)
    assignment = f"{receiver}.{name} = {code.text(node)}"
    edit = _initialised(code, owner, receiver, assignment) if "\n" not in assignment else None
    if edit is None:
        return None
    return code.fix(
        "Compile it once for each object", edit, code.replace(node, f"{receiver}.{name}")
    )


def _initialised(code: Code, owner: ir.ClassDef, receiver: str, assignment: str) -> Edit | None:
    """What lets an initialiser do one thing more."""
    if owner.decorators or any(_is_foreign(code, base) for base in owner.bases):
        return None
    found = [one for one in binders("__init__", owner.body) if isinstance(one, ir.FunctionDef)]
    if found:
        return _extended(code, found[0], receiver, assignment) if len(found) == 1 else None
    methods = [one for one in owner.body if isinstance(one, ir.FunctionDef)]
    names = {name for one in owner.body for name in ("__slots__", "__new__") if binders(name, one)}
    span = blocks.lines(code, methods[0]) if methods else None
    if owner.bases or names or span is None:
        return None
    line = code.source.line(span[0])
    indent = line[: len(line) - len(line.lstrip())]
    inner = "\t" if indent.startswith("\t") else "    "
    text = f"{indent}def __init__({receiver}):\n{indent}{inner}{assignment}\n\n"
    return Edit(Span(span[0], 1, span[0], 1), text)


def _is_foreign(code: Code, base: ir.Argument) -> bool:
    """Whether a base class is another one than those of the file."""
    is_named = isinstance(base.value, ir.Name) and not base.keyword and not base.star
    return not is_named or bool(code.meaning(base.value))


def _extended(
    code: Code, initialiser: ir.FunctionDef, receiver: str, assignment: str
) -> Edit | None:
    """One statement more at the end of an initialiser that always gets there."""
    params, body = initialiser.params, initialiser.body
    if not params or params[0].name != receiver or not body:
        return None
    if any(isinstance(one, ir.Return) for one in walk(body, (ir.FunctionDef,))):
        return None
    last, first = blocks.lines(code, body[-1]), code.module.locate(body[0])
    header = code.module.locate(initialiser)
    indent = code.source.line(first.line)[: first.column - 1]
    if last is None or first.line <= header.end_line or indent.strip():
        return None
    if last[1] >= len(code.source.lines):
        return None
    return Edit(Span(last[1] + 1, 1, last[1] + 1, 1), f"{indent}{assignment}\n")

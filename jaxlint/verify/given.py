"""Calls that the user wrote for the verifier: in the settings, in a comment, in a docstring."""

from __future__ import annotations

import ast
import doctest
import io
import os
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jaxlint.verify.protocol import Example

_COMMENT = re.compile(r"#\s*jaxlint:\s*args\s*\((.*)\)\s*$")
_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Key(NamedTuple):
    """A function as the settings name it: "package.module:Class.function"."""

    module: str
    function: str


@dataclass(frozen=True)
class _Definition:
    """A function that an example can name, with the lines of its header."""

    name: str
    first: int
    last: int
    node: ast.stmt


def examples(file: str, source: str, settings_table: Mapping[str, str]) -> list[Example]:
    """The calls written for a file's functions, those of the settings first."""
    found = [
        Example(key.function, arguments, "settings")
        for key, arguments in ((_key(text), value) for text, value in settings_table.items())
        if _is_module(file, key.module)
    ]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return found
    definitions = list(_definitions(tree.body, ""))
    return [*found, *_comments(source, definitions), *_docstrings(definitions)]


def unmatched(sources: Mapping[str, str], settings_table: Mapping[str, str]) -> list[str]:
    """What is wrong with keys of the settings, in words; `sources` are texts by file name.

    A key for a module that is not among the files may be right, so nothing is said of it.
    """
    found = []
    for text in settings_table:
        key = _key(text)
        if not key.module or not key.function:
            found.append(f'"{text}" is not of the form "package.module:function"')
            continue
        files = [file for file in sources if _is_module(file, key.module)]
        if files and not any(_may_have(sources[file], key.function) for file in files):
            found.append(f'"{text}" matches nothing: {files[0]} has no `{key.function}`')
    return found


def _may_have(source: str, function: str) -> bool:
    """Whether the text of a module leaves it possible that an attribute path leads to something.

    Members are told only by the body of a class that inherits nothing.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return True
    defined = {item.name for item in _definitions(tree.body, "")}
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {item.asname or item.name.partition(".")[0] for item in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.ClassDef):
            defined.add(node.name)
            if node.bases:
                bound.add(node.name)
    owners = function.split(".")[:-1]
    return not bound.isdisjoint(("*", *owners)) or function in defined | bound


def _key(text: str) -> Key:
    module, _, function = text.partition(":")
    return Key(module.strip(), function.strip())


def _is_module(file: str, name: str) -> bool:
    """Whether a file is imported under a dotted name.

    Folders without `__init__.py` may be part of the name or not.
    """
    path = os.path.abspath(file)
    folder, last = os.path.split(path)
    least = 1
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
        least += 1
    parts = path.removesuffix(".py").split(os.sep)
    if last == "__init__.py" and least > 1:
        parts.pop()
        least -= 1
    wanted = name.split(".")
    return len(wanted) >= least and parts[-len(wanted) :] == wanted


def _definitions(body: list[ast.stmt], owner: str) -> Iterator[_Definition]:
    """Functions, methods and assigned lambdas that the module's attributes lead to."""
    for node in body:
        if isinstance(node, _FunctionNode):
            last = max(node.lineno, _start(node.body[0]) - 1)
            yield _Definition(owner + node.name, _start(node), last, node)
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = owner + node.targets[0].id
            yield _Definition(name, node.lineno, node.end_lineno or node.lineno, node)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, part, []), owner)


def _start(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def _comments(source: str, definitions: list[_Definition]) -> Iterator[Example]:
    """Comments in a function's header, and those in the lines right above it."""
    lines = source.splitlines()
    for line, arguments in _argument_comments(source):
        below = line
        while below < len(lines) and lines[below - 1].lstrip().startswith("#"):
            below += 1
        is_alone = below > line
        for item in definitions:
            is_inside = item.first <= line <= item.last and below <= item.last
            if is_inside or (is_alone and item.first == below):
                yield Example(item.name, arguments, f"comment, line {line}")


def _argument_comments(source: str) -> Iterator[tuple[int, str]]:
    if "jaxlint" not in source:
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            match = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                yield token.start[0], match[1].strip()
    except (tokenize.TokenError, SyntaxError):  # The parser takes some texts that this does not.
        return


def _docstrings(definitions: list[_Definition]) -> Iterator[Example]:
    parser = doctest.DocTestParser()
    for item in definitions:
        if not isinstance(item.node, _FunctionNode):
            continue
        text = ast.get_docstring(item.node, clean=False)
        if not text or ">>>" not in text:
            continue
        try:
            written = parser.get_examples(text)
        except ValueError:  # Prompts that doctest cannot read either.
            continue
        start = item.node.body[0].lineno
        yield from _doctests(item.name, written, start)


def _doctests(name: str, written: list[doctest.Example], start: int) -> Iterator[Example]:
    """Calls of the function; names that earlier lines assign are written out in them."""
    assigned: dict[str, ast.expr] = {}
    for example in written:
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _calls(node.func, name.rpartition(".")[2]):
                arguments = ast.unparse(_WrittenOut(assigned).visit(_call(node)))
                origin = f"docstring, line {start + example.lineno}"
                yield Example(name, arguments[len("f(") : -len(")")], origin)
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                value = _WrittenOut(assigned).visit(statement.value)
                assigned[statement.targets[0].id] = value


def _calls(node: ast.expr, name: str) -> bool:
    """Whether an expression is the function, or the function under transforms."""
    if isinstance(node, ast.Name):
        return node.id == name
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Call) and bool(node.args) and _calls(node.args[0], name)


def _call(node: ast.Call) -> ast.Call:
    return ast.Call(ast.Name("f", ast.Load()), node.args, node.keywords)


class _WrittenOut(ast.NodeTransformer):
    """Puts in place of each name what was assigned to it."""

    def __init__(self, assigned: Mapping[str, ast.expr]) -> None:
        self._assigned = assigned

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._assigned.get(node.id, node)

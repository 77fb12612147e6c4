"""Reduces a failing program to what is to blame: fewer statements, smaller expressions."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from compare import NAMES, Comparison, Disagreement
from contract import Labels, Program

Check = Callable[[Program], tuple[Comparison, Labels]]
MOST_CHECKS = 600
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def shrink(program: Program, one: Disagreement, check: Check, most: int = MOST_CHECKS) -> Program:
    """The smallest program found that still shows a disagreement like this one."""
    return _Shrinker(program, one, check, most).run()


class _Shrinker:
    def __init__(self, program: Program, one: Disagreement, check: Check, most: int) -> None:
        self.program = program
        self.wanted = one.likeness()
        self.check = check
        self.left = most
        self.tried: set[str] = set()
        _, labels = check(program)
        self.may_end_early = bool(labels.endings)

    def run(self) -> Program:
        tree = ast.parse(self.program.source)
        if not self._fails(ast.unparse(tree)):
            return self.program
        while self.left > 0:
            smaller = next(
                (made for made in _smaller(tree) if self._fails(ast.unparse(made))), None
            )
            if smaller is None:
                break
            tree = smaller
        return Program(self.program.seed, ast.unparse(tree) + "\n")

    def _fails(self, source: str) -> bool:
        """Whether a program shows the disagreement, and runs if the first one did."""
        if source in self.tried or self.left <= 0:
            return False
        self.tried.add(source)
        try:
            compile(source, "<program>", "exec")
        except (SyntaxError, ValueError):
            return False
        self.left -= 1
        try:
            result, labels = self.check(Program(self.program.seed, source + "\n"))
        except Exception:
            return False
        if labels.endings and not self.may_end_early:
            return False
        return any(each.likeness() == self.wanted for each in result.disagreements)


def _smaller(tree: ast.Module) -> Iterator[ast.Module]:
    """Smaller programs, those that lose most first."""
    places = [
        (node, name)
        for node in ast.walk(tree)
        for name in _BODIES
        if isinstance(getattr(node, name, None), list)
    ]
    sizes = {len(getattr(node, name)) for node, name in places}
    width = max(sizes, default=1)
    while width:
        for node, name in places:
            body = getattr(node, name)
            for at in range(max(len(body) - width, 0), -1, -width):
                if len(body) >= width:
                    yield from _without(tree, node, name, body[:at] + body[at + width :])
        width //= 2
    for node, name in places:
        body = getattr(node, name)
        for at, statement in enumerate(body):
            inner = [s for n in _BODIES for s in getattr(statement, n, []) if _is_stmt(s)]
            if inner and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield from _without(tree, node, name, body[:at] + inner + body[at + 1 :])
    yield from _smaller_lists(tree)
    yield from _smaller_expressions(tree)


def _is_stmt(node: Any) -> bool:
    return isinstance(node, ast.stmt)


def _without(tree: ast.Module, node: ast.AST, name: str, body: list[Any]) -> Iterator[ast.Module]:
    if not body and name == "body":
        if isinstance(node, (ast.Module, ast.ExceptHandler)):
            return
        body = [ast.Pass()]
        if len(getattr(node, name)) == 1 and isinstance(getattr(node, name)[0], ast.Pass):
            return
    if not body and name in ("handlers", "cases"):
        return
    yield _changed(tree, node, name, body)


def _changed(tree: ast.Module, node: ast.AST, name: str, value: Any) -> ast.Module:
    """A copy of the tree with one field of one node replaced."""
    old = getattr(node, name)
    setattr(node, name, value)
    made = copy.deepcopy(tree)
    setattr(node, name, old)
    return made


def _smaller_lists(tree: ast.Module) -> Iterator[ast.Module]:
    """Without an argument, keyword, element, decorator, base or parameter."""
    for node in ast.walk(tree):
        for name in ("args", "keywords", "elts", "decorator_list", "bases", "values"):
            items = getattr(node, name, None)
            if not isinstance(items, list) or isinstance(node, (ast.BoolOp, ast.Dict)):
                continue
            for at in range(len(items)):
                yield _changed(tree, node, name, items[:at] + items[at + 1 :])
        if isinstance(node, ast.arguments):
            for at in range(len(node.args)):
                if at >= len(node.args) - len(node.defaults):
                    default = at - (len(node.args) - len(node.defaults))
                    left = node.defaults[:default] + node.defaults[default + 1 :]
                    yield _changed(tree, node, "defaults", left)


def _smaller_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    """With an expression replaced by a part of it."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                for part in _parts(value):
                    yield _changed(tree, node, name, part)
            elif isinstance(value, list):
                for at, each in enumerate(value):
                    for part in _parts(each) if isinstance(each, ast.expr) else ():
                        yield _changed(tree, node, name, [*value[:at], part, *value[at + 1 :]])


def _parts(node: ast.expr) -> list[ast.expr]:
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return []
    parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, ast.Call):
        parts += [keyword.value for keyword in node.keywords]
    return parts


def specification(program: Program, result: Comparison, one: Disagreement) -> str:
    """A program as an example for a page, or for a specification of the engine."""
    like = [each for each in result.disagreements if each.likeness() == one.likeness()]
    lines = program.source.rstrip().splitlines()
    for each in sorted(like[:1], key=lambda each: -each.line):
        line = lines[each.line - 1]
        indent = line[: len(line) - len(line.lstrip())]
        if each.kind in NAMES:
            lines.insert(
                each.line - 1,
                f"{indent}reveal({each.subject})  # revealed: {each.shows}"
                f"  (the engine: {each.says})",
            )
        elif each.kind == "missed":
            lines[each.line - 1] += f"  # error (missed: {each.shows})"
        else:
            lines[each.line - 1] += f"  # false-alarm: [{each.subject}]"
    return "\n".join(["```py", *lines, "```"])

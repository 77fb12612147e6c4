"""Runs the programs of one project tree on real JAX and prints what each of them showed.

    python tests/project/project_runs.py TREE

A script for a fresh process. The output is a JSON list with one object a run.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
import tomllib
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

from jaxlint.testing.execution import Outcome, Program
from jaxlint.testing.oracle import difference
from jaxlint.testing.values import Numbers

_COUNT = "__count_line__"


class Tree(MetaPathFinder):
    """The modules of a tree, which count what runs of them, and stubs of installed packages.

    `ran` counts statements in functions, as "file:line", since the modules were last forgotten.
    """

    def __init__(self, root: str, stubs: Mapping[str, str]) -> None:
        self._root = root + os.sep
        self._stubs = stubs
        self.ran: Counter[str] = Counter()
        vars(builtins)[_COUNT] = lambda place: self.ran.update((place,))

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self._stubs:
            is_package = any(other.startswith(f"{name}.") for other in self._stubs)
            return ModuleSpec(name, Stub(self._stubs[name]), is_package=is_package)
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin and self.place(spec.origin, 0):
            spec.loader = Counting(name, spec.origin, self)
        return spec

    def place(self, filename: str, line: int) -> str:
        """A place in the tree as "file:line", empty for one elsewhere."""
        if not filename.startswith(self._root):
            return ""
        return f"{filename[len(self._root) :].replace(os.sep, '/')}:{line}"

    @contextmanager
    def fresh(self) -> Iterator[Counter[str]]:
        """Imports meanwhile start anew, so that no run sees the state of another."""
        self.ran = Counter()
        known = set(sys.modules)
        try:
            yield self.ran
        finally:
            new = {name: sys.modules[name] for name in set(sys.modules) - known}
            for name in [name for name, module in new.items() if self._holds(module)]:
                del sys.modules[name]

    def _holds(self, module: types.ModuleType) -> bool:
        is_namespace = any(self.place(path + os.sep, 0) for path in getattr(module, "__path__", ()))
        return is_namespace or isinstance(module.__loader__, Counting | Stub)


class Stub(Loader):
    """A package that is installed where the tree is used, and that is no part of it."""

    def __init__(self, source: str) -> None:
        self._source = source

    def exec_module(self, module: types.ModuleType) -> None:
        exec(compile(self._source, module.__name__, "exec"), vars(module))


class Counting(SourceFileLoader):
    """Has each statement of each function counted when it runs."""

    def __init__(self, name: str, path: str, tree: Tree) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> types.CodeType:
        parsed = ast.parse(self.get_data(self.path), self.path)
        for node in ast.walk(parsed):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                node.body = [*self._counted(node.body)]
        return compile(ast.fix_missing_locations(parsed), self.path, "exec")

    def _counted(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in body:
            # Before a docstring there must be nothing, or it is none.
            if statement is not body[0] or not _is_text(statement):
                yield self._count(statement)
            for name, block in ast.iter_fields(statement):
                if name in ("body", "orelse", "finalbody") and _is_block(statement):
                    setattr(statement, name, [*self._counted(block)])
            yield statement

    def _count(self, statement: ast.stmt) -> ast.stmt:
        place = ast.Constant(self._tree.place(self.path, statement.lineno))
        call = ast.Call(ast.Name(_COUNT, ast.Load()), [place], [])
        return ast.copy_location(ast.Expr(call), statement)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If | ast.For | ast.While | ast.With | ast.Try)


def observe(row: Mapping[str, Any], tree: Tree) -> dict[str, Any]:
    """What one program showed: its exception, and what its kind of witness asks for."""
    program = Program(row["code"], "<run>")
    shown: dict[str, Any] = {}
    with tree.fresh() as ran:
        outcome = program.run(twice="recompiles" in row)
    if "differs" in row:
        shown["differs"] = _difference(program, outcome, ran, tree)
    if "shows" in row:
        value = outcome.value
        shown["value"] = isinstance(value, Numbers) and value.array.tolist() is True
    if outcome.failures:
        (failure,) = outcome.failures
        shown["raised"] = [base.__name__ for base in type(failure.error).__mro__]
        shown["message"] = str(failure)
        shown["at"] = _innermost(failure.error, tree)
    return {**shown, "leaks": outcome.leaks, "compilations": outcome.compilations, "ran": ran}


def _difference(
    program: Program, compiled: Outcome, ran: Mapping[str, int], tree: Tree
) -> dict[str, Any]:
    """How the program differs without jit, and the lines that then run more often."""
    with tree.fresh():
        chance = difference(compiled, program.run())
    with tree.fresh() as ran_eagerly:
        eager = program.run(eager=True)
    return {
        "chance": chance,
        "what": difference(compiled, eager),
        "rarer": [place for place, count in ran_eagerly.items() if ran[place] < count],
    }


def _innermost(error: BaseException, tree: Tree) -> str:
    place, step = "", error.__traceback__
    while step is not None:
        place = tree.place(step.tb_frame.f_code.co_filename, step.tb_lineno) or place
        step = step.tb_next
    return place


def main(root: str) -> None:
    """Runs all programs of a tree, each guarded, and prints what they showed."""
    root = os.path.abspath(root)
    with open(os.path.join(root, "expected.toml"), "rb") as stream:
        expected = tomllib.load(stream)
    sys.path[:0] = [path for path in (os.path.join(root, "src"), root) if os.path.isdir(path)]
    tree = Tree(root, expected.get("stubs", {}))
    sys.meta_path.insert(0, tree)
    json.dump([observe(row, tree) for row in expected["runs"]], sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])

"""The project trees of fixtures: their files, their marks and what is expected of them."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
PROJECTS, REACH = FIXTURES / "projects", FIXTURES / "reach"
MARK = re.compile(r"#\s*((?:JAX\d{3}(?:,\s*)?)+)")

Place = tuple[str, int]
Found = tuple[str, int, str]


@dataclass(frozen=True)
class Run:
    """A program that imports the tree, and what real JAX shows of it.

    `witness` is "clean" or how a hazard is seen: it "raises" (`error`), "differs" from a run
    without jit, "leaks" a tracer, "recompiles", or "shows" itself: the last expression of the
    program, which tests for it, is true. `at` are the lines that are to blame.
    """

    number: int
    code: str
    witness: str
    error: str
    at: tuple[Place, ...]


@dataclass(frozen=True)
class Alone:
    """A file that is asked about by itself, and what is shown then."""

    file: str
    findings: frozenset[Found]


class Tree:
    """One project below `fixtures/projects`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.name = root.name

    @cached_property
    def expected(self) -> dict[str, Any]:
        return tomllib.loads((self.root / "expected.toml").read_text(encoding="utf-8"))

    @cached_property
    def files(self) -> list[str]:
        """The Python files, relative to the tree."""
        return sorted(_spell(path.relative_to(self.root)) for path in self.root.rglob("*.py"))

    @cached_property
    def marks(self) -> set[Found]:
        """The lines that say which rule speaks there."""
        return {mark for file in self.files for mark in self._marks_in(file)}

    def memory(self) -> dict[str, str]:
        """What the files hold by their full names, as a project."""
        paths = [self.root / file for file in (*self.files, "pyproject.toml")]
        held = {str(one): one.read_text(encoding="utf-8") for one in paths if one.exists()}
        return {str(paths[-1]): "", **held}

    @property
    def runs(self) -> list[Run]:
        return [_run(number, row) for number, row in enumerate(self.expected["runs"], 1)]

    @property
    def alone(self) -> list[Alone]:
        return [
            Alone(row["file"], frozenset(map(_found, row["findings"])))
            for row in self.expected["alone"]
        ]

    @property
    def functions(self) -> set[Place]:
        """The first statement of each function of the tree that its runs enter."""
        unreached = {_place(text) for text in self.expected.get("unreached", ())}
        return {
            (file, node.body[ast.get_docstring(node) is not None].lineno)
            for file in self.files
            for node in self._functions_in(file)
            if (file, node.lineno) not in unreached
        }

    def _marks_in(self, file: str) -> Iterator[Found]:
        lines = (self.root / file).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            for code in re.findall(r"JAX\d{3}", found[1] if (found := MARK.search(line)) else ""):
                yield file, number, code

    def _functions_in(self, file: str) -> Iterator[ast.FunctionDef]:
        text = (self.root / file).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                yield node


TREES = [Tree(path.parent) for path in sorted(PROJECTS.glob("*/expected.toml"))]
FAR_TREES = [Tree(path.parent) for path in sorted(REACH.glob("*/expected.toml"))]
every_tree = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)


def _run(number: int, row: dict[str, Any]) -> Run:
    (witness,) = row.keys() & {"clean", "raises", "differs", "leaks", "recompiles", "shows"}
    at = row.get("at", ())
    places = tuple(map(_place, [at] if isinstance(at, str) else at))
    assert bool(places) == (witness != "clean"), "a hazard is somewhere, and a clean run is not"
    return Run(number, row["code"], witness, row.get("raises", ""), places)


def _found(text: str) -> Found:
    where, _, code = text.partition(" ")
    return (*_place(where), code)


def _place(text: str) -> Place:
    file, _, line = text.rpartition(":")
    return file, int(line)


def _spell(path: Path) -> str:
    return str(path).replace(os.sep, "/")

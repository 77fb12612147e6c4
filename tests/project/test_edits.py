"""After an edit, a session finds what a new one finds: it keeps what the edit does not touch."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from projects import Tree, every_tree

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

EDITS = 3
LEAF = """\
import jax
from lib.shared import scaled


@jax.jit
def f(x):
    return scaled(x)
"""
SHARED = """\
def scaled(x):
    if x > 0:
        return x
    return -x
"""
Told = tuple[int, str, str, str]


def told(session: Session, paths: list[str]) -> dict[str, list[Told]]:
    return {
        path: sorted(
            (one.line, one.code, str(one.severity), str(one.confidence))
            for one in session.check(path).findings
        )
        for path in paths
    }


def edited(source: str, choose: random.Random) -> str:
    """A source in which one function does something else: its first statement is no more, or it
    returns at once."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno
    ]
    if not functions:
        return source + "\nadded = 1\n"
    first = choose.choice(functions).body[0]
    lines = source.splitlines()
    start, end = first.lineno - 1, first.end_lineno or first.lineno
    new = choose.choice(["pass", "return None", "return 0 * 1"])
    decorated = getattr(first, "decorator_list", [])
    start = min([start, *(one.lineno - 1 for one in decorated)])
    return "\n".join([*lines[:start], " " * first.col_offset + new, *lines[end:], ""])


@every_tree
def test_an_edit_leaves_what_a_new_session_finds(tree: Tree) -> None:
    choose = random.Random(tree.name)
    contents = {
        str(tree.root / file): (tree.root / file).read_text(encoding="utf-8") for file in tree.files
    }
    marker = str(tree.root / "pyproject.toml")
    memory = Memory({**contents, marker: Path(marker).read_text() if Path(marker).exists() else ""})
    paths = sorted(contents)
    session = Session(files=memory)
    told(session, paths)
    for _ in range(EDITS):
        path = choose.choice(paths)
        contents[path] = edited(contents[path], choose)
        memory.contents[path] = contents[path].encode()
        session.changed(path)

        assert told(session, paths) == told(Session(files=memory), paths)


@pytest.mark.parametrize(("path", "kept"), [("lib/leaf.py", True), ("lib/shared.py", False)])
def test_an_edit_of_a_file_that_nothing_imports_keeps_the_modules(path: str, kept: bool) -> None:
    files = {
        "pyproject.toml": "",
        "lib/__init__.py": "",
        "lib/leaf.py": LEAF,
        "lib/shared.py": SHARED,
    }
    memory = Memory(files)
    session = Session(files=memory)
    before = told(session, ["lib/leaf.py", "lib/shared.py"])
    context = session._projects.context(session.project(path))
    (world,) = context.worlds
    memory.contents[path] = (files[path] + "\n\n# The end.\n").encode()
    session.changed(path)
    after = told(session, ["lib/leaf.py", "lib/shared.py"])

    assert before == after
    assert (context.worlds[0] is world) == kept

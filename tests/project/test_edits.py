"""After an edit, a session finds what a new one finds: it keeps what the edit does not touch."""

from __future__ import annotations

import ast
import random

import pytest
from projects import Tree, every_tree

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

EDITS = 6
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
Told = tuple[int, str, str, str, str]


def told(session: Session, paths: list[str]) -> dict[str, list[Told]]:
    session.ask(paths)
    return {
        path: sorted(
            (one.line, one.code, str(one.severity), str(one.confidence), one.message)
            for one in session.check(path).findings
        )
        for path in paths
    }


def edited(source: str, choose: random.Random) -> str:
    """A source in which a statement of one function is another one or has another one in front, or
    that has one more at its end."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno
    ]
    lines = source.splitlines()
    if not functions or choose.random() < 0.1:
        return "\n".join([*lines, "added = 1", ""])
    function = choose.choice(functions)
    old = choose.choice(function.body)
    names = [one.arg for one in function.args.args] or ["1"]
    other = choose.choice(functions).name
    new = choose.choice(
        [
            "pass",
            "return None",
            "return 0 * 1",
            "seen = 1",
            "# A comment.",
            "print(0)",
            "import jax.numpy as jnp",
            "global added; added = 1",
            f"if {choose.choice(names)} > 0: pass",
            f"seen = {other}({', '.join(names)})",
        ]
    )
    start = min([old.lineno, *(one.lineno for one in getattr(old, "decorator_list", []))]) - 1
    end = start if choose.random() < 0.6 else old.end_lineno or old.lineno
    changed = "\n".join([*lines[:start], " " * old.col_offset + new, *lines[end:], ""])
    try:
        compile(changed, "changed", "exec")
    except SyntaxError:
        return source
    return changed


@every_tree
def test_an_edit_leaves_what_a_new_session_finds(tree: Tree) -> None:
    choose = random.Random(tree.name)
    contents = tree.memory()
    memory = Memory(contents)
    paths = sorted(str(tree.root / file) for file in tree.files)
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

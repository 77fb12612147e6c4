"""The imports that a fix leaves unused are those that a comparison of the whole texts tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.edit import Edit, applied
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.unused import Imports, left_unused, removals
from jaxlint.testing.lint import lint
from jaxlint.testing.markdown import read_blocks
from jaxlint.testing.rulebook import builtin_rules

CASES = sorted((Path(__file__).parent / "cases").glob("*.md"))
RULES = list(builtin_rules().values())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_each_fix_removes_the_imports_that_it_leaves(path: Path) -> None:
    found = 0
    for block in read_blocks(path.read_text("utf-8").splitlines(), 1, str(path)):
        text = (block.code.strip() + "\n").replace("\\r\n", "\n").replace("\\t", "\t")
        fixes = [one.fix for one in lint(text, "file.py", RULES)]
        for fix in (one for one in fixes if one is not None):
            whole = removals(text, left_unused(text, applied(text, fix.edits)))
            assert whole == fix.cleanup, (text, fix)
            found += bool(whole)
    assert found


TEXT = """\
import numpy as np
from math import sin, cos as c, tan
from typing import Any, List

def f(x: "Any", é: List):
    global tan
    return f"{sin(x)}é{c(x)}" + np.sin(é) + tan(x)
"""


@pytest.mark.parametrize(
    ("old", "new", "unused"),
    [
        ("np.sin(é)", "jnp.sin(é)", {"np"}),
        ("np.sin(é)", "np.cos(é)", set()),
        ("np", "'np'", set()),
        ("sin(x)", "x.sin", {"sin"}),
        ('f"{sin(x)}é{c(x)}" + ', "", {"sin", "c"}),
        (" + tan(x)", "", set()),
        ('"Any"', "object", {"Any"}),
        ("Any", "object", set()),
        (": List", "", {"List"}),
        ("f(x", "f(sin", set()),
    ],
)
def test_names_that_a_change_leaves(old: str, new: str, unused: set[str]) -> None:
    lines = TEXT.split("\n")
    line = next(at for at, one in enumerate(lines) if at > 3 and old in one)
    column = lines[line].index(old) + 1
    edit = Edit(Span(line + 1, column, line + 1, column + len(old)), new)
    assert SourceText("", TEXT).slice(edit.span) == old
    assert unused == Imports(TEXT).left_unused([edit])

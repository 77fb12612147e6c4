"""docs/features.md: every row names tests, and the tests are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from documents import ROOT

PAGE = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in re.findall(r"^\|(?! feature |---).*\|$", PAGE, re.MULTILINE)
]
PROOF = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


@cache
def defined(path: str) -> frozenset[str]:
    """The functions of a file and the methods of its classes, named as pytest names them."""
    names = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{it.name}" for it in node.body if hasattr(it, "name")}
    return frozenset(names)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_tests_that_are_there(row: list[str]) -> None:
    _, has, elsewhere, proof = row
    assert has and elsewhere
    named = PROOF.findall(proof)
    assert named, "this row has no proof"
    assert proof == ", ".join(f"`{path}::{name}`" for path, name in named)
    missing = [name for path, name in named if name not in defined(path)]
    assert [] == missing


def test_tests_are_those_that_pytest_collects() -> None:
    assert "test_tests_are_those_that_pytest_collects" in defined("tests/docs/test_features.py")
    assert all(Path(path).name.startswith("test_") for path, _ in PROOF.findall(PAGE))

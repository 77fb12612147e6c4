"""Projects as a whole are fixed: what comes of them is Python, quieter, and not changed again."""

from __future__ import annotations

from pathlib import Path

import pytest
from trees import fixed_tree

from jaxlint.apply.text import Wanted, is_fixable, is_safe

FIXTURES = Path(__file__).parents[2] / "fixtures"
TREES = [FIXTURES / "tour", *sorted(it for it in (FIXTURES / "projects").iterdir() if it.is_dir())]


@pytest.mark.parametrize("wanted", [is_safe, is_fixable], ids=["safe", "all"])
@pytest.mark.parametrize("root", TREES, ids=lambda root: root.name)
def test_a_fixed_tree_has_nothing_new(root: Path, wanted: Wanted) -> None:
    tree = fixed_tree(root, wanted)
    assert [] == tree.wrong, tree.changes


def test_the_tour_has_much_to_fix() -> None:
    tree = fixed_tree(TREES[0])
    assert tree.fixed.total() > tree.found // 10

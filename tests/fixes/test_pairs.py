"""Programs that hold two hazards are fixed: a sample of what `pairs.py` makes of all."""

from __future__ import annotations

import pytest
from pairs import LAYOUTS, WANTED, Pair, fixed, hazards, pairs

# One of so many programs is tried.
STEP = 65
SHARES = 4


def sample(share: int) -> list[Pair]:
    """A part of the sample, whose programs are as far apart as can be."""
    return list(pairs(list(LAYOUTS), 0, only=slice(share * STEP, None, SHARES * STEP)))


@pytest.mark.parametrize("share", range(SHARES))
def test_fixes_of_two_hazards_leave_nothing_new(share: int) -> None:
    results = [fixed(pair, wanted) for pair in sample(share) for wanted in WANTED]
    assert [] == [f"{it.pair.name} ({it.wanted}) {it.wrong}" for it in results if it.wrong]
    fixes = sum(it.fixed for it in results)
    refused = sum(len(it.refused) for it in results)
    assert fixes > len(results)
    assert refused < fixes / 20


def test_all_rules_with_fixes_are_tried() -> None:
    assert len(hazards()) > 60
    seen = {name for share in range(SHARES) for it in sample(share) for name in it.rules}
    assert seen == set(hazards())
    assert set(LAYOUTS) == {it.name.rpartition("[")[2][:-1] for it in sample(0) + sample(1)}

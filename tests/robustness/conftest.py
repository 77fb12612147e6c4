"""What tests of hostile files share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxlint.dataflow import budget


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A budget that little code exceeds."""
    monkeypatch.setattr(budget, "LEAST", 2_000)
    monkeypatch.setattr(budget, "FOR_CHARACTER", 1)
    monkeypatch.setattr(budget, "FOR_PLACE", 2_000)
    yield
    assert budget.METER.left > 1 << 60, "the meter runs on"

"""What tests of the cache share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from edited import inside, make

from jaxlint.session.examination import Examination


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The project, as the current directory."""
    root = tmp_path / "project"
    root.mkdir()
    make(root)
    with inside(root):
        yield root


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are traced from here on, by name."""
    seen: list[str] = []
    real = Examination._examine

    def examine(self: Examination, file: str) -> object:
        seen.append(os.path.basename(file))
        return real(self, file)

    monkeypatch.setattr(Examination, "_examine", examine)
    return seen

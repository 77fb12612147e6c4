"""What tests of the cache share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from edited import inside, make


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The project, as the current directory."""
    root = tmp_path / "project"
    root.mkdir()
    make(root)
    with inside(root):
        yield root

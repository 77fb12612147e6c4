"""What is not read closely has nothing to show: findings with and without skipping are equal."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from jaxlint.base.finding import Finding
from jaxlint.project import file_facts
from jaxlint.project.discovery import discover
from jaxlint.session.session import Session
from jaxlint.syntax import ir, places

ROOT = Path(__file__).parents[2]
# More to compare, on demand: directories, separated as those of PATH.
MORE = [Path(one) for one in os.environ.get("JAXLINT_SOURCES", "").split(os.pathsep) if one]


def package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


CORPORA = [ROOT / "fixtures" / "tour", package("chex"), *MORE]


def findings(root: Path) -> list[Finding]:
    """All findings in the files below a directory, as one project."""
    files = discover([str(root)]).files
    session = Session()
    session.ask(files)
    return [finding for path in files for finding in session.check(path).findings]


@pytest.mark.parametrize("root", CORPORA, ids=lambda path: path.name)
def test_nothing_is_lost_by_not_reading(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every file taken to matter and read by LibCST, what is found is the same."""
    skipping = findings(root)
    assert skipping or root.name != "tour"

    def read(text: str, path: str) -> ir.Module | None:
        try:
            return places.module(text, path)
        except (places.RefusedError, RecursionError):
            return None

    monkeypatch.setattr(places, "native", read)
    monkeypatch.setattr(file_facts.Reader, "_mentions", lambda *given: True)
    monkeypatch.setattr(file_facts, "takes_jax", lambda *given: True)
    assert skipping == findings(root)

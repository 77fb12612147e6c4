"""Links between documents lead somewhere, for those who read them where they stand."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from documents import DOCUMENTS, ROOT, anchors, links

OTHERS = sorted([*(ROOT / "fixtures").glob("*/*.md"), *(ROOT / "tests").rglob("README.md")])
every_document = pytest.mark.parametrize(
    "path", [*DOCUMENTS, *OTHERS], ids=lambda path: path.relative_to(ROOT).as_posix()
)


def broken(path: Path) -> list[str]:
    """The links of a document to files and headings that are not there."""
    found = []
    for link in links(path):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        there = target.exists()
        if there and parts.fragment:
            there = target.suffix == ".md" and parts.fragment in anchors(target)
        found += [] if there else [link]
    return found


@every_document
def test_links_lead_to_files_and_headings(path: Path) -> None:
    assert [] == broken(path)


def test_links_that_lead_nowhere_are_noticed(tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("# One `and` only\n\n## Twice\n\n## Twice\n")
    good = "[a](other.md#one-and-only) [b](other.md#twice-1) [c](https://example.org/none) [d](#x)"
    page = tmp_path / "page.md"
    page.write_text(f"# X\n\n{good}\n\n[e](gone.md) ![f](gone.png) [g](other.md#thrice) [h](#y)\n")
    assert ["gone.md", "gone.png", "other.md#thrice", "#y"] == broken(page)

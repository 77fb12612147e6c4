"""The documents of the repository, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from myst_parser.slugs import github_slugify, unique_slug

ROOT = Path(__file__).parents[2]
# The site makes these of documents that stand elsewhere.
MADE = {"changelog.md", "contributing.md", "rules"}
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(
            path
            for path in (ROOT / "docs").rglob("*.md")
            if not MADE & set(path.relative_to(ROOT / "docs").parts)
        ),
    ]
)


@dataclass(frozen=True)
class Block:
    """Text between fences; `line` is the number of its first line in the document."""

    path: Path
    language: str
    line: int
    text: str

    @property
    def place(self) -> str:
        inside = self.path.is_relative_to(ROOT)
        path = self.path.relative_to(ROOT).as_posix() if inside else self.path.name
        return f"{path}:{self.line}"


@cache
def _tokens(path: Path) -> list[Token]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(path.read_text(encoding="utf-8"))


def blocks(path: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a document in some languages, or all that name one."""
    found = []
    for token in _tokens(path):
        words = token.info.split()
        if token.type == "fence" and words and (not languages or words[0] in languages):
            found.append(Block(path, words[0], (token.map or [0])[0] + 2, token.content))
    return found


def links(path: Path) -> Iterator[str]:
    """Where the links and images of a document lead."""
    for token in _tokens(path):
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield str(target)


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors that GitHub gives to the headings of a document."""
    tokens = _tokens(path)
    found: list[str] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            shown = [it for it in inline.children or () if it.type in ("text", "code_inline")]
            found.append(unique_slug(github_slugify("".join(it.content for it in shown)), found))
    return frozenset(found)

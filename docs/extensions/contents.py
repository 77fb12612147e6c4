"""The tree of contents: what the lists of links in index.md say, section by section."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sphinx.application import Sphinx

SECTION = re.compile(r"^## +(.*?) *\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"^- \[[^\]]*\]\(([\w/.-]+)\.md\)", re.MULTILINE)


def trees(text: str) -> Iterator[str]:
    """For each section that lists documents a directive that takes them in, in this order."""
    for title, body in SECTION.findall(text):
        if names := LINK.findall(body):
            entries = "\n".join(names)
            yield f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{entries}\n```\n"


def add_trees(app: Sphinx, name: str, content: list[str]) -> None:
    """Readers of the source see lists, those of the site a tree beside each page as well."""
    if name == app.config.root_doc:
        content[0] = "\n\n".join([content[0].rstrip(), *trees(content[0])])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_trees, priority=600)
    return {"parallel_read_safe": True}

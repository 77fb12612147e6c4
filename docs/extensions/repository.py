"""Links as they stand in the repository, and what they are on the site."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

from jaxlint.report.links import HOME

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCE = f"{HOME}/blob/main"
ELSEWHERE = {
    "README.md": "docs/index.md",
    "CHANGELOG.md": "docs/changelog.md",
    "CONTRIBUTING.md": "docs/contributing.md",
}
"""Documents of the repository, and the pages of the site that stand for them."""

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(?=[#)])")
FENCE = re.compile(r"^ *```")
RULE = re.compile(r"jaxlint/rules/(\w+)\.py")


def rewritten(text: str, stands_in: Path, shown_in: Path) -> str:
    """A document with its links changed: they are relative to where it stands in the repository,
    and become relative to where the site shows it."""

    def change(match: re.Match[str]) -> str:
        target = (stands_in / match[1]).resolve()
        return _address(target, shown_in) if target.exists() else match[1]

    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        fenced ^= bool(FENCE.match(line))
        lines.append(line if fenced else LINK.sub(change, line))
    return "".join(lines)


def _address(target: Path, shown_in: Path) -> str:
    name = target.relative_to(ROOT).as_posix()
    if rule := RULE.fullmatch(name):
        name = f"docs/rules/{rule[1].replace('_', '-')}.md"
    name = ELSEWHERE.get(name, name)
    if name.startswith("docs/"):
        return Path(os.path.relpath(ROOT / name, shown_in)).as_posix()
    return f"{SOURCE}/{name}"


def rewrite(app: Sphinx, name: str, content: list[str]) -> None:
    """Changes the links of a document that is about to be read."""
    content[0] = rewritten(content[0], DOCS, DOCS)


def copy_documents(app: Sphinx) -> None:
    """Takes in the documents that stand outside of `docs`."""
    for source, page in ELSEWHERE.items():
        if page != "docs/index.md":
            text = (ROOT / source).read_text(encoding="utf-8")
            write(ROOT / page, rewritten(text, ROOT, DOCS))


def write(path: Path, text: str) -> None:
    """Writes a file that is not like this already, so that it is not read again in vain."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", copy_documents)
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True}

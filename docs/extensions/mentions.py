"""Codes of rules in the text, as links to the pages of the rules."""

from __future__ import annotations

import posixpath
import re

from repository import FENCE
from sphinx.application import Sphinx

from jaxlint.base.own_codes import METAS
from jaxlint.testing.rulebook import builtin_rules

CODE = re.compile(r"(?<![\[\w-])JAX\d{3}(?![\]\w])")
# Code in a line, and links with what they are about.
LEFT_ALONE = re.compile(r"(`+.*?`+|!?\[[^\]]*\]\([^)]*\))")


def linked(text: str, name: str) -> str:
    """A document with links where the text names rules: not in headings, tables and code."""
    pages = {it.code: it.name for it in (*builtin_rules().values(), *METAS)}

    def link(match: re.Match[str]) -> str:
        if match[0] not in pages:
            return match[0]
        page = posixpath.relpath(f"rules/{pages[match[0]]}.md", posixpath.dirname(name) or ".")
        return f"[{match[0]}]({page})"

    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        fenced ^= bool(FENCE.match(line))
        if fenced or line.startswith(("#", "|", "```")):
            lines.append(line)
            continue
        pieces = LEFT_ALONE.split(line)
        pieces[::2] = [CODE.sub(link, piece) for piece in pieces[::2]]
        lines.append("".join(pieces))
    return "".join(lines)


def link_codes(app: Sphinx, name: str, content: list[str]) -> None:
    """Links the codes in a document that is about to be read."""
    content[0] = linked(content[0], name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", link_codes, priority=550)
    return {"parallel_read_safe": True}

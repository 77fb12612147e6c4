"""What an editor shows of the name under the pointer."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Callable, Iterable, Iterator

from lsprotocol import types

from jaxlint.base.errors import JaxlintError
from jaxlint.base.explanation import CALLABLE, MODULE, Explanation
from jaxlint.base.printable import one_line
from jaxlint.registry.pages import page
from jaxlint.report import links
from jaxlint.report.explanations import markdown
from jaxlint.session.session import load_registry

_HEADING = re.compile(r"^## ", re.MULTILINE)


def hover(
    diagnostics: Iterable[types.Diagnostic],
    explanation: Explanation | None,
    address: Callable[[str], str],
) -> types.Hover | None:
    """The rules of the findings there, and why the value is what it is; `address` knows that of
    a file."""
    parts = [*_rules(diagnostics)]
    if explanation is not None and _is_telling(explanation):
        parts.append(described(explanation, address))
    if not parts:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)))


def described(explanation: Explanation, address: Callable[[str], str]) -> str:
    """An explanation whose places are links."""

    def link(filename: str, line: int) -> str:
        return f"[{_plain(os.path.basename(filename))}:{line}]({address(filename)}#L{line})"

    return markdown(explanation, link)


def _plain(name: str) -> str:
    """A name in which no character means anything to Markdown."""
    return re.sub(r"([\\`*_\[\]()<>!])", r"\\\1", one_line(name))


def within(diagnostic: types.Diagnostic, place: types.Position) -> bool:
    """Whether a place is in what a diagnostic is about."""
    return diagnostic.range.start <= place <= diagnostic.range.end


def _rules(diagnostics: Iterable[types.Diagnostic]) -> Iterator[str]:
    """What the page of each rule says before its first example, and where the rest is."""
    codes = dict.fromkeys(str(one.code) for one in diagnostics)
    for code in codes:
        try:
            rule = load_registry().find(code)
        except JaxlintError:
            continue
        summary, _, rest = page(rule).strip().partition("\n")
        said = f"**{rule.code} {rule.name}**: {summary.rstrip('.')}"
        words = _HEADING.split(rest, maxsplit=1)[0].strip()
        more = f"[All about {rule.name}]({links.page(rule.name)})"
        yield "\n\n".join(part for part in (said, words, more) if part)


def _is_telling(explanation: Explanation) -> bool:
    """Whether this is about a name in traced code that stands for a value."""
    if explanation.reach != "traced":
        return False
    return all(
        all(part.isidentifier() and not keyword.iskeyword(part) for part in it.text.split("."))
        and any(answer.kind not in (CALLABLE, MODULE) for answer in it.answers)
        for it in explanation.subjects
    )

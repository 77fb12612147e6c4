"""What a finding is known by from one run to the next, while the lines around it move.

That is its rule, its file, the function it is in and the text of its line, comments and blanks
aside.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.syntax.comments import without_comments
from jaxlint.syntax.python import REFUSALS, tree_of

_DIGITS = 32


class Known(NamedTuple):
    """What a finding in a file is known by."""

    code: str
    rule: str
    function: str
    text: str


class Identities:
    """What the findings in one source are known by."""

    def __init__(self, source: SourceText) -> None:
        self._lines = without_comments(source)
        self._functions = _functions(source.text)

    def of(self, finding: Finding) -> Known:
        """What a finding in this source is known by."""
        line = finding.line
        inside = [name for first, last, name in self._functions if first <= line <= last]
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        function = inside[-1] if inside else ""
        return Known(finding.code, finding.name, function, " ".join(text.split()))


def fingerprints(found: Iterable[Finding], source: SourceText | None, path: str) -> list[str]:
    """One for each finding of a file, in the same order, no two of them equal.

    They stay when code moves to another function: they rest on the code, the path, the text and
    how many such findings come before.
    """
    identities = Identities(source or SourceText(path, ""))
    seen: Counter[tuple[str, str]] = Counter()
    prints = []
    for finding in found:
        known = identities.of(finding)
        key = (known.code, known.text)
        parts = (known.code, path, known.text, str(seen[key]))
        seen[key] += 1
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass"))
        prints.append(digest.hexdigest()[:_DIGITS])
    return prints


def _functions(text: str) -> list[tuple[int, int, str]]:
    """The first and the last line of each function and class, and its qualified name; what is
    inside another comes after it. Nothing for what this Python cannot read."""
    try:
        tree = tree_of(text)
    except REFUSALS:
        return []
    found = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
            name = prefix + node.name
            found.append((first, node.end_lineno or node.lineno, name))
            prefix = f"{name}."
        waiting += [(child, prefix) for child in ast.iter_child_nodes(node)]
    return found

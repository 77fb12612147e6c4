"""Specifications of the engine: what `reveal(x)` says of `x`, by the engine and by JAX."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from jaxlint.testing.markdown import read_blocks
from jaxlint.testing.markers import PageError, comments
from jaxlint.testing.pages import PRELUDE

_REVEALED = re.compile(r"#\s*revealed:\s*(traced|static|mixed|unknown)")


@dataclass(frozen=True, slots=True)
class Specification:
    """One `py` block. `expected` pairs the lines of its reveals with "traced", "static",
    "mixed" (it differs between calls) or "unknown" (the engine does not know)."""

    path: str
    heading: str
    line: int
    code: str
    expected: tuple[tuple[int, str], ...]

    @property
    def program(self) -> str:
        """Prelude and code, with every line of the code at its number in the file."""
        return "; ".join(PRELUDE) + "\n" * (self.line - 1) + self.code


def read_specifications(path: Path) -> list[Specification]:
    """The `py` blocks of a Markdown file.

    Raises PageError for a block without reveals, and for a reveal without a comment.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    for block in read_blocks(lines, 1, str(path)):
        if block.language != "py":
            continue
        expected = {}
        for line, comment in comments(block.code, block.line, str(path)):
            if match := _REVEALED.fullmatch(comment.strip()):
                expected[line] = match[1]
        calls = {line + block.line - 1 for line in _reveals(block.code)}
        if not calls or calls != set(expected):
            line = min(calls ^ set(expected), default=block.line)
            raise PageError(f"{path}:{line}: each `reveal` needs one comment `# revealed: ...`")
        found.append(
            Specification(
                str(path), block.heading, block.line, block.code, tuple(sorted(expected.items()))
            )
        )
    return found


def mistakes(specification: Specification, found: dict[int, str], *, by_jax: bool) -> list[str]:
    """Where reveals differ from what is specified; JAX is free where the engine knows nothing."""
    return [
        f"{specification.path}:{line}: revealed {found.get(line, 'nothing')}, not {expected}"
        for line, expected in specification.expected
        if found.get(line) != expected and not (by_jax and expected == "unknown")
    ] + [
        f"{specification.path}:{line}: revealed {what}, where nothing is specified"
        for line, what in sorted(found.items())
        if line not in dict(specification.expected)
    ]


def _reveals(code: str) -> set[int]:
    """The lines on which `reveal` is called."""
    return {
        node.lineno
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "reveal"
    }

"""A rule's page: the docstring of its module, read from the source so that lines are real."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.testing.markdown import read_blocks
from jaxlint.testing.markers import Marker, PageError, read_markers

PRELUDE = (
    "import functools, itertools, logging, math, operator, random, time, warnings",
    "from functools import partial",
    "import numpy as np",
    "import jax",
    "import jax.numpy as jnp",
    "from jax import lax",
)
"""What every example starts from."""

_VERSION = re.compile(r"jax(?P<test>>=|<)(?P<version>\d+(?:\.\d+)*)")


@dataclass(frozen=True, slots=True)
class Example:
    """One `py` block of a page: a complete program whose last expression is its value.

    `rule` is the rule that the page is about, `no_jax` says why JAX cannot run the block, and
    `versions` which versions of JAX it is about: tests such as ">=0.8", which all must hold.
    """

    path: str
    rule: str
    heading: str
    line: int
    code: str
    markers: tuple[Marker, ...]
    is_fixed: bool = False
    no_jax: str | None = None
    versions: tuple[str, ...] = ()

    def is_about(self, jax: str) -> bool:
        """Whether the example is meant for this version of JAX."""
        at = _release(jax)
        return all(
            at >= _release(test[2:]) if test.startswith(">=") else at < _release(test[1:])
            for test in self.versions
        )

    @property
    def is_hazard(self) -> bool:
        """Whether JAX must show a witness; the other blocks must run clean."""
        return any(marker.is_hazard for marker in self.markers)

    @property
    def is_look_alike(self) -> bool:
        return not self.is_hazard and not self.is_fixed

    @property
    def program(self) -> str:
        """Prelude and code, with every line of the code at its number in the page's file."""
        return "; ".join(PRELUDE) + "\n" * (self.line - 1) + self.code


@dataclass(frozen=True, slots=True)
class Page:
    """`title` is the first line; `examples` stand in the order of the file."""

    path: str
    rule: str
    title: str
    examples: tuple[Example, ...]

    def hazard_above(self, fixed: Example) -> Example:
        """The hazard above a `fixed` block. Raises PageError if there is none."""
        above = [it for it in self.examples if it.line < fixed.line and it.is_hazard]
        if not above:
            raise PageError(f"{fixed.path}:{fixed.line}: there is no hazard above this fix")
        return above[-1]


def read_page(path: Path, rule: str) -> Page:
    """The page in the docstring of a rule's module, or in a Markdown file.

    Raises PageError for anything malformed.
    """
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return parse_page(source.splitlines(), 1, rule, str(path))
    lines, first_line = docstring_lines(source, str(path))
    return parse_page(lines, first_line, rule, str(path))


def docstring_lines(source: str, path: str) -> tuple[list[str], int]:
    """The lines of a module's docstring as they stand in the source, and the first one's number.

    Raises PageError if there is none, or if it means something else than it shows.
    """
    tree = ast.parse(source, path)
    first = tree.body[0] if tree.body else None
    if not (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        raise PageError(f"{path}:1: the module has no docstring")
    shown = ast.get_source_segment(source, first.value) or ""
    body = shown.removeprefix("r").removeprefix('"""').removesuffix('"""')
    if body != first.value.value:
        raise PageError(
            f'{path}:{first.lineno}: a page stands between """, as a raw string if it holds a '
            "backslash"
        )
    return body.splitlines(), first.lineno


def parse_page(lines: Sequence[str], first_line: int, rule: str, path: str) -> Page:
    """The page in some lines, the first of which has number `first_line`.

    Raises PageError for anything malformed.
    """
    title = next((line.strip() for line in lines if line.strip()), "")
    examples = []
    for block in read_blocks(lines, first_line, path):
        if block.language != "py":
            continue
        is_fixed, no_jax, versions = _options(block.words, block.line - 1, path)
        markers = read_markers(block.code, block.line, rule, path)
        if is_fixed and markers:
            raise PageError(f"{path}:{markers[0].line}: a fix has no markers")
        about = (path, rule, block.heading, block.line, block.code, markers)
        examples.append(Example(*about, is_fixed, no_jax, versions))
    return Page(path, rule, title.lstrip("# "), tuple(examples))


def _options(
    words: Sequence[str], line: int, path: str
) -> tuple[bool, str | None, tuple[str, ...]]:
    is_fixed, no_jax = False, None
    versions: list[str] = []
    for word in words:
        if found := _VERSION.fullmatch(word):
            versions.append(found["test"] + found["version"])
            continue
        name, _, value = word.partition("=")
        if name not in ("fixed", "no-jax") or bool(value) != (name == "no-jax"):
            known = '`fixed`, `no-jax="reason"` and tests such as `jax>=0.8`'
            raise PageError(f"{path}:{line}: fence words are {known}")
        is_fixed = is_fixed or name == "fixed"
        no_jax = value or no_jax
    return is_fixed, no_jax, tuple(versions)


def _release(version: str) -> tuple[int, ...]:
    """The numbers that a version starts with."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()

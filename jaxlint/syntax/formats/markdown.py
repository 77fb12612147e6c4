"""Markdown: the Python in its fenced blocks, on the lines on which it stands, as one module.

All other lines are blank, but for those around a block, which hold its limits: what is written
back lies between them, and every other byte of the file stays.
Source: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import DocumentError, JaxlintError
from jaxlint.base.text import BLOCK
from jaxlint.syntax.formats.escapes import (
    Mask,
    Masked,
    Words,
    chosen_words,
    is_python,
    masked,
    unmasked,
)
from jaxlint.syntax.python import REFUSALS, tree_of

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# A fence that may be of Python: parsing the rest would be in vain.
_MAY_BE_PYTHON = re.compile(r"(?:`{3}|~{3})[^\r\n]*(?:py|code|jupyter)", re.IGNORECASE)
# The language that a fence names: `python title="a.py"`, `{.python}`, `{code-cell} ipython3`.
_INFO = re.compile(r"\{?\s*\.?([\w+-]*)[^\S\n]*\}?[^\S\n]*([\w+-]*)")
_LANGUAGES = frozenset({"ipython", "ipython3", "py", "py3", "python", "python3"})
# Directives of MyST whose argument is the language, and those that need none.
_DIRECTIVES = frozenset({"code", "code-block", "sourcecode"})
_CELLS = frozenset({"code-cell", "jupyter-execute"})
# The options of a directive: lines such as `:tags: [hide]`, or what is between lines of dashes.
_OPTIONS = re.compile(
    r"(?:---[ \t]*\n(?s:.*?)\n---[ \t]*(?:\n|\Z)|(?:[ \t]*:[\w-]+:[^\n]*(?:\n|\Z))+)"
)
_SESSION = re.compile(r"\s*>>>")


@slotted(frozen=True)
class Block:
    """Python between two fences: the first of its lines and the one behind the last, counted from
    zero, what stands before the Python in each line, the Python, what it is with names for what it
    leaves out, and what that is without magics."""

    first: int
    end: int
    margins: tuple[str, ...]
    rows: tuple[str, ...]
    filled: Masked
    python: Masked


class Markdown:
    """The Python in a Markdown file. `left_out` counts the blocks that are called Python, and that
    Python's parser does not take."""

    def __init__(self, lines: Sequence[str], blocks: Sequence[Block], mark: str, left_out: int):
        self._lines = lines
        self._blocks = blocks
        self._mark = mark
        self.left_out = left_out
        # It is counted only: pages show what is wrong, and leave out what does not matter.
        self.broken: tuple[tuple[int, int, str], ...] = ()
        # A carriage return would join an empty line behind it.
        ends = [_line_end(line) for line in lines]
        found = ["\n" if end == "\r" else end for end in ends]
        for block in blocks:
            found[block.first - 1] = f"{_opening(block)}{mark}{found[block.first - 1]}"
            for at, row in enumerate(_placed(block), block.first):
                found[at] = row + found[at]
            if block.end < len(lines):
                found[block.end] = mark + found[block.end]
        self.source = "".join(found)

    @property
    def original(self) -> str:
        """What stands on the lines of the source: the file."""
        return "".join(self._lines)

    def file_line(self, line: int) -> int:
        """The same line: the source has those of the file."""
        return line

    def rewritten(self, source: str) -> bytes:
        """The file with the blocks of this source, which is an edited one of `source`. Raises
        ValueError where an edit touched more than the Python of one block."""
        limit = re.compile(rf"^(?:{BLOCK})?{re.escape(self._mark)}(?:\r\n|\r|\n|\Z)", re.MULTILINE)
        parts, before = limit.split(source), limit.split(self.source)
        if len(parts) != len(before) or parts[::2] != before[::2]:
            raise ValueError("the limits of the blocks were changed")
        pieces: list[str] = []
        done = 0
        for block, part, same in zip(self._blocks, parts[1::2], before[1::2], strict=True):
            pieces += self._lines[done : block.first]
            lines = self._lines[block.first : block.end]
            pieces += lines if part == same else _restored(block, part, lines)
            done = block.end
        return "".join([*pieces, *self._lines[done:]]).encode()


# A run asks for the same file several times in a row.
@lru_cache(maxsize=2)
def read(data: bytes | str) -> Markdown:
    """The Python in a Markdown file. Raises DocumentError, and JaxlintError where there is no
    parser for Markdown."""
    text = _decoded(data) if isinstance(data, bytes) else data
    lines = _LINE.findall(text)
    words = chosen_words(text)
    found: list[Block] = []
    left_out = 0
    fences = _fences(text) if _MAY_BE_PYTHON.search(text) else ()
    for token in filter(_is_python, fences):
        block = _block(token, lines, words)
        if block is None or (_first(block.rows) and not _is_read(block)):
            left_out += 1
        elif _first(block.rows):
            found.append(block)
    return Markdown(lines, found, words.mark, left_out)


def need_parser() -> None:
    """Raises JaxlintError where Markdown cannot be read."""
    if find_spec("markdown_it") is None:
        raise JaxlintError("Markdown needs markdown-it-py: pip install markdown-it-py")


def _fences(text: str) -> Iterator[Token]:
    need_parser()
    # Runs without Markdown need none of this.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").disable("inline")
    return (token for token in parser.parse(text) if token.type == "fence")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as bad:
        before = re.split(r"\r\n|\r|\n", data[: bad.start].decode())
        message = f"byte 0x{data[bad.start]:02x} is not valid utf-8"
        raise DocumentError(len(before), len(before[-1]) + 1, message) from None


def _is_python(token: Token) -> bool:
    """Whether a fence is of Python that is no session with its results."""
    found = _INFO.match(token.info.strip())
    word, argument = ("", "") if found is None else (found[1].lower(), found[2].lower())
    if word in _DIRECTIVES or (word in _CELLS and argument):
        word = argument
    if word not in _LANGUAGES and word not in _CELLS:
        return False
    return is_python(token.content) and not _SESSION.match(token.content)


def _block(token: Token, lines: Sequence[str], words: Words) -> Block | None:
    """The block of a fence, None for one whose lines do not begin alike."""
    first, end = token.map or (0, 0)
    rows = token.content.removesuffix("\n").split("\n") if token.content else []
    if token.info.lstrip().startswith("{"):
        options = _OPTIONS.match(token.content)
        skipped = 0 if options is None else options[0].count("\n")
        first, rows = first + skipped, rows[skipped:]
    margins: list[str] = []
    for row, line in zip(rows, lines[first + 1 : end], strict=False):
        bare = line.rstrip("\r\n")
        if not bare.endswith(row):
            # Part of a tab is the margin's.
            return None
        margins.append(bare[: len(bare) - len(row)])
    code = _first(rows)
    indentation = code[: len(code) - len(code.lstrip())]
    for at, row in enumerate(rows):
        if row.startswith(indentation):
            margins[at], rows[at] = margins[at] + indentation, row[len(indentation) :]
    filled = _filled("\n".join(rows), words)
    python = masked(filled.text, words)
    return Block(first + 1, first + 1 + len(rows), tuple(margins), tuple(rows), filled, python)


def _filled(text: str, words: Words) -> Masked:
    """Python with a name for each value that a page leaves to its reader: `x = ...`, `f(...)`."""
    gaps: list[ast.Constant] = []
    if "..." in text:
        with suppress(*REFUSALS):
            gaps += _gaps(tree_of(masked(text, words).text))
    rows = text.split("\n")
    for gap in sorted(gaps, key=lambda gap: -gap.col_offset):
        row = rows[gap.lineno - 1].encode()
        start, end = gap.col_offset, gap.col_offset + len("...")
        rows[gap.lineno - 1] = (row[:start] + words.gap.encode() + row[end:]).decode()
    return Masked("\n".join(rows), tuple(Mask("...", words.gap) for _ in gaps))


def _gaps(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        values: list[ast.expr | None] = []
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.keyword):
            values = [node.value]
        elif isinstance(node, ast.Call):
            values = [*node.args]
        for value in values:
            if isinstance(value, ast.Constant) and value.value is ...:
                yield value


def _first(rows: Sequence[str]) -> str:
    """The first row of code."""
    return next((row for row in rows if row.strip() and row.lstrip()[0] != "#"), "")


def _placed(block: Block) -> list[str]:
    """The rows of Python where they stand in the file, with blanks in the margin."""
    rows = block.python.text.split("\n")
    pairs = zip(block.margins, rows, strict=True)
    return [" " * len(margin) + row if row else "" for margin, row in pairs]


def _opening(block: Block) -> str:
    return BLOCK if any(block.margins) else ""


def _is_read(block: Block) -> bool:
    """Whether Python's parser takes a block."""
    try:
        tree_of("\n".join([f"{_opening(block)}#", *_placed(block)]))
    except REFUSALS:
        return False
    return True


def _restored(block: Block, part: str, lines: Sequence[str]) -> list[str]:
    """The lines of a block in the file, where `part` is what was made of its Python."""
    margin = next((one for one, row in zip(block.margins, block.rows, strict=True) if row), "")
    known = dict(zip(reversed(block.rows), reversed(lines), strict=True))
    new = _LINE.findall(part)
    rows = [line.rstrip("\r\n") for line in new]
    python = "\n".join(_inside(row, len(margin)) for row in rows)
    text = unmasked(unmasked(python, block.python), block.filled)
    ends = [_line_end(line) for line in new]
    return [
        known.get(row) or f"{(margin + row).rstrip() if not row else margin + row}{end}"
        for row, end in zip(text.split("\n"), ends, strict=True)
    ]


def _inside(row: str, width: int) -> str:
    """A row without its margin; comments may begin in it."""
    blanks = len(row) - len(row.lstrip(" "))
    return row[min(width, blanks) :]


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]

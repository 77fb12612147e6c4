"""The lines of a notebook's cell that IPython reads and Python does not: found and masked.

A mask takes as many lines as what it hides, and no column in front of it or behind it moves.
Source: https://ipython.readthedocs.io/en/stable/interactive/reference.html#magic-command-system
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from jaxlint.base.dataclass import slotted
from jaxlint.syntax.python import REFUSALS, tree_of

# Magics for whole cells whose cell is Python that runs here.
PYTHON_CELLS = frozenset({"capture", "debug", "ipytest", "memit", "prun", "time", "timeit"})

_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*%%(\w*)")
# What ends, begins or continues something: a string, a comment, a bracket, a line.
_TOKEN = re.compile(r"\"{3}|'{3}|[\"']|#[^\r\n]*|[(\[{]|[)\]}]|\\(?:\r\n|\r|\n)|(?:\r\n|\r|\n)")
_STRING_ENDS = {
    '"': re.compile(r"(?:\\(?:\r\n|.)|[^\\\"\r\n])*\"?", re.DOTALL),
    "'": re.compile(r"(?:\\(?:\r\n|.)|[^\\'\r\n])*'?", re.DOTALL),
    '"""': re.compile(r"(?:\\.|[^\\])*?(?:\"{3}|\Z)", re.DOTALL),
    "'''": re.compile(r"(?:\\.|[^\\])*?(?:'{3}|\Z)", re.DOTALL),
}
# To the end of the line, and of those that backslashes join to it.
_REST = re.compile(r"(?:[^\\\r\n]|\\(?!\r|\n)|\\(?:\r\n|\r|\n))*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANKS = re.compile(r"[ \t\f]*")
_ESCAPE = re.compile(r"[%!?/,;]")
_HELP = re.compile(r"%{0,2}(?!\d)[\w*]+(?:\.[\w*]+|\[[^\]\r\n]*\])*\?{1,2}[ \t]*(?=[\r\n#]|\Z)")
_ASSIGNED = re.compile(r"[^\W\d](?:[\w.,* \t=]|\[[^\]\r\n]*\])*=[ \t]*(?=[%!](?!=))")
# Magics and commands that need no percent sign before them, where they make no sense as Python.
_AUTOMATIC = re.compile(
    r"(?:autoreload|cat|cd|conda|cp|env|less|load_ext|ls|mamba|man|matplotlib|mkdir|more|mv|pip"
    r"|pylab|reload_ext|rm|rmdir|run|time|timeit|uv|who|whos)[ \t]+(?=[\w\-.~/\"'$*])"
)
# A magic that runs the statement behind it, with its options.
_RUNS = re.compile(
    r"%(?:time|timeit)(?:[ \t]+(?:-[nrp][ \t]*\d+|-[tcqov]+\b|--no-raise-error))*[ \t]+(?=\S)"
)


@slotted(frozen=True)
class Mask:
    """A stretch of a cell that gave way: what stood there, and what stands there now."""

    original: str
    text: str


@slotted(frozen=True)
class Masked:
    """A cell as Python, and the masks in it in their order."""

    text: str
    masks: tuple[Mask, ...] = ()


@slotted(frozen=True)
class Words:
    """What masks are made of: `mark` ends those of whole lines, `name` is assigned what a magic
    times, `gap` is a value that nobody knows. None of them is found in any cell."""

    mark: str
    name: str
    gap: str


def chosen_words(cells: str) -> Words:
    """Words that are nowhere in these cells."""
    percents = "%%"
    while f"# {percents}" in cells:
        percents += "%"
    names = (f"_{number:02}" for number in count())
    free = (name for name in names if name not in cells)
    return Words(f"# {percents}", next(free), next(free))


def magic_of(cell: str) -> str | None:
    """The magic that a cell begins with, which is for all of it; None where there is none."""
    magic = _CELL_MAGIC.match(cell)
    return None if magic is None else magic[1]


def is_python(cell: str) -> bool:
    """Whether a cell is Python that runs where the other cells do."""
    magic = magic_of(cell)
    return magic is None or magic in PYTHON_CELLS


def masked(cell: str, words: Words) -> Masked:
    """A cell without what only IPython reads."""
    pieces: list[str] = []
    masks: list[Mask] = []
    done = 0
    for start, end in _escapes(cell):
        original = cell[start:end]
        is_value = cell[:start].rstrip(" \t").endswith("=")
        mask = (None if is_value else _timed(original, words)) or _hidden(original, is_value, words)
        pieces += [cell[done:start], mask.text, original[len(mask.original) :]]
        masks.append(mask)
        done = end
    return Masked("".join([*pieces, cell[done:]]), tuple(masks))


def unmasked(text: str, before: Masked) -> str:
    """A cell with what its masks hide, where `text` is one that was edited elsewhere. Raises
    ValueError where a mask is gone, or there twice."""
    pieces: list[str] = []
    done = 0
    for mask in before.masks:
        at = text.find(mask.text, done)
        if at < 0:
            raise ValueError(f"the line {mask.original!r} was changed")
        pieces += [text[done:at], mask.original]
        done = at + len(mask.text)
    restored = "".join([*pieces, text[done:]])
    for mask in before.masks:
        if mask.text in restored:
            raise ValueError(f"the line {mask.original!r} was copied")
    return restored


def _escapes(cell: str) -> Iterator[tuple[int, int]]:
    """Where something stands that only IPython reads: up to the ends of lines."""
    at = 0
    while at < len(cell):
        blanks = _BLANKS.match(cell, at)
        start = at if blanks is None else blanks.end()
        assigned = _ASSIGNED.match(cell, start)
        if assigned is not None:
            start = assigned.end()
        rest = _REST.match(cell, start)
        end = len(cell) if rest is None else rest.end()
        if assigned is not None or _is_escape(cell, start, end):
            yield start, end
            ends = _LINE_END.match(cell, end)
            at = end if ends is None else ends.end()
        else:
            at = _next_statement(cell, start)


def _is_escape(cell: str, start: int, end: int) -> bool:
    """Whether a statement that begins here is none of Python's."""
    if _ESCAPE.match(cell, start) or _HELP.match(cell, start):
        return True
    if _AUTOMATIC.match(cell, start) is None:
        return False
    try:
        tree_of(cell[start:end])
    except REFUSALS:
        return True
    return False


def _next_statement(cell: str, at: int) -> int:
    """Where the first line begins that continues nothing from here."""
    depth = 0
    while (token := _TOKEN.search(cell, at)) is not None:
        at, word = token.end(), token.group()
        if word in _STRING_ENDS:
            string = _STRING_ENDS[word].match(cell, at)
            at = at if string is None else string.end()
        elif word in "([{":
            depth += 1
        elif word in ")]}":
            depth = max(0, depth - 1)
        elif word[0] in "\r\n" and not depth:
            return at
    return len(cell)


def _timed(original: str, words: Words) -> Mask | None:
    """The mask of a magic that runs a statement, which stays; None for anything else."""
    magic = _RUNS.match(original)
    if magic is None:
        return None
    text = f"{words.name} =".ljust(magic.end())
    try:
        tree_of(text + original[magic.end() :])
    except REFUSALS:
        return None
    return Mask(magic.group(), text)


def _hidden(original: str, is_value: bool, words: Words) -> Mask:
    """The mask of all of a stretch: a statement, or a value behind an equals sign."""
    text = f"{'get_ipython()' if is_value else 'pass'}  {words.mark}"
    return Mask(original, "".join([text, *_LINE_END.findall(original)]))

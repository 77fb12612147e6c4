"""Notebooks of Jupyter: one module made of their Python cells, and edits of it written back.

What is written back takes the place of the source of the cells that changed; every other byte of
the file stays.
Source: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import DocumentError
from jaxlint.base.text import BLOCK, SourceText
from jaxlint.syntax.formats.escapes import (
    Masked,
    chosen_words,
    is_python,
    magic_of,
    masked,
    unmasked,
)
from jaxlint.syntax.python import REFUSALS, tree_of

if TYPE_CHECKING:
    from jaxlint.syntax.parse import SyntaxProblem

_BYTE_ORDER_MARK = "\ufeff"
_FORMAT = 4
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
# Blank lines and comments, and then an indented line of code.
_INDENTED = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r(?!\n)|\n))*[ \t]+[^\s#]")
# What Python's own messages say of lines.
_LINE_NUMBER = re.compile(r"\bline ([0-9]+)")
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@slotted(frozen=True)
class Cell:
    """A code cell: its number among all cells, its text, where the value that holds it stands in
    the file, and what it is as Python: comments if it `is_broken`."""

    number: int
    text: str
    start: int
    end: int
    python: Masked
    is_broken: bool = False


class Notebook:
    """The Python cells of a notebook. `source` is their module: each cell stands behind a line of
    its own, by which `SourceText.place` tells the cells apart."""

    def __init__(self, data: str, cells: Sequence[Cell], header: str) -> None:
        self._data = data
        self._cells = cells
        self._header = header
        self.source = "".join(self._placed(it, it.python.text) for it in cells)
        self.broken: list[tuple[int, int, str]] = []

    @property
    def texts(self) -> list[tuple[int, str]]:
        """The number and the text of each Python cell."""
        return [(cell.number, cell.text) for cell in self._cells]

    def place(self, line: int) -> tuple[int, int]:
        """The cell that a line of the source is in, and which line of the cell it is."""
        return SourceText("_.ipynb", self.source).place(line)

    @property
    def original(self) -> str:
        """What stands on the lines of the source: the cells, magics and all."""
        return "".join(self._placed(it, it.text) for it in self._cells)

    def _placed(self, cell: Cell, text: str) -> str:
        return f"{_opening(cell)}{self._header}{cell.number}\n{_whole(text)}"

    def file_line(self, line: int) -> int:
        """The line of the file on which a line of the source stands."""
        number, within = self.place(line)
        cell = next((cell for cell in self._cells if cell.number == number), None)
        if cell is None:
            # It stands before the first cell, as what is said of the whole file does.
            return 1
        at = cell.start
        items = _items(self._data, at) if self._data[at] == "[" else ()
        for value, start, _ in items:
            at, within = start, within - value.count("\n")
            if within <= 0:
                break
        return self._data.count("\n", 0, at) + 1

    def rewritten(self, source: str) -> bytes:
        """The file with the cells of this source, which is an edited one of `source`. Raises
        ValueError where an edit touched more than the Python of one cell."""
        pieces: list[str] = []
        done = 0
        for cell, python in zip(self._cells, self._split(source), strict=True):
            if python == cell.python.text:
                continue
            if cell.is_broken:
                raise ValueError(f"cell {cell.number} was changed, which is not Python")
            text = unmasked(python, cell.python)
            if magic_of(text) != magic_of(cell.text):
                raise ValueError(f"something was put before the magic of cell {cell.number}")
            value = _encoded(text, self._data[cell.start : cell.end], self._data.isascii())
            pieces += [self._data[done : cell.start], value]
            done = cell.end
        return "".join([*pieces, self._data[done:]]).encode()

    def _split(self, source: str) -> list[str]:
        """The Python of each cell in a module."""
        header = re.escape(self._header)
        starts = re.compile(rf"^(?:{BLOCK})?{header}([0-9]+)\n", re.MULTILINE)
        before, *parts = starts.split(source)
        numbers = [int(number) for number in parts[::2]]
        if numbers != [cell.number for cell in self._cells] or (before and not numbers):
            raise ValueError("the limits of the cells were changed")
        if before:
            # The top of the module is that of its first cell.
            parts[1] = before + parts[1]
        return [
            part.removesuffix("\n") if _whole(cell.python.text) != cell.python.text else part
            for cell, part in zip(self._cells, parts[1::2], strict=True)
        ]


# A run asks for the same notebook several times in a row.
@lru_cache(maxsize=2)
def read(data: bytes | str) -> Notebook:
    """The notebook in a file; one in another language has no cells. Raises DocumentError."""
    text = _decoded(data) if isinstance(data, bytes) else data
    try:
        cells = list(_cells(text))
    except JSONDecodeError as error:
        message = f"not a notebook: no JSON: {error.msg.lower()}"
        raise DocumentError(error.lineno, error.colno, message) from None
    except RecursionError:
        raise DocumentError(1, 1, "not a notebook: too deeply nested") from None
    cells = [cell for cell in cells if cell[1].strip() and is_python(cell[1])]
    words = chosen_words("\n".join(cell[1] for cell in cells))
    found = [Cell(*cell, masked(cell[1], words)) for cell in cells]
    header = f"{words.mark} cell "
    whole = Notebook(text, found, header)
    return whole if _is_read(whole.source) else _without_broken(text, found, header)


def _without_broken(text: str, cells: Sequence[Cell], header: str) -> Notebook:
    """A notebook in which cells that are not Python hold nothing."""
    problems = [_problem(cell) for cell in cells]
    pairs = list(zip(cells, problems, strict=True))
    found = Notebook(text, [cell if it is None else _blank(cell) for cell, it in pairs], header)
    firsts = {number: first for first, number in SourceText("_.ipynb", found.source).cells}
    for cell, it in pairs:
        if it is not None:
            line = firsts[cell.number] + max(0, it.line - 2)
            message = _LINE_NUMBER.sub(lambda it: f"line {int(it[1]) - 1}", it.message)
            found.broken.append((line, it.column, message))
    return found


def _problem(cell: Cell) -> SyntaxProblem | None:
    """What is wrong with a cell that is not Python, one line further down."""
    text = f"{_opening(cell)}#\n{cell.python.text}"
    if _is_read(text):
        return None
    # Newer Python than this one is read by other means.
    from jaxlint.syntax.parse import SyntaxProblem, parse

    found = parse(text, "")
    return found if isinstance(found, SyntaxProblem) else None


def _blank(cell: Cell) -> Cell:
    """A cell with comments in the place of what is not Python."""
    return replace(cell, python=Masked(re.sub(r"[^\r\n]+", "#", cell.text)), is_broken=True)


def _is_read(source: str) -> bool:
    try:
        tree_of(source)
    except REFUSALS:
        return False
    return True


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as bad:
        before = data[: bad.start].decode().split("\n")
        message = f"not a notebook: byte 0x{data[bad.start]:02x} is not valid utf-8"
        raise DocumentError(len(before), len(before[-1]) + 1, message) from None


def _cells(text: str) -> Iterator[tuple[int, str, int, int]]:
    """The number and the source of each cell of code in Python, and where the value of its source
    begins and ends."""
    start = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0
    at = _skip(text, start)
    if text[at : at + 1] != "{":
        _value(text, at)
        raise DocumentError(1, 1, "not a notebook: no object")
    members = list(_members(text, at, deep=frozenset({"cells"})))
    if (end := _skip(text, members[-1][2])) < len(text):
        raise JSONDecodeError("Extra data", text, end)
    top = {key: value for key, _, _, value in members}
    places = {key: begin for key, begin, _, _ in members}
    _check(top, text, places)
    if _is_python(top.get("metadata")):
        yield from top["cells"]


def _check(top: dict[str, Any], text: str, places: dict[str, int]) -> None:
    """Raises DocumentError for an object that is no notebook of the format that is known."""
    found = top.get("nbformat")
    if not isinstance(found, int) or found < _FORMAT:
        place = _place(text, places.get("nbformat", 0))
        advice = f"; convert it with `jupyter nbconvert --to notebook --nbformat {_FORMAT}`"
        if found is None:
            raise DocumentError(1, 1, "not a notebook: it has no `nbformat`")
        raise DocumentError(*place, f"a notebook of format {found!r}, not {_FORMAT}{advice}")
    if not isinstance(top.get("cells"), list):
        place = _place(text, places.get("cells", 0))
        raise DocumentError(*place, "not a notebook: it has no list of `cells`")


def _is_python(metadata: Any) -> bool:
    """Whether a notebook is in Python; one that does not say so is."""
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(table) if isinstance(metadata, dict) else None
        name = about.get(key) if isinstance(about, dict) else None
        if isinstance(name, str):
            return name.lower() in ("python", "ipython")
    return True


def _members(
    text: str, at: int, deep: frozenset[str] = frozenset()
) -> Iterator[tuple[str, int, int, Any]]:
    """The members of the object that begins here: the key, where its value begins, where what is
    read of the object ends, and the value; of cells, those of code."""
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        yield "", at, at + 1, None
        return
    while True:
        if text[at : at + 1] != '"':
            raise JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        key, at = _value(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise JSONDecodeError("Expecting ':' delimiter", text, at)
        start = _skip(text, at + 1)
        if key in deep and text[start : start + 1] == "[":
            value, end = _code_cells(text, start)
        else:
            value, end = _value(text, start)
        at = _skip(text, end)
        word = text[at : at + 1]
        if word not in (",", "}"):
            raise JSONDecodeError("Expecting ',' delimiter", text, at)
        yield key, start, end if word == "," else at + 1, value
        if word == "}":
            return
        at = _skip(text, at + 1)


def _code_cells(text: str, at: int) -> tuple[list[tuple[int, str, int, int]], int]:
    """The cells of code in the list that begins here, and where it ends."""
    found: list[tuple[int, str, int, int]] = []
    number = 0
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        number += 1
        start = at
        if text[at : at + 1] != "{":
            raise DocumentError(*_place(text, at), f"not a notebook: cell {number} is no object")
        cell: dict[str, tuple[int, int, Any]] = {}
        for key, begin, at, value in _members(text, start):
            cell[key] = begin, at, value
        if (one := _code(text, number, start, cell)) is not None:
            found.append(one)
        at = _skip(text, at)
        word = text[at : at + 1]
        if word == "]":
            return found, at + 1
        if word != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text, at)
        at = _skip(text, at + 1)


def _code(
    text: str, number: int, start: int, cell: dict[str, tuple[int, int, Any]]
) -> tuple[int, str, int, int] | None:
    """A cell of code in the notebook's language, None for any other cell."""
    if cell.get("cell_type", (0, 0, None))[2] != "code":
        return None
    begin, _, source = cell.get("source", (start, 0, None))
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        message = f"not a notebook: cell {number} has no `source` of strings"
        raise DocumentError(*_place(text, begin), message)
    if not _is_python({"language_info": {"name": _editor_language(cell)}}):
        return None
    return number, "".join(lines), begin, _value(text, begin)[1]


def _editor_language(cell: dict[str, tuple[int, int, Any]]) -> Any:
    """The language that VS Code notes of a cell that is not in the notebook's."""
    about = cell.get("metadata", (0, 0, None))[2]
    about = about.get("vscode") if isinstance(about, dict) else None
    return about.get("languageId") if isinstance(about, dict) else None


def _value(text: str, at: int) -> tuple[Any, int]:
    return _DECODER.raw_decode(text, at)


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return at if blanks is None else blanks.end()


def _place(text: str, at: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _opening(cell: Cell) -> str:
    """What makes a cell whose first line is indented a block."""
    return BLOCK if _INDENTED.match(cell.python.text) else ""


def _whole(text: str) -> str:
    """A text whose last line ends."""
    return text if text.endswith("\n") else f"{text}\n"


def _items(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The strings in the list that begins here, and where each begins and ends."""
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        value, end = _value(text, at)
        yield value, at, end
        at = _skip(text, _skip(text, end) + 1)


def _encoded(text: str, before: str, is_ascii: bool) -> str:
    """A source as JSON, in the layout that it had before; lines that are the same are written as
    they were."""
    if not before.startswith("["):
        return json.dumps(text, ensure_ascii=is_ascii)
    items = list(_items(before, 0))
    known = {value: before[start:end] for value, start, end in reversed(items)}
    limits = [(start, end) for _, start, end in items]
    lines = [known.get(it) or json.dumps(it, ensure_ascii=is_ascii) for it in _LINES.findall(text)]
    if not lines:
        return "[]"
    opening, closing = before[: limits[0][0]], before[limits[-1][1] :]
    between = before[limits[0][1] : limits[1][0]] if len(limits) > 1 else f",{opening[1:] or ' '}"
    return f"{opening}{between.join(lines)}{closing}"

"""One run of `jaxlint why`: what the values at a place are, and why."""

from __future__ import annotations

import os
import re

from jaxlint.base.errors import PlaceError
from jaxlint.base.text import SourceText
from jaxlint.project.discovery import discover
from jaxlint.project.file_systems.files import DISK, FileSystem
from jaxlint.project.ignore import Exclude, excluded
from jaxlint.project.roots import project_root
from jaxlint.report.explanations import FORMS
from jaxlint.results.report import quotable
from jaxlint.session.session import Session
from jaxlint.session.surveys import silence
from jaxlint.settings import Configuration
from jaxlint.syntax.formats.documents import is_document


def shown(
    place: str, configuration: Configuration, output_format: str, files: FileSystem = DISK
) -> str:
    """The explanation of a place. Raises PlaceError, and SettingsError for bad settings."""
    path, cell, line, column = parse_place(place)
    if not os.path.isfile(path):
        what = "is a directory" if os.path.isdir(path) else "no such file"
        raise PlaceError(f"{path}: {what}")
    session = _session(path, configuration, files)
    source = quotable(files.read(path), path) if is_document(path) else None
    if source is not None and source.cells:
        line = _in_cells(source, place, cell, line)
    elif cell and source is None:
        raise PlaceError(f"{path}: a file without cells")
    explanation = session.why(path, line, column)
    reason = "" if explanation.reach == "traced" else _silence(path, line, configuration, files)
    return FORMS[output_format](explanation, source, reason)


def _session(
    path: str, configuration: Configuration, files: FileSystem, surveys: bool = False
) -> Session:
    session = Session(configuration.near(os.path.dirname(path)), files, surveys=surveys)
    if project_root(files.identity(path), files) is None:
        session.ask(_beside(path, configuration, files))
    return session


def _silence(path: str, line: int, configuration: Configuration, files: FileSystem) -> str:
    """Why no traced code comes to a line of a function, "" for one of a module."""
    source = quotable(files.read(path), path)
    cell, line = source.place(line)
    found = silence(_session(path, configuration, files, surveys=True), [path])
    reason = found.reason(path, line, cell)
    return "" if reason is None or reason.kind == "module" else reason.text


def _in_cells(source: SourceText, place: str, cell: int, line: int) -> int:
    """The line of a notebook's text that is one of a cell. Raises PlaceError."""
    first = source.cells[0][1]
    if not cell:
        raise PlaceError(f"{place}: name the cell too: {source.path}:cell {first}:1")
    found = source.line_in(cell, line)
    if not found:
        what = "line" if source.line_in(cell, 1) else "cell of Python"
        raise PlaceError(f"{place}: no such {what}")
    return found


def _beside(path: str, configuration: Configuration, files: FileSystem) -> list[str]:
    """The files that may lead to one that is in no project: those in its directory."""

    def exclude(below: str) -> Exclude:
        directory = below if os.path.isdir(below) else os.path.dirname(below)
        return excluded(configuration.near(directory).exclude)

    directory = os.path.dirname(path) or os.curdir
    return discover((directory,), files, exclude=exclude).files


_PLACE = re.compile(r"(.+?)(?::cell ([0-9]+))?:([0-9]+)(?::([0-9]+))?", re.DOTALL)


def parse_place(place: str) -> tuple[str, int, int, int | None]:
    """File, cell, line and column of "FILE:LINE", "FILE:LINE:COLUMN", "FILE:cell CELL:LINE" and so
    on; the cell is 0 where none is named. Raises PlaceError."""
    found = _PLACE.fullmatch(place)
    if found is None:
        raise PlaceError(f"{place}: not like FILE:LINE or FILE:LINE:COLUMN")
    path, cell, line, column = found.groups()
    return path, int(cell or 0), int(line), None if column is None else int(column)

"""One run of `jaxlint why`: what the values at a place are, and why."""

from __future__ import annotations

import os

from jaxlint.base.errors import PlaceError
from jaxlint.project.discovery import discover
from jaxlint.project.files import DISK, FileSystem
from jaxlint.project.ignore import Exclude, excluded
from jaxlint.project.roots import project_root
from jaxlint.report.why import FORMS
from jaxlint.session import Session
from jaxlint.settings import Configuration


def shown(
    place: str, configuration: Configuration, output_format: str, files: FileSystem = DISK
) -> str:
    """The explanation of a place. Raises PlaceError, and SettingsError for bad settings."""
    path, line, column = parse_place(place)
    if not os.path.isfile(path):
        what = "is a directory" if os.path.isdir(path) else "no such file"
        raise PlaceError(f"{path}: {what}")
    session = Session(configuration.near(os.path.dirname(path)), files)
    if project_root(files.identity(path), files) is None:
        session.ask(_beside(path, configuration, files))
    return FORMS[output_format](session.why(path, line, column))


def _beside(path: str, configuration: Configuration, files: FileSystem) -> list[str]:
    """The files that may lead to one that is in no project: those in its directory."""

    def exclude(below: str) -> Exclude:
        directory = below if os.path.isdir(below) else os.path.dirname(below)
        return excluded(configuration.near(directory).exclude)

    directory = os.path.dirname(path) or os.curdir
    return discover((directory,), files, exclude=exclude).files


def parse_place(place: str) -> tuple[str, int, int | None]:
    """The parts of "FILE:LINE" and "FILE:LINE:COLUMN". Raises PlaceError."""
    path, _, last = place.rpartition(":")
    file, _, middle = path.rpartition(":")
    if file and last.isdecimal() and middle.isdecimal():
        return file, int(middle), int(last)
    if path and last.isdecimal():
        return path, int(last), None
    raise PlaceError(f"{place}: not like FILE:LINE or FILE:LINE:COLUMN")

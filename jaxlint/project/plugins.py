"""Which distributions of the environment bring rules and models, found without asking each of
them: hardly any does, and importing what reads entry points costs more than this."""

from __future__ import annotations

import os

from jaxlint.base.file_stats import content
from jaxlint.base.runtime.import_path import site_directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

RULES, MODELS = "jaxlint.rules", "jaxlint.models"
_METADATA = (".dist-info", ".egg-info")
_known: dict[tuple[tuple[str, ...], tuple[int, ...]], list[str]] = {}


def plugin_files() -> list[str]:
    """The files in which distributions of the environment offer rules or models.

    Other directories of the import path are not looked into: they may belong to what is linted.
    """
    directories = tuple(site_directories())
    # What is installed or removed changes the directory that it is in.
    state = directories, tuple(map(_changed, directories))
    if state not in _known:
        _known.clear()
        _known[state] = _plugin_files(directories)
    return list(_known[state])


def _changed(directory: str) -> int:
    try:
        return os.stat(directory).st_mtime_ns
    except OSError:
        return 0


def _plugin_files(directories: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for directory in directories:
        for name in metadata_in(directory):
            if name.endswith(_METADATA):
                entry_points = os.path.join(directory, name, "entry_points.txt")
                found += [entry_points] if _speaks_of_us(entry_points) else []
    return found


def offered(group: str) -> list[EntryPoint]:
    """What distributions offer in a group of entry points, by name."""
    files = plugin_files()
    if not files:
        return []
    from importlib.metadata import Distribution

    found: dict[str, Distribution] = {}
    for file in files:
        one = Distribution.at(os.path.dirname(file))
        # Of two that are installed, the first one counts, as it does for imports.
        found.setdefault(_normalised(one.metadata["Name"] or file), one)
    points = [point for one in found.values() for point in one.entry_points.select(group=group)]
    return sorted(points, key=lambda point: point.name)


def _normalised(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def metadata_in(directory: str) -> Iterator[str]:
    """The names in a directory of modules that change when a distribution is installed there."""
    try:
        names = os.listdir(directory)
    except OSError:
        return
    yield from sorted(name for name in names if name.endswith((*_METADATA, ".egg-link", ".pth")))


def _speaks_of_us(path: str) -> bool:
    data = content(path) or b""
    return RULES.encode() in data or MODELS.encode() in data

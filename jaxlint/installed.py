"""Which distributions of the environment bring rules and models, found without asking each of
them: hardly any does, and importing what reads entry points costs more than this."""

from __future__ import annotations

import os
import sys

from jaxlint.base.stamps import content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

RULES, MODELS = "jaxlint.rules", "jaxlint.models"
_METADATA = (".dist-info", ".egg-info")
_known: dict[tuple[tuple[str, ...], tuple[int, ...]], list[str]] = {}


def plugin_files(path: list[str] | None = None) -> list[str]:
    """The files in which distributions offer rules or models; a place that cannot be looked
    into stands for itself."""
    directories = tuple(dict.fromkeys(sys.path if path is None else path))
    # What is installed or removed changes the directory that it is in.
    state = directories, tuple(map(_changed, directories))
    if state not in _known:
        _known.clear()
        _known[state] = _plugin_files(directories)
    return list(_known[state])


def _changed(directory: str) -> int:
    try:
        return os.stat(directory or os.curdir).st_mtime_ns
    except OSError:
        return 0


def _plugin_files(directories: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for directory in directories:
        directory = directory or os.curdir
        if os.path.isfile(directory):
            # An archive of modules may hold distributions too.
            found.append(directory)
        for name in metadata_in(directory):
            if name.endswith(_METADATA):
                entry_points = os.path.join(directory, name, "entry_points.txt")
                found += [entry_points] if _speaks_of_us(entry_points) else []
    return found


def offered(group: str) -> list[EntryPoint]:
    """What distributions offer in a group of entry points, by name."""
    if not plugin_files():
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: point.name)


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

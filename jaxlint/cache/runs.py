"""Whole runs: all that a run looked at, and what it said.

If a later run of the same command finds everything as it was, it says the same, and that is all
it does. It imports this module and next to nothing else.
"""

from __future__ import annotations

import os
import sys

from jaxlint.base.file_stats import content, digest, kind_at, kind_of, listing, settled, stamp_of
from jaxlint.base.version import version
from jaxlint.project.plugins import metadata_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from jaxlint.cache.folder import Folder
    from jaxlint.project.file_systems.snapshot import Snapshot

# What was printed, piece by piece, each with the stream it went to.
Said = list[list[str]]
# The environment that decides what is printed, and where a project begins.
_VARIABLES = ("CI_PROJECT_DIR", "FORCE_COLOR", "HOME", "NO_COLOR", "USERPROFILE")


def name_of(key: Sequence[str]) -> str:
    """The name of the document for a key."""
    from binascii import crc32

    return f"run-{crc32(repr(key).encode('utf-8', 'surrogatepass')):08x}"


def key_of(arguments: Sequence[str]) -> list[str]:
    """What tells this run from others: command line, place, program, environment."""
    variables = [os.environ.get(name, "") for name in _VARIABLES]
    terminals = [str(int(stream.isatty())) for stream in (sys.stdout, sys.stderr)]
    program = [version, sys.version, sys.executable]
    return [*arguments, "", os.getcwd(), *program, *variables, *terminals, *sys.path]


def save(folder: Folder, arguments: Sequence[str], files: Snapshot, said: Said, code: int) -> None:
    """Keeps a run that ended well, if it can be known when it would end otherwise."""
    from jaxlint.cache.version import plugin_sources, sources

    looked = files.looked
    if looked.unsteady:
        return
    key = key_of(arguments)
    roots = [path for path in looked.directories if os.path.dirname(path) not in looked.directories]
    links = {path: os.path.realpath(path) for path in roots} | looked.links
    document = {
        "key": key,
        "code": code,
        "said": said,
        "packages": [_package(path) for path in dict.fromkeys(sys.path)],
        "sources": [_source(path) for path in (*sources(), *plugin_sources())],
        "files": [
            [path, *files.settled(stamp), held] for path, (stamp, held) in looked.files.items()
        ],
        "directories": [
            [path, *files.settled(stamp), listing(names.items())]
            for path, (stamp, names) in looked.directories.items()
        ],
        "kinds": list(files.untold().items()),
        "links": list(links.items()),
    }
    folder.write(name_of(key), document)


def replay(folder: Folder, arguments: Sequence[str]) -> tuple[Said, int] | None:
    """What this run would say and its exit code, None where it has to find out."""
    import time

    now = time.time_ns()
    try:
        key = key_of(arguments)
        document = folder.read(name_of(key))
        code = int(document["code"])
        if document["key"] != key or code not in (0, 1) or not _is_fresh(document):
            return None
        touched = _touched(document["files"], _has_content, now)
        if touched is not None:
            listed = _touched(document["directories"], _has_listing, now)
            if listed is not None:
                if touched or listed:
                    # So that nothing needs to be read the next time.
                    folder.write(name_of(key), document)
                return [_piece(*one) for one in document["said"]], code
    except (AttributeError, LookupError, TypeError, ValueError, OSError):
        # Whoever wrote this, it was not `save`, or what it is about is gone.
        pass
    return None


def _piece(stream: Any, text: Any) -> list[str]:
    if stream not in ("out", "err") or type(text) is not str:
        raise TypeError(stream)
    return [stream, text]


def _is_fresh(document: Any) -> bool:
    """Whether the program and the surroundings of the files are as they were."""
    return (
        all(list(_source(row[0])) == row for row in document["sources"])
        and all(list(_package(row[0])) == row for row in document["packages"])
        and all(kind_at(path) == kind for path, kind in document["kinds"])
        and all(os.path.realpath(path) == target for path, target in document["links"])
    )


def _touched(rows: list[Any], is_same: Callable[[str, str], bool], now: int) -> int | None:
    """How many files have another state and are the same; None where one is not the same."""
    touched = 0
    stat = os.stat
    for row in rows:
        if type(row[0]) is not str:
            raise TypeError(row)
        state = stat(row[0])
        if (
            state.st_mtime_ns == row[2]
            and state.st_ctime_ns == row[3]
            and state.st_size == row[1]
            and state.st_ino == row[4]
        ):
            continue
        if not is_same(row[0], row[5]):
            return None
        row[1:5] = settled(stamp_of(state), now)
        touched += 1
    return touched


def _has_content(path: str, expected: str) -> bool:
    data = content(path)
    return data is not None and digest(data) == expected


def _has_listing(path: str, expected: str) -> bool:
    with os.scandir(path) as entries:
        return listing((entry.name, kind_of(entry)) for entry in entries) == expected


def _package(directory: str) -> list[Any]:
    """A directory of modules, and when a distribution was installed in it last."""
    directory = directory or os.curdir
    return [directory, list(metadata_in(directory)), os.path.isfile(directory)]


def _source(path: str) -> list[Any]:
    state = os.stat(path)
    return [path, state.st_size, state.st_mtime_ns]

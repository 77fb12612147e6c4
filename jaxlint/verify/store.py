"""Recordings on disk: what runs of the user's own code showed, one JSON file per process.

Holds abstract signatures and observations, never values of arrays. What was seen in a file whose
content has changed since is left out. Standard library only and Python 3.10, because recorded
processes write it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from jaxlint.verify.protocol import FORMAT, Observation, Recorded, Target

MOST_SIGNATURES = 4
"""Signatures kept of one function, and of one target with one outcome."""

_MOST_FILES = 512
_LARGEST = 32 << 20
# Arguments are encoded to a bounded depth, with a few levels of JSON for each of theirs.
_MOST_NESTED = 200
_FOLDER = os.path.join(".jaxlint_cache", "recordings")
_SUFFIX = ".json"

Key = tuple[str, int, int, int, int, str, str]


@dataclass
class Recordings:
    """What all processes saw of files that have not changed since.

    `warnings` names files that could not be read, `stale` the files that have changed, and
    `defects` what went wrong in the observation itself.
    """

    recorded: list[Recorded] = field(default_factory=list)
    seen: dict[Key, list[Observation]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    stale: set[str] = field(default_factory=set)
    defects: list[str] = field(default_factory=list)

    def observations(self, targets: Iterable[Target]) -> list[Observation]:
        """What was seen of these targets, with their ids."""
        return [
            replace(observation, target=target.id)
            for target in targets
            for observation in self.seen.get(key_of(target), [])
        ]


def directory(root: str) -> str:
    """Where the recordings of the project at `root` are."""
    return os.path.join(os.path.realpath(root), _FOLDER)


def key_of(target: Target) -> Key:
    """What names a target in every run, as long as its file does not change."""
    return (
        os.path.realpath(target.file),
        target.line,
        target.column,
        target.end_line,
        target.end_column,
        target.code,
        target.hazard,
    )


def digest(path: str) -> str:
    """The hash of a file's content, empty for a file that cannot be read."""
    try:
        return hashlib.sha256(_content(path)).hexdigest()
    except OSError:
        return ""


def _content(path: str) -> bytes:
    """What a regular file holds, which a recording may name wrongly. Raises OSError."""
    # The recorder has nothing else of jaxlint at hand, such as `jaxlint.base.reading`.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
            raise OSError(None, "too large, or no regular file", path)
        return stream.read(_LARGEST)


def new_name() -> str:
    """A name for the file of this process."""
    return f"{os.getpid()}-{uuid.uuid4().hex}"


def save(
    folder: str,
    name: str,
    targets: Iterable[Target],
    observations: Iterable[Observation],
    recorded: Iterable[Recorded],
    digests: Mapping[str, str],
    defects: Sequence[str] = (),
) -> str:
    """Writes what one process saw, in place of what it wrote before; the path of the file.

    `digests` holds the hash of each file as it was when the process ran it. Raises OSError.
    """
    seen: dict[Key, list[Observation]] = {}
    keys = {target.id: key_of(target) for target in targets}
    for observation in observations:
        _add(seen.setdefault(keys[observation.target], []), observation)
    return _write(folder, name, _Entry(dict(digests), list(recorded), seen, list(defects)))


def read(folder: str) -> Recordings:
    """The recordings in a folder, merged. Nothing is raised: what cannot be read is a warning."""
    found = Recordings()
    current: dict[str, str] = {}
    functions: dict[tuple[str, int, str], list[Recorded]] = {}
    for path in _paths(folder):
        try:
            entry = _parse(path, folder)
            for file, hash_then in entry.digests.items():
                if file not in current:
                    current[file] = digest(file)
                if current[file] != hash_then:
                    found.stale.add(file)
            _merge(found, functions, entry, current)
        except (OSError, ValueError, TypeError, KeyError) as error:
            found.warnings.append(f"recording {path} is left out: {_words(error)}")
    found.recorded = [each for group in functions.values() for each in group]
    return found


def compact(folder: str) -> None:
    """Replaces the files of many processes by one. Raises OSError."""
    paths = _paths(folder)
    if len(paths) < 2:
        return
    found = read(folder)
    files = {key[0] for key in found.seen} | {each.file for each in found.recorded}
    digests = {file: digest(file) for file in files}
    _write(folder, new_name(), _Entry(digests, found.recorded, found.seen))
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


# --- one file ---------------------------------------------------------------------------------


@dataclass
class _Entry:
    digests: dict[str, str]
    recorded: list[Recorded]
    seen: dict[Key, list[Observation]]
    defects: list[str] = field(default_factory=list)


def _write(folder: str, name: str, entry: _Entry) -> str:
    root = _root(folder)
    document = {
        "format": FORMAT,
        "files": {_relative(file, root): value for file, value in entry.digests.items()},
        "recorded": [
            {**asdict(each), "file": _relative(each.file, root)}
            for each in entry.recorded
            if each.file in entry.digests
        ],
        "seen": [
            [[_relative(key[0], root), *key[1:]], [asdict(each) for each in observations]]
            for key, observations in entry.seen.items()
            if key[0] in entry.digests
        ],
        "defects": entry.defects,
    }
    is_new = not os.path.lexists(os.path.dirname(folder))
    os.makedirs(folder, exist_ok=True)
    if is_new:
        _ignore(folder)
    path = os.path.join(folder, name + _SUFFIX)
    temporary = f"{path}.{uuid.uuid4().hex}"
    try:
        with open(temporary, "w", encoding="utf-8") as stream:
            json.dump(document, stream, separators=(",", ":"))
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return path


def _ignore(folder: str) -> None:
    """Keeps the cache out of version control."""
    path = os.path.join(os.path.dirname(folder), ".gitignore")
    with contextlib.suppress(OSError), open(path, "x", encoding="utf-8") as stream:
        stream.write("*\n")


def _parse(path: str, folder: str) -> _Entry:
    """The content of one file. Raises one of several errors for what `save` did not write."""
    document = _loaded(_content(path))
    if document["format"] != FORMAT:
        raise ValueError(f"format {document['format']!r}, not {FORMAT}")
    root = _root(folder)
    digests = {_absolute(file, root): str(value) for file, value in document["files"].items()}
    recorded = [
        Recorded(**{**each, "file": _absolute(each["file"], root)}) for each in document["recorded"]
    ]
    seen: dict[Key, list[Observation]] = {}
    for (file, *rest), observations in document["seen"]:
        line, column, end_line, end_column, code, hazard = rest
        key = (_absolute(file, root), line, column, end_line, end_column, code, hazard)
        seen[key] = [Observation(**each) for each in observations]
    return _Entry(digests, recorded, seen, [str(each) for each in document.get("defects", ())])


def _loaded(data: bytes) -> Any:
    """The JSON of a file. Raises ValueError where it nests deeper than any recording does."""
    try:
        document = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deep") from None
    level = [document]
    for _ in range(_MOST_NESTED):
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    if level:
        raise ValueError("nested too deep")
    return document


def _merge(
    found: Recordings,
    functions: dict[tuple[str, int, str], list[Recorded]],
    entry: _Entry,
    current: Mapping[str, str],
) -> None:
    """Adds what one process saw of files that are as they were."""
    fresh = {file for file, then in entry.digests.items() if current[file] == then}
    for each in entry.recorded:
        if each.file in fresh:
            group = functions.setdefault((each.file, each.line, each.qualname), [])
            if each not in group and len(group) < MOST_SIGNATURES:
                group.append(each)
    for key, observations in entry.seen.items():
        if key[0] in fresh:
            for observation in observations:
                _add(found.seen.setdefault(key, []), observation)
    found.defects.extend(each for each in entry.defects if each not in found.defects)


def _add(group: list[Observation], new: Observation) -> None:
    """Adds an observation unless the same was seen before, or the like often enough."""
    alike = [each for each in group if each.outcome == new.outcome]
    if len(alike) < MOST_SIGNATURES and all(each.signature != new.signature for each in alike):
        group.append(new)


def _paths(folder: str) -> list[str]:
    """The files of recordings, the newest first."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(_SUFFIX)]
    except OSError:
        return []
    ages = sorted(((_modified(os.path.join(folder, name)), name) for name in names), reverse=True)
    return [os.path.join(folder, name) for _, name in ages[:_MOST_FILES]]


def _modified(path: str) -> float:
    try:
        return os.path.getmtime(path)
    except OSError:
        return 0.0


def _root(folder: str) -> str:
    return os.path.dirname(os.path.dirname(os.path.realpath(folder)))


def _relative(file: str, root: str) -> str:
    """A path that survives a move of the project."""
    return os.path.relpath(file, root) if file.startswith(os.path.join(root, "")) else file


def _absolute(file: str, root: str) -> str:
    return os.path.normpath(os.path.join(root, file))


def _words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def entries(folder: str) -> Iterator[str]:
    """The paths of the recordings in a folder."""
    yield from _paths(folder)

"""`jaxlint check --watch`: checks again whenever something has changed that the last check saw."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple, NoReturn

from jaxlint.base.errors import JaxlintError
from jaxlint.base.file_stats import digest, kind_at, kind_of, listing, stamp_of
from jaxlint.base.printable import one_line
from jaxlint.base.reading import read_file
from jaxlint.base.wording import counted
from jaxlint.project.file_systems.snapshot import Looked, Snapshot
from jaxlint.report.links import relative

# How long to wait for events before looking for what came when nobody listened, in milliseconds.
_PATIENCE = 300


ADDED, CHANGED, REMOVED = "was added", "has changed", "was removed"


class Change(NamedTuple):
    """A path, and what happened to it in words."""

    path: str
    what: str


def watch(check: Callable[[Snapshot], int], quiet: bool, clears: bool) -> NoReturn:
    """Checks again and again, until it is interrupted. What is wrong with settings is said, and may
    be corrected meanwhile.

    Raises:
        JaxlintError: watchfiles is not installed.
    """
    if find_spec("watchfiles") is None:
        raise JaxlintError("--watch needs watchfiles: pip install watchfiles")
    while True:
        files = Snapshot(noting=True)
        try:
            check(files)
        except JaxlintError as error:
            for line in str(error).splitlines():
                sys.stderr.write(f"jaxlint: error: {one_line(line)}\n")
        sys.stdout.flush()
        # Nothing else collects what a check leaves behind.
        gc.collect()
        if not quiet:
            sys.stderr.write(f"jaxlint: watching {counted(len(files.looked.files), 'file')}\n")
        path, what = _wait(files.looked)
        if clears:
            sys.stdout.write("\x1b[2J\x1b[H")
        if not quiet:
            sys.stderr.write(f"jaxlint: {one_line(relative(path, os.getcwd()))} {what}\n")


def _wait(looked: Looked) -> Change:
    """Waits for a change."""
    import watchfiles

    listening = watchfiles.watch(
        *_directories(looked),
        watch_filter=None,
        recursive=False,
        rust_timeout=_PATIENCE,
        yield_on_timeout=True,
    )
    missed_nothing = False
    for events in listening:
        change = changed(looked) if events or not missed_nothing else None
        if change is not None:
            return change
        missed_nothing = True
    raise KeyboardInterrupt


def _directories(looked: Looked) -> list[str]:
    """Where to listen: around all that was looked at, as far as it is there."""
    around = {os.path.dirname(path) for path in (*looked.files, *looked.kinds)}
    return sorted(filter(os.path.isdir, {*around, *looked.directories})) or [os.curdir]


def changed(looked: Looked) -> Change | None:
    """The first difference from what was seen, as far as it matters to a check; None for none."""
    for path, (stamp, contents) in looked.files.items():
        try:
            if stamp_of(os.stat(path)) != stamp and _digest(path) != contents:
                return Change(path, CHANGED)
        except OSError:
            return Change(path, REMOVED)
    for path, (_, names) in looked.directories.items():
        change = _in_directory(path, listing(names.items()).splitlines())
        if change is not None:
            return change
    for path, kind in looked.kinds.items():
        now = _kind(path)
        if now != kind:
            return Change(path, ADDED if kind == "missing" else CHANGED if now else REMOVED)
    return None


def _in_directory(path: str, before: list[str]) -> Change | None:
    """The first entry of a directory that came or went."""
    listed = _listing(path)
    if listed is None:
        return Change(path, REMOVED)
    now = listed.splitlines()
    for row in now:
        if row not in before:
            return Change(os.path.join(path, row[2:]), ADDED)
    for row in before:
        if row not in now:
            return Change(os.path.join(path, row[2:]), REMOVED)
    return None


def _kind(path: str) -> str | None:
    try:
        return kind_at(path)
    except OSError:
        return None


def _digest(path: str) -> str:
    return digest(read_file(path))


def _listing(path: str) -> str | None:
    try:
        with os.scandir(path) as entries:
            return listing((entry.name, kind_of(entry)) for entry in entries)
    except OSError:
        return None

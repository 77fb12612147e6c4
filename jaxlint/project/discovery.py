"""Which files a run checks: explicit ones, and those that hold Python below directories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import reason
from jaxlint.base.file_stats import PYTHON
from jaxlint.project.file_systems.files import DISK, FileSystem, Problem
from jaxlint.project.ignore import Exclude, Ignores, gitignores_above, gitignores_in


@slotted()
class Discovery:
    """The files to check, what went wrong, and the directories in which nothing was found."""

    files: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def discover(
    paths: Iterable[str],
    files: FileSystem = DISK,
    *,
    exclude: Callable[[str], Exclude] = lambda path: Exclude(),
    force_exclude: bool = False,
    respect_gitignore: bool = True,
    endings: tuple[str, ...] = (PYTHON,),
) -> Discovery:
    """Finds the files behind the paths that a user named, each once, in a stable order.

    A file is taken whatever its name, unless `force_exclude` lets the excludes speak on it too.
    A directory is searched for files with one of these endings, in sorted order, below default
    excludes, those of `exclude(directory)` and, if they are respected, gitignore files. What
    excludes the directory itself is not held against the files below it, because the user asked
    for them.
    """
    result = Discovery()
    seen: set[str] = set()
    for path in paths:
        try:
            kind = files.kind(path)
        except OSError as error:
            result.problems.append(Problem(path, reason(error)))
            continue
        if kind == "directory":
            found = list(
                _walk(path, files, exclude(path), result.problems, respect_gitignore, endings)
            )
            if not found:
                result.empty.append(path)
        elif kind == "missing":
            result.problems.append(Problem(path, "no such file or directory"))
            continue
        elif force_exclude and exclude(path).covers(path):
            continue
        else:
            found = [path]
        for file in found:
            identity = files.identity(file)
            if identity not in seen:
                seen.add(identity)
                result.files.append(file)
    return result


def _walk(
    root: str,
    files: FileSystem,
    exclude: Exclude,
    problems: list[Problem],
    respect_gitignore: bool,
    endings: tuple[str, ...],
) -> Iterator[str]:
    """Files with these endings below a directory; siblings in sorted order, no links to
    directories."""
    exclude = exclude.below(root)
    above = gitignores_above(root, files) if respect_gitignore else Ignores()
    if above.cover(os.path.abspath(root), directory=True):
        above = Ignores()
    pending: list[tuple[str, Ignores, bool]] = [(root, above, True)]
    while pending:
        path, ignores, is_directory = pending.pop()
        if not is_directory:
            yield path
            continue
        try:
            entries = files.scan(path)
        except OSError as error:
            problems.append(Problem(path, reason(error)))
            continue
        if respect_gitignore and any(entry.name == ".gitignore" for entry in entries):
            ignores = ignores.then(gitignores_in(path, files))
        prefix = "" if path == os.curdir else os.path.join(path, "")
        for entry in reversed(entries):
            directory = entry.kind == "directory"
            if not directory and not (entry.kind == "file" and entry.name.endswith(endings)):
                continue
            child = prefix + entry.name
            if exclude.matches(child, directory=directory):
                continue
            if not (ignores and ignores.cover(os.path.abspath(child), directory=directory)):
                pending.append((child, ignores, directory))

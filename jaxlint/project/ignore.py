"""What a walk leaves out: default excludes, configured patterns and gitignore files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import SettingsError
from jaxlint.base.file_stats import upwards
from jaxlint.project.file_systems.files import FileSystem
from jaxlint.project.roots import is_excluded_name

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# pathspec is imported where there are patterns: many trees have none.


class Exclude:
    """Directory names that are always left out, and patterns in the manner of gitignore.

    Patterns are relative to `base`, the current directory if that is empty. Raises SettingsError
    for a pattern that means nothing.
    """

    def __init__(self, patterns: Iterable[str] = (), base: str = "") -> None:
        patterns = tuple(patterns)
        base = os.path.abspath(base or os.curdir)
        self._parts: tuple[tuple[str, GitIgnoreSpec], ...] = ()
        try:
            if patterns:
                from pathspec import GitIgnoreSpec

                self._parts = ((base, GitIgnoreSpec.from_lines(patterns)),)
        except ValueError as error:
            raise SettingsError(f"exclude: {error}") from error

    def also(self, other: Exclude) -> Exclude:
        """What either of the two excludes."""
        both = Exclude()
        both._parts = self._parts + other._parts
        return both

    def below(self, root: str) -> Exclude:
        """The same for a walk from `root`, less the patterns that exclude `root` itself."""
        rest = Exclude()
        rest._parts = tuple(part for part in self._parts if not _hits(part, root, directory=True))
        return rest

    def matches(self, path: str, *, directory: bool) -> bool:
        """Whether a walk that arrives at `path` leaves it out."""
        return (directory and is_excluded_name(os.path.basename(path))) or any(
            _hits(part, path, directory=directory) for part in self._parts
        )

    def covers(self, path: str) -> bool:
        """Whether a walk from the current directory would leave out this file."""
        path = os.path.abspath(path)
        here = os.getcwd()
        if _is_below(path, here):
            names = os.path.relpath(path, here).split(os.sep)[:-1]
            if any(map(is_excluded_name, names)):
                return True
        return self.matches(path, directory=False)


def excluded(patterns: Iterable[tuple[str, Iterable[str]]]) -> Exclude:
    """What patterns exclude, each group relative to the directory in front of it. Raises
    SettingsError."""
    whole = Exclude()
    for base, group in patterns:
        whole = whole.also(Exclude(group, base))
    return whole


def _hits(part: tuple[str, GitIgnoreSpec], path: str, *, directory: bool) -> bool:
    base, spec = part
    return bool(spec.match_file(_spell(os.path.abspath(path), base, directory)))


@slotted(frozen=True)
class _IgnoreFile:
    """The patterns of one gitignore file and the directory they are relative to."""

    base: str
    spec: GitIgnoreSpec


class Ignores:
    """Gitignore files from the outermost to the innermost; the innermost that speaks decides."""

    __slots__ = ("_files",)

    def __init__(self, files: tuple[_IgnoreFile, ...] = ()) -> None:
        self._files = files

    def __bool__(self) -> bool:
        return bool(self._files)

    def then(self, inner: Ignores) -> Ignores:
        """These files and, with more weight, the inner ones."""
        return Ignores(self._files + inner._files)

    def cover(self, path: str, *, directory: bool) -> bool:
        """Whether an absolute path is ignored."""
        for file in reversed(self._files):
            verdict = file.spec.check_file(_spell(path, file.base, directory)).include
            if verdict is not None:
                return verdict
        return False


def gitignores_in(directory: str, files: FileSystem, name: str = ".gitignore") -> Ignores:
    """The gitignore file of one directory, if there is one that can be read."""
    return _read(os.path.join(directory, name), os.path.abspath(directory), files)


def gitignores_above(directory: str, files: FileSystem) -> Ignores:
    """The gitignore files above a directory, up to the root of its repository.

    Without a repository there are none.
    """
    around: list[str] = []
    for current in upwards(os.path.abspath(directory)):
        around.append(current)
        if _exists(os.path.join(current, ".git"), files):
            break
    else:
        return Ignores()
    root = around[-1]
    exclude = os.path.join(_git_directory(root, files), "info", "exclude")
    result = _read(exclude, root, files)
    # The directory's own file is read by the walk.
    for outer in reversed(around[1:]):
        result = result.then(gitignores_in(outer, files))
    return result


def _git_directory(root: str, files: FileSystem) -> str:
    """Where git keeps its files; in work trees and submodules `.git` is a file that tells."""
    path = os.path.join(root, ".git")
    for name in ("", "commondir"):
        pointer = os.path.join(path, name) if name else path
        try:
            text = files.read(pointer).decode("utf-8", "surrogateescape")
        except OSError:
            continue
        path = os.path.normpath(
            os.path.join(os.path.dirname(pointer), text.removeprefix("gitdir:").strip())
        )
    return path


def _exists(path: str, files: FileSystem) -> bool:
    try:
        return files.kind(path) != "missing"
    except OSError:
        return False


def _read(path: str, base: str, files: FileSystem) -> Ignores:
    try:
        text = files.read(path).decode("utf-8", "surrogateescape")
    except OSError:
        return Ignores()
    return Ignores((_IgnoreFile(base, _compile(text.splitlines())),))


def _compile(lines: list[str]) -> GitIgnoreSpec:
    """Git skips a pattern that means nothing, so such a line costs its neighbours nothing."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_below(path: str, base: str) -> bool:
    return path == base or path.startswith(base.rstrip(os.sep) + os.sep)


def _spell(path: str, base: str, directory: bool) -> str:
    """A path as patterns want it: relative to `base`, with a slash behind a directory.

    Of a path outside `base` only the name counts, and only for patterns without a place.
    """
    inside = path != base and _is_below(path, base)
    spelled = os.path.relpath(path, base) if inside else f"../{os.path.basename(path)}"
    return spelled.replace(os.sep, "/") + ("/" if directory else "")

"""The disk as one run sees it: what was asked, and what the answers were."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import field
from operator import itemgetter

from jaxlint.base.dataclass import slotted
from jaxlint.base.file_stats import Stamp, digest, kind_of, settled, stamp_of
from jaxlint.project.file_systems.files import Disk, Entry, Kind


@slotted()
class Looked:
    """What a run saw, by path: the state and the digest of files, the state and the listing of
    directories, the kinds of paths that no listing tells, and where links lead."""

    files: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    directories: dict[str, tuple[Stamp, dict[str, Kind]]] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    # Whether something was seen that may be different at each look, or changed meanwhile.
    unsteady: bool = False


class Snapshot(Disk):
    """The files of this machine, each directory listed once and each link followed once.

    With `noting` on, the answers are kept in `looked`.
    """

    def __init__(self, noting: bool = False) -> None:
        self.noting = noting
        self.looked = Looked()
        self._begun = time.time_ns()
        self._real: dict[str, str] = {}
        self._linked: dict[str, frozenset[str]] = {}

    def __reduce__(self) -> tuple[type[Snapshot], tuple[()]]:
        """Another process looks for itself."""
        return Snapshot, ()

    def read(self, path: str) -> bytes:
        if not self.noting:
            return super().read(path)
        path = _full(path)
        try:
            # What is written from here on is another state.
            state = os.stat(path)
            data = super().read(path)
        except OSError:
            self._note_failure(path)
            raise
        if not stat.S_ISREG(state.st_mode):
            self.looked.unsteady = True
        self._note(path, stamp_of(state), digest(data))
        return data

    def digest(self, path: str, known: tuple[Stamp, str] | None = None) -> str:
        """The digest of what a file holds; `known` is an earlier state of it with its digest.
        Empty where there is none."""
        path = _full(path)
        seen = self.looked.files.get(path)
        if seen is None:
            stamp = self.stamp(path)
            if stamp is None:
                self.kind(path)
                return ""
            if known is not None and known[0] == stamp:
                self.looked.files[path] = seen = known
        if seen is None:
            try:
                self.read(path)
            except OSError:
                return ""
            seen = self.looked.files[path]
        return seen[1]

    def settled(self, stamp: Stamp) -> Stamp:
        """The state of something seen in this run, as a later one may compare it."""
        return settled(stamp, self._begun)

    def stamp(self, path: str) -> Stamp | None:
        """The state of a file, None where there is none."""
        try:
            state = os.stat(path)
        except OSError:
            return None
        return stamp_of(state) if stat.S_ISREG(state.st_mode) else None

    def kind(self, path: str) -> Kind:
        path = _full(path)
        known = self._listed(path) or self.looked.kinds.get(path)
        if known is None:
            try:
                known = self.looked.kinds[path] = super().kind(path)
            except OSError:
                self.looked.unsteady = True
                raise
        return known

    def scan(self, directory: str) -> list[Entry]:
        directory = _full(directory)
        if directory not in self._linked:
            self._scan(directory)
        names = self.looked.directories[directory][1]
        return [Entry(name, kind) for name, kind in names.items()]

    def _scan(self, directory: str) -> None:
        try:
            state = os.stat(directory)
            with os.scandir(directory) as entries:
                found = [(entry.name, kind_of(entry), entry.is_symlink()) for entry in entries]
        except OSError:
            self.looked.unsteady = True
            raise
        found.sort(key=itemgetter(0))
        self._linked[directory] = frozenset(name for name, _, is_link in found if is_link)
        for name in self._linked[directory]:
            path = os.path.join(directory, name)
            self.looked.links[path] = os.path.realpath(path)
        names = {name: kind for name, kind, _ in found}
        self.looked.directories[directory] = stamp_of(state), names

    def untold(self) -> dict[str, Kind]:
        """The kinds that paths were found to have, where no listing tells."""
        kinds = self.looked.kinds
        return {path: kind for path, kind in kinds.items() if self._listed(path) != kind}

    def identity(self, path: str) -> str:
        known = self._real.get(path)
        if known is None:
            known = self._real[path] = os.path.normcase(self._identity(_full(path)))
        return known

    def _identity(self, path: str) -> str:
        directory, name = os.path.split(path)
        linked = self._linked.get(directory)
        if name and linked is not None and name not in linked:
            listing = self.looked.directories[directory][1]
            if name in listing:
                return os.path.join(self.identity(directory), name)
        real = os.path.realpath(path)
        if real != path:
            self.looked.links[path] = real
        return real

    def _listed(self, path: str) -> Kind | None:
        """What a path is, as far as listings tell."""
        directory, name = os.path.split(path)
        if not name:
            return None
        linked = self._linked.get(directory)
        if linked is None:
            # Nothing is below what is not there, or is a file.
            above = self._listed(directory) if directory else None
            return "missing" if above in ("missing", "file") else None
        kind = self.looked.directories[directory][1].get(name, "missing")
        return None if name in linked or kind == "other" else kind

    def _note(self, path: str, stamp: Stamp, digest: str) -> None:
        before = self.looked.files.setdefault(path, (stamp, digest))
        if before[1] != digest:
            self.looked.unsteady = True

    def _note_failure(self, path: str) -> None:
        """Notes what is where no file can be read."""
        try:
            if self.kind(path) == "file":
                self.looked.unsteady = True
        except OSError:
            # Noted already.
            pass


def _full(path: str) -> str:
    return path if os.path.isabs(path) else os.path.abspath(path)

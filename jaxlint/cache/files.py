"""What came of each file of a project, kept from run to run as long as nothing has changed that
it depends on."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jaxlint.base.dataclass import replace
from jaxlint.base.file_stats import Stamp, digest
from jaxlint.cache.codec import (
    believed,
    decode,
    decode_asked,
    decode_contents,
    decode_definitions,
    encode,
    encode_asked,
    encode_contents,
    encode_definitions,
)
from jaxlint.cache.folder import Folder
from jaxlint.cache.outlines import Outlines
from jaxlint.cache.version import program
from jaxlint.project.dependencies import Answer, Asked, Noted, Question
from jaxlint.project.file_facts import Contents
from jaxlint.project.file_systems.snapshot import Snapshot
from jaxlint.project.project import Universe
from jaxlint.results.merge import Examined, speaks_of
from jaxlint.settings import RunSettings, Settings, VerifySettings

if TYPE_CHECKING:
    from jaxlint.project.callers.edits import Edit
    from jaxlint.project.callers.outlines import Outline


class Shelf:
    """The results of a run's projects. `files` is the disk as the run sees it."""

    def __init__(self, folder: Folder, files: Snapshot) -> None:
        self._folder = folder
        self._files = files
        self._program = ""

    def results(self, settings: Settings, root: str | None, declared: str) -> Results:
        """What is kept of a project that declares to be for this JAX."""
        # Not before plugins are imported, which are part of it.
        self._program = self._program or program()
        # Severities are changed in reports, where what is known is left out too.
        told = replace(settings, verify=VerifySettings(), run=RunSettings(), baseline="")
        told = replace(told, severities=(), fixes=())
        parts = (root, declared, os.getcwd(), sys.version, self._program, told)
        name = digest(repr(parts).encode("utf-8", "surrogatepass"))
        return Results(self._folder, name, self._files)


class Results:
    """What is kept of one project with one set of settings: what each file tells, what was asked
    about the project, and what came of each file that was examined."""

    def __init__(self, folder: Folder, name: str, files: Snapshot) -> None:
        self._folder = folder
        self._name = f"files-{name}"
        self._disk = files
        self._outlines = Outlines(folder, name)
        document = folder.read(self._name)
        if not isinstance(document, dict):
            document = {}
        rows = _table(document.get("files"))
        self._told: dict[str, list[Any]] = {
            path: row for path, row in rows.items() if isinstance(row, list) and len(row) == 6
        }
        # What they held when the results were found.
        self._before = {path: (row[1], row[5]) for path, row in self._told.items()}
        self._examined: dict[str, Any] = _table(document.get("examined"))
        asked = [believed(decode_asked, one) for one in _rows(document.get("asked"))]
        self._asked = [one for one in asked if one is not None]
        if len(self._asked) < len(asked):
            self._examined = {}
        # The files whose results still hold, once that was looked into.
        self._holding: set[str] | None = None
        self._recalled: set[str] = set()
        self._changed = False

    # -- what files tell ------------------------------------------------------------------------

    def contents(self, path: str, name: str) -> Contents | None:
        """What a file of this dotted name tells, None where that is not known."""
        row = self._row(path)
        if row is None or row[2] != name:
            return None
        return believed(decode_contents, row[4])

    def keep(self, path: str, name: str, contents: Contents) -> None:
        """Takes in what a file tells."""
        seen = self._disk.looked.files.get(path)
        if seen is not None:
            stamp, held = seen
            self._told[path] = [list(stamp), held, name, 0, encode_contents(contents), None]
            self._changed = True

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, None where that is not known."""
        row = self._row(path)
        return None if row is None else self._outlines.get(path, row[1])

    def keep_outline(self, path: str, outline: Outline) -> None:
        """Takes in the outline of a file that was read."""
        seen = self._disk.looked.files.get(path)
        if seen is not None:
            self._outlines.keep(path, seen[1], outline)

    def is_python(self, path: str) -> bool:
        """Whether this Python's parser is known to take what a file holds."""
        row = self._row(path)
        return row is not None and row[3] == 1

    def keep_python(self, path: str) -> None:
        """Takes in that it does."""
        row = self._row(path)
        if row is not None:
            row[3] = 1
            self._changed = True

    def _row(self, path: str) -> list[Any] | None:
        """What is kept of a file, if it holds what it held then."""
        row = self._told.get(path)
        if row is None:
            return None
        stamp = _stamp(row[0])
        known = None if stamp is None or not isinstance(row[1], str) else (stamp, row[1])
        if self._disk.digest(path, known) != row[1]:
            return None
        return row

    # -- what came of them ----------------------------------------------------------------------

    def recall(self, file: str, universe: Universe) -> Examined | None:
        """What came of a file, if all that it depends on is as it was."""
        if file not in self._still_holding(universe):
            return None
        examined = believed(decode, self._examined[file])
        if examined is not None:
            self._recalled.add(file)
        return examined

    def _still_holding(self, universe: Universe) -> set[str]:
        if self._holding is None:
            try:
                self._holding = self._look(universe)
            except (OSError, ValueError):
                # Questions that no run asked.
                self._holding = set()
        return self._holding

    def _look(self, universe: Universe) -> set[str]:
        """The files whose results hold. What was asked for them is asked in later runs too."""
        if not self._examined:
            return set()
        answers = universe.answers
        again = [(it, answer, self._again(it, answer, universe)) for it, answer in self._asked]
        changed = [(it, before) for it, before, now in again if before != now]
        others = {it.about for it, _ in changed if it.kind != "load"}
        texts = {it.about: held for it, held in changed if it.about not in others}
        edits = self._edits(universe, texts)
        lost = {it.about for it, _ in changed} - edits.keys()
        answers.restore((it, now) for it, _, now in again if it.about not in lost)
        gone = answers.depending(lost)
        if edits:
            gone |= edits.keys() | (universe.names.affected_by(edits) & answers.depending(edits))
            gone |= self._naming({name for it in edits for name in (it, universe.shown(it))})
        return {file for file in self._examined if file not in gone}

    def _edits(self, universe: Universe, held: Mapping[str, Answer]) -> dict[str, Edit]:
        """Those of these files, each with what its text was told to be, in which only bodies of
        definitions changed, and which."""
        found: dict[str, Edit] = {}
        for path, answer in held.items():
            known, definitions = self._before.get(path, ("", None))
            before = believed(decode_definitions, definitions) if answer == (known,) else None
            edit = None if before is None else universe.names.edited(path, before)
            if edit is not None:
                found[path] = edit
        return found

    def _naming(self, names: set[str]) -> set[str]:
        """The files with findings that say something of a file of one of these names: where in it
        that is may have changed."""
        return {
            file
            for file, one in self._examined.items()
            if isinstance(one, list) and one and speaks_of(one[0], names)
        }

    def _again(self, question: Question, before: Answer, universe: Universe) -> Answer:
        """What a question is answered now that had this answer before."""
        if question.kind in ("find", "submodule", "name", "shown"):
            return universe.again(question)
        if self._disk.stamp(question.about) is None:
            self._disk.kind(question.about)
            return ()
        if question.kind != "load":
            return universe.again(question)
        self._row(question.about)
        found = self._disk.digest(question.about)
        if found and before[:1] == (found,):
            # Whether it can be parsed is as before.
            return before
        return (found,) if found else ()

    def save(self, universe: Universe, examined: Mapping[str, Examined]) -> bool:
        """Keeps what came of a run, and tells whether it is what this process would have found."""
        fresh = {file: one for file, one in examined.items() if file not in self._recalled}
        sound = self._confirmed(universe, fresh)
        if fresh or self._changed:
            self._folder.write(self._name, self._document(universe, sound))
        self._outlines.save()
        return len(sound) == len(fresh)

    def _confirmed(self, universe: Universe, fresh: Mapping[str, Examined]) -> dict[str, Examined]:
        """The results that rest on what this process sees too, of those without a crash."""
        answers = universe.answers
        batches: dict[str, dict[int, Noted]] = {}
        for one in fresh.values():
            if one.noted is not None and one.noted.origin != answers.origin:
                batches.setdefault(one.noted.origin, {})[one.noted.number] = one.noted
        complete: dict[str, int] = {}
        for origin, noted in batches.items():
            # Behind a batch that is missing, more may have been asked than is known.
            complete[origin] = next(n for n in range(len(noted) + 1) if n not in noted)
            for number in range(complete[origin]):
                self._confirm(noted[number].asked, universe)
        gone = answers.depending(answers.conflicting)
        return {
            file: one
            for file, one in fresh.items()
            if one.crash is None
            and one.survey is None
            and file not in gone
            and one.noted is not None
            and one.noted.number < complete.get(one.noted.origin, one.noted.number + 1)
        }

    def _confirm(self, asked: tuple[Asked, ...], universe: Universe) -> None:
        """Takes in what another process was told, where this one is told the same."""
        for question, answer in asked:
            universe.answers.note(question, answer)
            universe.answers.note(question, self._again(question, answer, universe))

    def _document(self, universe: Universe, sound: Mapping[str, Examined]) -> dict[str, Any]:
        kept = {file: self._examined[file] for file in self._still_holding(universe)}
        kept |= {file: encode(one) for file, one in sound.items()}
        reached = universe.answers.reached(kept)
        self._define(universe)
        asked = [encode_asked(one) for one in universe.answers if one[0].about in reached]
        files = {path: row for path, row in self._told.items() if self._is_there(path)}
        return {"files": files, "asked": asked, "examined": kept}

    def _define(self, universe: Universe) -> None:
        """Keeps the definitions in the files that were read for what came of any."""
        for question, answer in universe.answers:
            row = self._told.get(question.about) if question.kind == "load" else None
            if row is not None and row[5] is None and answer == (row[1],):
                found = encode_definitions(universe.names.definitions(question.about))
                # Nobody has written to it meanwhile.
                if self._disk.digest(question.about) == row[1]:
                    row[5] = found

    def _is_there(self, path: str) -> bool:
        """Whether a file was seen in this run; with what is kept of it goes its state of now."""
        seen = self._disk.looked.files.get(path)
        if seen is None:
            return False
        self._told[path][0] = list(self._disk.settled(seen[0]))
        return True


def _table(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _rows(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def _stamp(data: Any) -> Stamp | None:
    if not isinstance(data, list) or len(data) != 4:
        return None
    if not all(isinstance(one, int) for one in data):
        return None
    return data[0], data[1], data[2], data[3]

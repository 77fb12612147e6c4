"""The modules of one project: all of them by name, each parsed when somebody asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jaxlint.base.errors import DocumentError
from jaxlint.base.file_stats import digest
from jaxlint.knowledge.libraries import JAX_LIKE
from jaxlint.project.class_questions import ANSWERED, ClassQuestions
from jaxlint.project.dependencies import BROKEN, Answer, Answers, Question, pairs, told, word
from jaxlint.project.discovery import discover
from jaxlint.project.entries import Entries
from jaxlint.project.file_facts import Contents, Reader, Remembered
from jaxlint.project.file_systems.files import FileSystem, as_bytes
from jaxlint.project.graph import ImportGraph
from jaxlint.project.ignore import Exclude
from jaxlint.project.modules import Place, Resolver
from jaxlint.project.parsed_files import ParsedFiles
from jaxlint.syntax.formats.documents import is_document, module_in, python_in

if TYPE_CHECKING:
    from jaxlint.project.callers.project_names import ProjectNames
    from jaxlint.syntax import ir
    from jaxlint.syntax.parse import SyntaxProblem

# What a file costs whatever is in it, and the part of what it imports that it costs beside
# itself, in bytes of source.
_LEAST, _FOLLOWED = 2_000, 0.1
# Questions whose answers may change with any file.
_OF_THE_WHOLE = (*ANSWERED, "uses_x64")


class Universe:
    """The modules around the files that are checked, by the identities of their files.

    `root` is the project's directory; without one, only what is imported is looked at, and what
    `add` names. `sources` are the directories that absolute imports start from, `libraries`
    packages that trace as JAX does, `together` files whose packages may import each other.
    """

    def __init__(
        self,
        root: str | None,
        files: FileSystem,
        sources: Sequence[str] = (),
        exclude: Exclude | None = None,
        libraries: Iterable[str] = (),
        remembered: Remembered | None = None,
        read: dict[tuple[str, str], Contents] | None = None,
        together: Iterable[str] = (),
    ) -> None:
        self.root = root
        # What files tell, by their names, for all projects that the same files are in.
        self._told = {} if read is None else read
        # What the analysis asked, for those who keep what comes of it.
        self.answers = Answers()
        self.unreadable: set[str] = set()
        self._files = files
        self._exclude = exclude or Exclude()
        self._reader = Reader(JAX_LIKE.union(libraries))
        self._remembered = remembered
        self._resolver = Resolver(root, files, sources, together)
        self._graph = ImportGraph(self._resolver)
        self._known: dict[str, Contents] = {}
        self._lengths: dict[str, int] = {}
        self._telling: set[str] = set()
        self._x64: set[str] = set()
        self._starts = Entries(self._graph, self._telling, self._resolver, self._read)
        self._searched = False
        self._names: dict[str, str] = {}
        self._parsed = ParsedFiles()
        self._names_in: ProjectNames | None = None
        self._class_questions: ClassQuestions | None = None

    # -- what the engine asks ---------------------------------------------------------------------

    def find(self, importer: str, module: str, level: int = 0) -> Place | None:
        """The module that a file means by a dotted name behind `level` dots."""
        place = self._resolver.find(importer, module, level)
        self.answers.note(Question("find", importer, module, level), told(place))
        return place

    def submodule(self, place: Place, name: str) -> Place | None:
        """A module of a package."""
        found = self._resolver.submodule(place, name)
        if place.directory is not None:
            self.answers.note(Question("submodule", place.directory, name), told(found))
        return found

    def name(self, path: str) -> str:
        """The dotted name of a file."""
        name = self._resolver.name(path)
        self.answers.note(Question("name", path), (name,))
        return name

    def load(self, path: str) -> ir.Module | None:
        """The parsed file, None where it cannot be read."""
        from jaxlint.syntax import ir

        module = self.parsed(path)
        if not isinstance(module, ir.Module):
            return None
        self._parsed.hold(path)
        return module

    def acts(self, path: str) -> bool:
        """Whether the source of a file looks as if importing it changes what other modules hold."""
        known = self._read(path).acts
        self.answers.note(Question("acts", path), word(known))
        return known

    def uses_x64(self, path: str) -> bool:
        """Whether 64-bit numbers may be switched on where a file is used: by one that imports it,
        by what that imports, or for all tests."""
        wide = self._uses_x64(path)
        self.answers.note(Question("uses_x64", path), word(wide))
        return wide

    def heirs(self, path: str, name: str) -> list[tuple[str, str]]:
        """The classes that derive directly from a class of a file, by what the text of the files
        that import it says: for each its file and its name."""
        found = self.classes(path).heirs(path, name)
        self.answers.note(Question("heirs", path, name), pairs(found))
        return found

    def having(self, path: str, asked: str) -> list[tuple[str, str]]:
        """The classes whose objects have what code of a file asks of one, by what texts say."""
        found = self.classes(path).having(path, asked)
        self.answers.note(Question("having", path, asked), pairs(found))
        return found

    def making(self, path: str, name: str) -> list[str]:
        """The files with code that calls a class of a file, by what their texts say."""
        found = self.classes(path).making(path, name)
        self.answers.note(Question("making", path, name), tuple(found))
        return found

    def storing(self, path: str, name: str) -> list[str]:
        """The files that set an attribute of this name, perhaps on an object of a file's class."""
        return self.classes(path).storing(path, name, self.answers)

    def filling(self, path: str) -> list[str]:
        """The files that may register something in a file that they import, tests left out."""
        found = self.classes(path).filling(path)
        self.answers.note(Question("filling", path), tuple(found))
        return found

    def registering(self, path: str, name: str) -> list[str]:
        """The other files that may register a class of a file as a pytree."""
        return self.classes(path).registering(path, name, self.answers)

    def again(self, question: Question) -> Answer:
        """What a question that was asked of this project in another process is answered here."""
        kind, about, name, level = question
        if kind in ANSWERED:
            return self.classes(about).answer(kind, about, name)
        answers: dict[str, Callable[[], Answer]] = {
            "find": lambda: told(self._resolver.find(about, name, level)),
            "submodule": lambda: told(self._resolver.submodule(Place(None, about), name)),
            "name": lambda: (self._resolver.name(about),),
            "acts": lambda: word(self._read(about).acts),
            "uses_x64": lambda: word(self._uses_x64(about)),
            "shown": lambda: (self.shown(about),),
        }
        return answers[kind]() if kind in answers else ()

    # -- what the session asks --------------------------------------------------------------------

    def add(self, path: str, shown: str) -> None:
        """Takes in a file and the name that it goes by in findings."""
        self._names[path] = shown
        self._read(path)

    def knows(self, path: str) -> bool:
        """Whether a file was looked at."""
        return path in self._known

    def shown(self, path: str) -> str:
        """The name of a file in findings."""
        known = self._names.get(path)
        if known is None:
            below = os.path.relpath(path)
            known = self._names[path] = path if below.startswith(os.pardir) else below
        return known

    def parsed(self, path: str) -> ir.Module | SyntaxProblem | None:
        """The parsed file, what is wrong with it, or None for one that is not there."""
        from jaxlint.syntax import ir

        if path in self._parsed:
            return self._parsed.get(path)
        try:
            source = self._files.source(path)
        except OSError:
            self._note_text(path, None)
            return self._parsed.keep(path, None, 0)
        module = module_in(source, self.shown(path))
        if isinstance(module, ir.Module):
            module.file = path
        self._note_text(path, source, isinstance(module, ir.Module))
        return self._parsed.keep(path, module, len(source))

    def examined(self, path: str) -> None:
        """Tells that a file itself is done with: what nobody follows into is not kept."""
        from jaxlint.knowledge import lookup

        followed = self._graph.is_imported(path) and not lookup.hides_source(self.name(path))
        if not followed:
            self._parsed.forget(path)

    def changed(self, path: str, patient: bool = False) -> set[str]:
        """Takes in that a file holds something else than before. Gives the files to be analysed
        again; what is known of others stays. With `patient`, what depends on a file that cannot be
        parsed waits until it can."""
        from jaxlint.syntax import ir

        before = self._parsed.get(path) if path in self._parsed else None
        if isinstance(before, ir.Module) and not is_document(path):
            self.names.note(path, before.source.text)
        self.names.changed(path)
        self._told.pop((path, self._resolver.name(path)), None)
        self.unreadable.discard(path)
        self._parsed.changed(path)
        if patient and len(self.answers.depending({path})) > 1 and self.load(path) is None:
            return {path}
        changed = {path}
        known = self._known.get(path)
        edit = self.names.edited_since(path)
        is_new = known is None or self._contents(path) != known
        if edit is not None and not is_new:
            # What was asked about the file has the same answers, but for its text.
            held = digest(as_bytes(self._files.source(path)))
            self.answers.renew(Question("load", path), (held,))
            return {path} | (self.names.affected_by({path: edit}) & self.answers.depending({path}))
        if known is not None and is_new:
            for files in (self._telling, self._x64):
                files.discard(path)
            del self._known[path]
            self._read(path)
            # Who imports what decides about 64-bit numbers, and which classes derive from another.
            asked = [it for it in self.answers if it[0].kind in _OF_THE_WHOLE]
            changed.update(about.about for about, told in asked if self.again(about) != told)
        affected = self.answers.depending(changed)
        self.answers.forget(changed)
        return affected

    def mentions(self, path: str) -> bool:
        """Whether a file names a library whose functions trace."""
        return self._read(path).mentions

    def entries_for(self, path: str, documents: Container[str] = ()) -> list[str]:
        """The files in which tracing may start that reaches a file as far as imports tell, in
        order; of notebooks and the like, the file itself and those among `documents`."""
        if self._files.kind(path) != "missing":
            # Nobody imports what has not been saved yet.
            self._search()
        self._read(path)
        if not self._telling:
            return []
        known = self._starts.of(path, self.classes(path).leading)
        return [one for one in known if one == path or one in documents or not is_document(one)]

    @property
    def names(self) -> ProjectNames:
        """What the statements of the files mention of each other."""
        if self._names_in is None:
            from jaxlint.project.callers.project_names import ProjectNames

            ignored, remembered = self._reader.ignored, self._remembered
            self._names_in = ProjectNames(self, ignored, self._resolver, remembered)
        return self._names_in

    def modules(self) -> list[str]:
        """All files of the project that others may import."""
        self._search()
        return [path for path in self._known if not is_document(path)]

    def text(self, path: str) -> bytes:
        """The Python in a file, nothing where it cannot be read."""
        try:
            return self._text(path)
        except OSError:
            self.unreadable.add(path)
        except DocumentError:
            pass  # What is wrong with it is said where it is checked.
        return b""

    # -- what other processes ask -----------------------------------------------------------------

    def effort(self, path: str) -> int:
        """About how much work it is to trace the entries of a file, in bytes of source."""
        self._read(path)
        followed = sum(map(self._length, self._graph.imported(path) & self._telling))
        return int(_LEAST + self._length(path) + _FOLLOWED * followed)

    def behind(self, path: str) -> frozenset[str]:
        """The files that tracing the entries of a file may lead to; the file is one of them."""
        self._read(path)
        return frozenset(self._graph.files_of(self._graph.imports(path)))

    def name_all(self, paths: Iterable[str]) -> None:
        """Settles how files are named in findings, for where the current directory is another."""
        for path in paths:
            self.shown(path)

    def __getstate__(self) -> dict[str, Any]:
        """All that was found out, without what was parsed and what is kept on this disk."""
        kept: dict[str, Any] = {"_parsed": ParsedFiles(), "_remembered": None, "_told": {}}
        return {**self.__dict__, **kept, "_names_in": None, "_class_questions": None}

    # -- inside -----------------------------------------------------------------------------------

    def _note_text(self, path: str, source: bytes | str | None, parses: bool = False) -> None:
        """Notes that the analysis reads a file, what it holds, and what findings call it."""
        known: Answer = () if source is None else (digest(as_bytes(source)),)
        if known and not parses:
            known = (*known, BROKEN)
        self.answers.note(Question("load", path), known)
        self.answers.note(Question("shown", path), (self.shown(path),))

    def _search(self) -> None:
        """Reads the imports of every file of the project, once."""
        if self._searched or self.root is None:
            return
        self._searched = True
        found = discover([self.root], self._files, exclude=lambda _: self._exclude)
        for path in found.files:
            self._read(self._files.identity(path))

    def _read(self, path: str) -> Contents:
        """What a file tells; what it imports is read too."""
        known = self._known.get(path)
        if known is not None:
            return known
        pending = [path]
        while pending:
            one = pending.pop()
            if one not in self._known:
                contents = self._known[one] = self._contents(one)
                pending += self._graph.add(one, contents.imports)
                if contents.telling:
                    self._telling.add(one)
                if contents.x64:
                    self._x64.add(one)
        self._class_questions = None
        self._starts.changed()
        if self._names_in is not None:
            self._names_in.files_changed()
        return self._known[path]

    def _contents(self, path: str) -> Contents:
        name = self._resolver.name(path)
        contents = self._told.get((path, name))
        if contents is None and self._remembered is not None:
            contents = self._remembered.contents(path, name)
        if contents is None:
            contents = self._told_by(path, name)
            if self._remembered is not None:
                self._remembered.keep(path, name, contents)
        self._told[path, name] = contents
        return contents

    def _told_by(self, path: str, name: str) -> Contents:
        try:
            return self._reader.contents(path, name, self._text(path))
        except OSError:
            self.unreadable.add(path)
        except DocumentError:
            return Contents(mentions=self._reader.has_words(self._files.read(path)))
        return self._reader.contents(path, name, b"")

    def _text(self, path: str) -> bytes:
        """The Python in a file. Raises OSError and DocumentError."""
        source = python_in(self._files.read(path), path)
        return source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")

    def _length(self, path: str) -> int:
        if path not in self._lengths:
            self._lengths[path] = len(self.text(path))
        return self._lengths[path]

    def _uses_x64(self, path: str) -> bool:
        self._search()
        if not self._x64 or any(os.path.basename(one) == "conftest.py" for one in self._x64):
            return bool(self._x64)
        self._read(path)
        return bool(self._graph.importers(path) & self._graph.importing(self._x64))

    def classes(self, path: str) -> ClassQuestions:
        """The classes around a file."""
        self._search()
        self._read(path)
        if self._class_questions is None:
            known = {one: it for one, it in self._known.items() if not is_document(one)}
            about = self.root, self._graph, self._resolver, self.text
            self._class_questions = ClassQuestions(known, *about)
        return self._class_questions

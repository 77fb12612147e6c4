"""Lints a checkout with hazards planted in it, and tells which of them are reported.

Nothing is written: the files with plants are held in memory, above those of the checkout.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plant_places import Plant, Sources, planted

from jaxlint.base.finding import Finding
from jaxlint.project.discovery import discover
from jaxlint.project.file_systems.files import DISK, Above, as_bytes
from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings


class _Changed(Above):
    """The disk, where some files hold something else."""

    def __init__(self) -> None:
        super().__init__(DISK)
        self.texts: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        return as_bytes(self.source(path))

    def source(self, path: str) -> bytes | str:
        text = self.texts.get(self.identity(path))
        return self._files.source(path) if text is None else text


@dataclass(frozen=True)
class Outcome:
    """Whether a plant is reported: the codes that count, and all codes reported at its lines."""

    plant: Plant
    found: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        return bool(self.found)


class Linter:
    """Lints one checkout again and again, each time with other plants. What the plants cannot
    change is not examined again."""

    def __init__(self, sources: Sources, codes: Iterable[str]) -> None:
        self._sources = sources
        self._files = _Changed()
        selection = Selection(select=tuple(codes))
        settings = Settings((selection,), noqa="none", writes_fixes=False)
        self._session = Session(settings, self._files)
        self._paths = discover([str(sources.root)], respect_gitignore=False).files
        self._session.ask(self._paths)

    def lint(self, plants: Iterable[Plant]) -> list[Outcome]:
        """The outcome of plants that are all there at the same time."""
        by_file: dict[str, list[Plant]] = defaultdict(list)
        for plant in plants:
            by_file[plant.file].append(plant)
        lines: dict[Plant, range] = {}
        texts: dict[str, str] = {}
        for file, some in by_file.items():
            changed = planted(self._sources, file, some)
            texts[self._identity(file)] = changed.text
            lines |= changed.lines
        self._put(texts)
        found: dict[Plant, set[str]] = {plant: set() for plant in lines}
        at = {
            (self._identity(plant.file), line): plant
            for plant, some in lines.items()
            for line in some
        }
        own = [str(self._sources.root / file) for file in by_file]
        self._look(own, at, found)
        # What a plant leads to may be shown at a call in another file.
        if any(not _counted(plant, codes) for plant, codes in found.items()):
            self._look([path for path in self._paths if path not in own], at, found)
        return [
            Outcome(plant, _counted(plant, codes), tuple(sorted(codes - {*plant.kind.codes})))
            for plant, codes in found.items()
        ]

    def _identity(self, file: str) -> str:
        return self._files.identity(str(self._sources.root / file))

    def _put(self, texts: dict[str, str]) -> None:
        before = self._files.texts
        self._files.texts = texts
        for file in {*before, *texts}:
            if before.get(file) != texts.get(file):
                self._session.changed(file)

    def _look(
        self, paths: Iterable[str], at: dict[tuple[str, int], Plant], found: dict[Plant, set[str]]
    ) -> None:
        for path in paths:
            for finding in self._session.check(path).findings:
                for place in self._places(finding):
                    plant = at.get(place)
                    if plant is not None:
                        found[plant].add(finding.code)

    def _places(self, finding: Finding) -> Iterator[tuple[str, int]]:
        """Where a finding is shown, and the places that its reason names."""
        file = self._files.identity(finding.filename)
        yield file, finding.line
        for step in finding.because:
            other = self._files.identity(step.filename) if step.filename else file
            yield other, step.span.line


def _counted(plant: Plant, codes: set[str]) -> tuple[str, ...]:
    return tuple(sorted(codes & {*plant.kind.codes}))


def batches(plants: Iterable[Plant], most: int = 1) -> list[list[Plant]]:
    """Groups of plants that are linted together: of each function at most so many, and never two
    before the same statement."""
    groups: list[list[Plant]] = []
    counts: list[Counter[object]] = []
    for plant in plants:
        function, place = (plant.file, plant.start), (plant.file, plant.line, "")
        fits = (n for n, it in enumerate(counts) if it[function] < most and not it[place])
        number = next(fits, len(groups))
        if number == len(groups):
            groups.append([])
            counts.append(Counter())
        groups[number].append(plant)
        counts[number].update([function, place])
    return groups

"""The projects of a session, and the files that findings are wanted for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxlint.project.file_systems.files import FileSystem
from jaxlint.project.ignore import excluded
from jaxlint.project.plugins import plugin_files
from jaxlint.project.project import Universe
from jaxlint.project.requirements import declared_jax
from jaxlint.project.roots import project_root
from jaxlint.registry.loading import load_registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxlint.cache.files import Results, Shelf
    from jaxlint.engine.machine.project import Context
    from jaxlint.facts.check import Check
    from jaxlint.knowledge import lookup
    from jaxlint.project.file_facts import Contents
    from jaxlint.settings import Settings


class Projects:
    """The projects of a session, each begun when one of its files is asked about.

    `asked` are the files that findings are wanted for: the path that the user gave, by the identity
    of the file. `named` are those that the user named one by one, not by a directory. `results` is
    the cache of each project, by its root.
    """

    def __init__(self, settings: Settings, files: FileSystem, shelf: Shelf | None) -> None:
        self.asked: dict[str, str] = {}
        self.named: set[str] = set()
        self.results: dict[str | None, Results] = {}
        self._settings = settings
        self._files = files
        self._shelf = shelf
        self._universes: dict[str | None, Universe] = {}
        self._contents: dict[tuple[str, str], Contents] = {}
        # The project's directory for each directory that was asked about.
        self._roots: dict[str, str | None] = {}
        self._newest: dict[str | None, lookup.Supported] = {}
        # What the analyses of each project share.
        self._worlds: dict[str | None, list[Any]] = {}

    def state(self) -> tuple[Any, ...]:
        """All that another process has to know of the projects."""
        return self.asked, self.named, self._universes, self._roots, self._newest

    def restore(self, state: Iterable[Any]) -> None:
        """Takes over the state of the projects in another process."""
        self.asked, self.named, self._universes, self._roots, self._newest = state

    def take(self, other: Projects, project: Universe) -> None:
        """Takes over one project from another session."""
        self._universes = {project.root: project}
        self._roots = {at: root for at, root in other._roots.items() if root == project.root}
        self._newest[project.root] = other._newest_jax(project.root)

    def at(self, root: str | None) -> Universe:
        """The project with this root, which was begun before."""
        return self._universes[root]

    def of(self, file: str) -> Universe:
        """The project that a file, given by its identity, belongs to."""
        root = self._root(file)
        universe = self._universes.get(root)
        if universe is None:
            universe = self._begun(root)
            self._universes[root] = universe
            for one, path in self.asked.items():
                universe.add(one, path)
        return universe

    def _root(self, file: str) -> str | None:
        directory = os.path.dirname(file)
        if directory not in self._roots:
            self._roots[directory] = project_root(file, self._files)
        return self._roots[directory]

    def is_silent(self, file: str, path: str) -> bool:
        """Whether there can be no finding in a file, by the project around it."""
        universe = self.of(file)
        universe.add(file, path)
        if file in self.named or universe.mentions(file) or file in universe.unreadable:
            return False
        return not universe.entries_for(file, self.asked)

    def changed(self, file: str, patient: bool) -> set[str]:
        """The files that depend on one whose text changed, itself included. With `patient`, the
        dependents of a file that cannot be parsed are kept."""
        affected = {file}
        for root, universe in self._universes.items():
            is_new = not universe.knows(file)
            dependent = universe.changed(file, patient)
            affected |= dependent
            worlds = self._worlds.get(root)
            # Modules that do not lead to the file are as they were. They may name a new one.
            if worlds and (is_new or any(map(worlds[0].holds, (file, *dependent)))):
                worlds.clear()
        return affected

    def context(self, universe: Universe, detections: Sequence[Check] = ()) -> Context:
        """What the engine is told about a project, and the checks of plugins that it is to run."""
        from jaxlint.engine.machine.project import Context
        from jaxlint.engine.queries.plugin_checks import adapted

        return Context(
            universe,
            dict(self._settings.transforms),
            self._settings.framework_methods,
            newest_jax=self._newest_jax(universe.root),
            root=universe.root,
            worlds=self._worlds.setdefault(universe.root, []),
            checks=tuple(map(adapted, detections)),
        )

    def _begun(self, root: str | None) -> Universe:
        from jaxlint.knowledge import models

        if plugin_files():
            # Models of plugins count among the libraries.
            load_registry()
        settings, files = self._settings, self._files
        sources = [files.identity(one) for one in settings.src]
        exclude = excluded(settings.exclude)
        declared = {name.partition(".")[0] for name, _ in settings.transforms}
        known = sorted(declared | models.libraries())
        results = None
        if self._shelf is not None:
            results = self._shelf.results(settings, root, declared_jax(root, files))
            self.results[root] = results
        together = [] if root else [one for one in self.asked if self._root(one) is None]
        return Universe(root, files, sources, exclude, known, results, self._contents, together)

    def _newest_jax(self, root: str | None) -> lookup.Supported:
        """The newest JAX that code is for: by the settings, else by the project."""
        from jaxlint.knowledge import lookup

        if self._settings.target_jax is not None:
            return lookup.Supported(self._settings.target_jax)
        if root not in self._newest:
            self._newest[root] = lookup.supported(declared_jax(root, self._files))
        return self._newest[root]

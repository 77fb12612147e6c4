"""Finds the settings that count for a directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxlint.base.errors import SettingsError
from jaxlint.base.file_stats import SETTINGS
from jaxlint.project.file_systems.files import DISK, FileSystem, is_file
from jaxlint.settings.model import Settings

if TYPE_CHECKING:
    from jaxlint.settings.read import Layer

# Where there are no settings, nothing is imported that reads them.


class Configuration:
    """Finds the settings for a directory and remembers them.

    They stand in the nearest `.jaxlint.toml`, `jaxlint.toml` or `pyproject.toml` with a table
    `[tool.jaxlint]` at or above the directory, and in the files that it extends; in that file alone
    if one is given, and nowhere if they are to be isolated. What `overrides` say counts more.
    """

    def __init__(
        self,
        file: str | None = None,
        files: FileSystem = DISK,
        *,
        is_isolated: bool = False,
        overrides: Sequence[Layer] = (),
    ) -> None:
        self._files = files
        self._overrides = tuple(overrides)
        self._near: dict[str, str] = {}
        self._layers: dict[str, tuple[Layer, ...]] = {"": ()}
        self._settings: dict[str, Settings] = {}
        self._fixed = "" if is_isolated else file
        if file is not None:
            self._read(file, ())

    def near(self, directory: str) -> Settings:
        """The settings for files in a directory. Raises SettingsError."""
        file = self.file(directory)
        settings = self._settings.get(file)
        if settings is None:
            settings = self._settings[file] = self._built(file)
        return settings

    def file(self, directory: str) -> str:
        """The file that the settings for a directory stand in, empty where there is none.

        Raises SettingsError.
        """
        if self._fixed is not None:
            return self._fixed
        directory = os.path.abspath(directory)
        if directory not in self._near:
            self._near[directory] = self._find(directory)
        return self._near[directory]

    def layers(self, directory: str) -> tuple[Layer, ...]:
        """What counts for a directory, those that count more later. Raises SettingsError."""
        return (*self._layers[self.file(directory)], *self._overrides)

    def _built(self, file: str) -> Settings:
        layers = (*self._layers[file], *self._overrides)
        if not layers:
            return Settings()
        from jaxlint.settings.build import Layers, settings_of

        return settings_of(Layers(layers))

    def _find(self, directory: str) -> str:
        for name in SETTINGS:
            path = os.path.join(directory, name)
            if is_file(self._files, path) and self._read(path, ()):
                return path
        parent = os.path.dirname(directory)
        return "" if parent == directory else self.file(parent)

    def _read(self, path: str, extending: tuple[str, ...]) -> bool:
        """Reads a file and those that it extends, and tells whether it says anything to us."""
        if path in self._layers:
            return bool(self._layers[path])
        from jaxlint.settings.read import read_file

        layer = read_file(path, self._files)
        if layer is None:
            self._layers[path] = ()
            return False
        above = layer.values.get("extend")
        extended = () if above is None else self._extended(layer, above, (*extending, path))
        self._layers[path] = (*extended, layer)
        return True

    def _extended(self, layer: Layer, above: str, extending: tuple[str, ...]) -> tuple[Layer, ...]:
        from jaxlint.settings.read import within_project

        target = os.path.normpath(within_project(layer, above, "extend"))
        where = layer.named("extend")
        known = [os.path.abspath(path) for path in extending]
        if target in known:
            circle = [*extending[known.index(target) :], target]
            raise SettingsError(f"{where}: files extend each other: {' -> '.join(circle)}")
        if not is_file(self._files, target):
            raise SettingsError(f"{where}: {target} is no file that exists")
        if not self._read(target, extending):
            raise SettingsError(f"{where}: {target} has no table [tool.jaxlint]")
        return self._layers[target]

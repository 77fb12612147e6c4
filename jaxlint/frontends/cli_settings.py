"""What the command line says about settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from jaxlint.base.dataclass import slotted
from jaxlint.base.own_codes import UNUSED_SUPPRESSION
from jaxlint.project.file_systems.files import DISK, FileSystem
from jaxlint.settings import Configuration

if TYPE_CHECKING:
    from jaxlint.settings.read import Layer

# The parameters of commands, with the key that each stands for.
_KEYS = {
    "select": "select",
    "ignore": "ignore",
    "extend_select": "extend-select",
    "per_file_ignores": "per-file-ignores",
    "extend_per_file_ignores": "extend-per-file-ignores",
    "min_confidence": "min-confidence",
    "target_jax": "target-jax",
    "exclude": "extend-exclude",
    "force_exclude": "force-exclude",
    "respect_gitignore": "respect-gitignore",
    "markdown": "markdown",
    "output_format": "output-format",
    "baseline": "baseline",
    "fix": "fix",
    "unsafe_fixes": "unsafe-fixes",
    "fixable": "fixable",
    "unfixable": "unfixable",
}


@slotted(frozen=True)
class Given:
    """The file that settings are to be read from, if it is named, whether there is to be none,
    and what counts more than files."""

    file: str | None = None
    is_isolated: bool = False
    overrides: tuple[Layer, ...] = ()

    def configuration(self, files: FileSystem = DISK) -> Configuration:
        """The settings of directories. Raises SettingsError."""
        return Configuration(
            self.file, files, is_isolated=self.is_isolated, overrides=self.overrides
        )


def take(options: dict[str, Any], *kept: str) -> Given:
    """Takes what is about settings out of the options of a command, but for those to be kept.

    Raises SettingsError for a value that cannot be used.
    """
    if options.pop("warn_unused_suppressions", False):
        options["extend_select"] = (*(options["extend_select"] or ()), UNUSED_SUPPRESSION.code)
    config, is_isolated = options.pop("config"), options.pop("isolated")
    values = {name: options.pop(name) for name in _KEYS if name in options and name not in kept}
    said = {
        _KEYS[name]: (f"--{name.replace('_', '-')}", _plain(value))
        for name, value in values.items()
        if value is not None
    }
    file, layers = _configs(config)
    if is_isolated and file is not None:
        raise click.UsageError(f"--config {file} and --isolated exclude each other")
    if said:
        from jaxlint.settings.read import of_options

        layers.append(of_options(said))
    return Given(file, is_isolated, tuple(layers))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _configs(values: Sequence[str]) -> tuple[str | None, list[Layer]]:
    """The file among the values of `--config`, and what the others say."""
    files = [value for value in values if is_file(value)]
    if len(files) > 1:
        raise click.UsageError(f"--config names several files: {', '.join(files)}")
    inline = [value for value in values if not is_file(value)]
    file = files[0] if files else None
    if not inline:
        return file, []
    from jaxlint.settings.read import read_inline

    return file, [read_inline(one) for one in inline]


def is_file(value: str) -> bool:
    """Whether a value of `--config` is a file, and not settings."""
    if os.path.isfile(value):
        return True
    if "=" not in value:
        raise click.UsageError(f"--config: {value}: no such file, and no setting `key = value`")
    return False

"""`jaxlint config`: which settings count for a path, and where they come from."""

from __future__ import annotations

import os

from jaxlint.base.errors import JaxlintError
from jaxlint.frontends.cli_settings import Given
from jaxlint.report import settings as report
from jaxlint.session.overrides import Overrides
from jaxlint.session.session import load_registry
from jaxlint.settings.effective import effective


def shown(path: str, given: Given, output_format: str) -> str:
    """The settings for a path in words or in JSON. Raises JaxlintError."""
    if not os.path.exists(path):
        raise JaxlintError(f"{path}: no such file or directory")
    directory = path if os.path.isdir(path) else os.path.dirname(path)
    configuration = given.configuration()
    settings, registry = configuration.near(directory), load_registry()
    codes = registry.resolve(settings.selections)
    ignored = Overrides(settings, registry).ignored(path)
    rules = [it.code for it in registry.entries if it.code in codes and it.code not in ignored]
    layers = configuration.layers(directory)
    files = [layer.path for layer in reversed(layers) if layer.path]
    render = report.as_json if output_format == "json" else report.text
    return render(path, files, effective(layers), rules)

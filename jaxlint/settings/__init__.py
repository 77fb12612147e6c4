"""What a user may configure, and the files and options that it is read from."""

from __future__ import annotations

from jaxlint.settings.find import Configuration
from jaxlint.settings.model import (
    FileIgnore,
    FixChoice,
    RunSettings,
    Selection,
    Settings,
    SeverityOverride,
    VerifySettings,
)

__all__ = [
    "Configuration",
    "FileIgnore",
    "FixChoice",
    "RunSettings",
    "Selection",
    "Settings",
    "SeverityOverride",
    "VerifySettings",
]

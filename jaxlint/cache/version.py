"""Which jaxlint this is: its version, its own files where they are being worked on, and plugins."""

from __future__ import annotations

import os
import sys

from jaxlint.base.version import version
from jaxlint.project.plugins import MODELS, RULES, metadata_in, offered, plugin_files
from jaxlint.project.roots import INSTALLED

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What decides with jaxlint what is found.
_PARSER = "libcst-"


def program() -> str:
    """Equal for two runs of the same jaxlint with the same plugins."""
    parts = [version]
    for path in (*sources(), *plugin_sources()):
        try:
            state = os.stat(path)
        except OSError:
            continue
        parts.append(f"{path} {state.st_size} {state.st_mtime_ns}")
    for directory in sys.path:
        parts += [name for name in metadata_in(directory or ".") if name.startswith(_PARSER)]
    return "\n".join(parts)


def sources() -> list[str]:
    """The files that jaxlint consists of; of an installed one, those that tell of a change."""
    around = os.path.dirname(_PACKAGE)
    if os.path.basename(around) in INSTALLED:
        names = [name for name in metadata_in(around) if name.startswith("flake8_jaxlint-")]
        records = [os.path.join(around, name, "RECORD") for name in names]
        if any(map(os.path.isfile, records)):
            return records
    return modules_below(_PACKAGE)


def plugin_sources() -> list[str]:
    """The files in which distributions offer plugins, and those of the packages that are used."""
    found = plugin_files()
    if not found:
        return []
    tops = {
        plugin.value.partition(".")[0] for group in (RULES, MODELS) for plugin in offered(group)
    }
    for name in sorted(tops):
        module = sys.modules.get(name)
        for directory in getattr(module, "__path__", ()):
            found += modules_below(directory)
        file = getattr(module, "__file__", None)
        found += [file] if file else []
    return found


def modules_below(directory: str) -> list[str]:
    """The modules of a package and of those in it."""
    found: list[str] = []
    for path, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name != "__pycache__")
        found += [os.path.join(path, name) for name in sorted(names) if name.endswith(".py")]
    return found

"""The output formats by name. A format is imported when it is used."""

from __future__ import annotations

from importlib import import_module

from jaxlint.settings.keys import OUTPUT_FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jaxlint.report.formatter import Formatter

FORMATS = OUTPUT_FORMATS
# Those that have a form for counts.
COUNTING = ("full", "concise", "json")


def load(name: str) -> type[Formatter]:
    """The format of this name."""
    module, kind = FORMATS[name]
    form: type[Formatter] = getattr(import_module(f"jaxlint.report.formats.{module}"), kind)
    return form

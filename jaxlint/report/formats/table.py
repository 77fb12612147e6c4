"""The output formats by name. A format is imported when it is used."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jaxlint.report.formatter import Formatter

# Where each format is: a module beside this one, and the class in it.
FORMATS = {
    "full": ("text", "Full"),
    "concise": ("text", "Concise"),
    "json": ("json", "Json"),
    "json-lines": ("json", "JsonLines"),
    "sarif": ("sarif", "Sarif"),
    "github": ("github", "GitHub"),
    "gitlab": ("gitlab", "GitLab"),
    "junit": ("junit", "JUnit"),
    "rdjson": ("rdjson", "Rdjson"),
    "html": ("html", "Html"),
}
# Those that have a form for counts.
COUNTING = ("full", "concise", "json")


def load(name: str) -> type[Formatter]:
    """The format of this name."""
    module, kind = FORMATS[name]
    form: type[Formatter] = getattr(import_module(f"jaxlint.report.formats.{module}"), kind)
    return form

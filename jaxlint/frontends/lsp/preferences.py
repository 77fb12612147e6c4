"""What the editor says about settings: its own part of them, and those that count more than
files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import SettingsError
from jaxlint.project.file_systems.files import DISK, FileSystem
from jaxlint.settings import Configuration
from jaxlint.settings.keys import KEYS
from jaxlint.settings.kinds import Choice, Flag, Kind, Text
from jaxlint.settings.read import Layer, read_table

SECTION = "jaxlint"
"""The section of an editor's settings that is ours."""
Hinted = Literal["off", "traced", "all"]


class _Hints(Choice):
    """What inlay hints mark; true is for what is traced, false for nothing."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool) or super().accepts(value)


_OWN: Mapping[str, Kind] = {
    "fixAll": Flag(),
    "inlayHints": _Hints("off", "traced", "all"),
    "logLevel": Choice("error", "warning", "info", "debug"),
    "run": Choice("onType", "onSave"),
    "unsafeFixes": Flag(),
}
_CONFIGURATION = "configuration"
_PATH = Text("the path of a settings file or a table of settings")
# What concerns files on the disk, and runs that print, is not for editors.
_NOT_OURS = frozenset(
    {"cache-dir", "extend", "force-exclude", "output-format", "respect-gitignore"}
)
# What clients read themselves.
_CLIENTS = frozenset({"trace", "enable"})


def _spelled(key: str) -> str:
    """A key as editors spell such names: minConfidence."""
    first, *rest = key.split("-")
    return first + "".join(word.capitalize() for word in rest)


_SETTINGS = {
    _spelled(key.name): key
    for key in KEYS
    if key.name not in _NOT_OURS and not key.name.startswith("verify.")
}


@slotted(frozen=True)
class Preferences:
    """What the editor wants in one of its folders.

    `file` is the settings file that counts in the place of the nearest ones, `overrides` count
    more than files. `hints` says what inlay hints mark, `fixes_all` whether all fixes are
    offered as one action, `fixes_unsafely` whether unsafe ones are among them, `waits` that
    text is checked when it is saved, and `log_level` how much is logged.
    """

    file: str | None = None
    overrides: tuple[Layer, ...] = ()
    hints: Hinted = "traced"
    fixes_all: bool = True
    fixes_unsafely: bool = False
    waits: bool = False
    log_level: str = "warning"

    def configuration(self, files: FileSystem = DISK) -> Configuration:
        """The settings of directories. Raises SettingsError."""
        return Configuration(self.file, files, overrides=self.overrides)


def section(given: Any) -> dict[str, Any]:
    """Our part of what an editor sends, less what it leaves open: all of it, or what stands under
    our name, or under `settings`."""
    for name in (SECTION, "settings"):
        if isinstance(given, Mapping) and isinstance(given.get(name), Mapping):
            given = given[name]
    if not isinstance(given, Mapping):
        return {}
    return {name: value for name, value in given.items() if value is not None}


def read(given: Mapping[str, Any], folder: str) -> tuple[Preferences, list[str]]:
    """What settings of the editor mean in a folder, and what is wrong with them. What is right
    counts nevertheless."""
    problems: list[str] = []
    good: dict[str, Any] = {}
    for name, value in given.items():
        if name in _CLIENTS:
            continue
        wrong = list(_problems(name, value))
        problems += wrong
        if not wrong:
            good[name] = value
    file: str | None = None
    layers: list[Layer] = []
    try:
        file, layers = _configuration(good.get(_CONFIGURATION), folder)
    except SettingsError as error:
        problems += str(error).split("\n")
    if layer := _layer(good, folder):
        layers.append(layer)
    hints = good.get("inlayHints", True)
    preferences = Preferences(
        file,
        tuple(layers),
        ("traced" if hints else "off") if isinstance(hints, bool) else hints,
        good.get("fixAll", True),
        good.get("unsafeFixes", False),
        good.get("run") == "onSave",
        good.get("logLevel", "warning"),
    )
    return preferences, problems


def _problems(name: str, value: Any) -> Iterator[str]:
    where = f"{SECTION}.{name}"
    if name == _CONFIGURATION:
        if not isinstance(value, Mapping):
            yield from (f"{where} {words}" for _, words in _PATH.problems(value))
        return
    key = _SETTINGS.get(name)
    kind = _OWN.get(name) if key is None else key.kind
    if kind is None:
        yield f"{where}: unknown setting{_hint(name)}"
        return
    for keys, words in kind.problems(value):
        at = ".".join((where, *keys))
        yield words.replace("%", at, 1) if "%" in words else f"{at} {words}"


def _hint(name: str) -> str:
    from difflib import get_close_matches

    known = sorted({*_SETTINGS, *_OWN, _CONFIGURATION})
    if (spelled := _spelled(name.replace("_", "-").lower())) in known:
        return f"; did you mean {spelled!r}?"
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f" (known are {', '.join(known)})"


def _layer(given: Mapping[str, Any], folder: str) -> Layer | None:
    """What is said of keys that settings files have too."""
    values = {key.name: given[name] for name, key in _SETTINGS.items() if name in given}
    options = {key.name: f"{SECTION}.{name}" for name, key in _SETTINGS.items() if name in given}
    return Layer(values, folder, options=options, source="the editor") if values else None


def _configuration(given: Any, folder: str) -> tuple[str | None, list[Layer]]:
    """The settings file that is named, or the settings that stand in the place of its name.
    Raises SettingsError."""
    where = f"{SECTION}.{_CONFIGURATION}"
    if given is None:
        return None, []
    if isinstance(given, Mapping):
        return None, [read_table(given, folder, where)]
    path = os.path.join(folder, os.path.expanduser(_expanded(given, folder)))
    if not os.path.isfile(path):
        raise SettingsError(f"{where}: {path} is no file that exists")
    return os.path.normpath(path), []


def _expanded(text: str, folder: str) -> str:
    """A path with the variables that editors know and those of the environment."""
    return os.path.expandvars(re.sub(r"\$\{workspace(?:Folder|Root)\}", lambda _: folder, text))


def nearest(folders: Sequence[str], directory: str) -> str:
    """The innermost folder that a directory is in, empty if it is in none."""
    within = directory.rstrip(os.sep) + os.sep
    around = [it for it in folders if it and within.startswith(it.rstrip(os.sep) + os.sep)]
    return max(around, key=len, default="")

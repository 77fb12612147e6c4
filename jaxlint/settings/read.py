"""Reads settings from one place: a file, or what the command line says. What is wrong with them
is said all at once, a line each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import SettingsError, reason
from jaxlint.base.file_stats import OWN_SETTINGS, is_below, project_around
from jaxlint.base.wording import nearest, suggestion
from jaxlint.project.file_systems.files import FileSystem
from jaxlint.settings.keys import BY_NAME, KEYS, Key
from jaxlint.settings.kinds import Problem, named

_TABLES = frozenset(key.parts[0] for key in KEYS if len(key.parts) > 1)


@slotted(frozen=True, eq=False)
class Layer:
    """What one place says. `values` are by the names of keys and as they stand there, paths
    relative to `base`.

    `path` is the file; without one, `options` says by key how the command line said it, or
    who else speaks, whom `source` names.
    """

    values: Mapping[str, Any]
    base: str
    path: str = ""
    prefix: str = ""
    text: str = ""
    options: Mapping[str, str] | None = None
    source: str = ""

    @property
    def origin(self) -> str:
        """The place in messages about selectors, empty for options."""
        if self.path:
            return f"{self.path}: tool.jaxlint" if self.prefix else self.path
        return self.source

    def place(self, *keys: str) -> str:
        """Where a key was given, as a message begins with it."""
        if self.path:
            return f"{self.path}:{self.line(*keys)}"
        return (self.options or {}).get(keys[0] if keys else "", self.source or "--config")

    def named(self, key: str, *keys: str) -> str:
        """A key and where it was given, as a message begins with them; `keys` lead to a place
        inside its value."""
        if self.options and key in self.options:
            return self.options[key]
        return f"{self.place(*key.split('.'), *keys)}: {self.prefix}{key}"

    def line(self, *keys: str) -> int:
        """The line of a key in the file."""
        from jaxlint.settings.places import line_of

        return line_of(self.text, (*self.prefix.split(".")[:-1], *keys))


def read_file(path: str, files: FileSystem) -> Layer | None:
    """What a file says, None if it is one for many tools and says nothing to us.

    In `pyproject.toml`, and where there is a table `tool`, it stands in the table `tool.jaxlint`;
    elsewhere at the top. Raises SettingsError.
    """
    import tomllib

    try:
        text = files.read(path).decode()
        content = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"{path}: {reason(error)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    name = os.path.basename(path)
    base = os.path.dirname(os.path.abspath(path))
    if name in OWN_SETTINGS or (name != "pyproject.toml" and "tool" not in content):
        return _layer(content, Layer({}, base, path, "", text))
    tool = content.get("tool")
    table = tool.get("jaxlint") if isinstance(tool, Mapping) else None
    if table is None:
        return None
    within = Layer({}, base, path, "tool.jaxlint.", text)
    if not isinstance(table, Mapping):
        where = within.place()
        raise SettingsError(f"{where}: tool.jaxlint must be a table, not {named(table)}")
    return _layer(table, within)


def within_project(layer: Layer, value: str, name: str) -> str:
    """The path that is the value of a key, relative to the file that it stands in.

    Whoever changes a file of a project cannot have others read and written with it: raises
    SettingsError for a path that leads out of the project. What the user says may lead anywhere.
    """
    path = os.path.join(layer.base, os.path.expanduser(value))
    if not layer.path:
        return path
    project = project_around(layer.path)
    if is_below(os.path.normcase(os.path.realpath(path)), os.path.normcase(project)):
        return path
    option = BY_NAME[name].option
    instead = f"; say it with {option}" if option else ""
    raise SettingsError(
        f"{layer.named(name)}: {value!r} leads out of the project, {project}{instead}"
    )


def read_inline(text: str) -> Layer:
    """What a `--config` says that is no file but TOML. Raises SettingsError."""
    import tomllib

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"--config: {text!r} is no file that exists, nor TOML such as"
        raise SettingsError(f"{message} 'min-confidence = \"high\"': {error}") from error
    if "extend" in content:
        raise SettingsError("--config: `extend` is for files")
    return _layer(content, Layer({}, os.getcwd(), text=text))


def read_table(table: Mapping[str, Any], base: str, source: str) -> Layer:
    """What a table says that comes from elsewhere than a file; messages name the source. Raises
    SettingsError."""
    if "extend" in table:
        raise SettingsError(f"{source}: `extend` is for files")
    return _layer(table, Layer({}, base, source=source))


def of_options(given: Mapping[str, tuple[str, Any]]) -> Layer:
    """What options say: by key, the name of the option and its value. Raises SettingsError."""
    options = {key: option for key, (option, _) in given.items()}
    layer = Layer({}, os.getcwd(), options=options)
    for key, (option, value) in given.items():
        for _, words in BY_NAME[key].kind.problems(value):
            raise SettingsError(f"{option} {words}")
    return Layer({key: value for key, (_, value) in given.items()}, layer.base, options=options)


def _layer(table: Mapping[str, Any], within: Layer) -> Layer:
    """The layer of a table. Raises SettingsError with everything that is wrong."""
    values = dict(_values(table))
    wrong = [*_strays(table), *_wrong(values)]
    if wrong:
        placed = [(within.place(*keys), words) for keys, words in wrong]
        lines = [_sentence(within, keys, words) for keys, words in wrong]
        both = sorted(zip(placed, lines, strict=True), key=lambda it: _number(it[0][0]))
        raise SettingsError("\n".join(f"{place}: {line}" for (place, _), line in both))
    return replace(within, values=values)


def _number(place: str) -> int:
    number = place.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _sentence(within: Layer, keys: tuple[str, ...], words: str) -> str:
    name = within.prefix + ".".join(
        key if key.isidentifier() or _is_bare(key) else repr(key) for key in keys
    )
    return words.replace("%", name, 1) if "%" in words else f"{name} {words}"


def _is_bare(key: str) -> bool:
    return key.replace("-", "").isalnum()


def _values(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values of the keys that there are, by name."""
    for key in KEYS:
        value: Any = table
        for part in key.parts:
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None:
            yield key.name, value


def _wrong(values: Mapping[str, Any]) -> Iterator[Problem]:
    for name, value in values.items():
        key = BY_NAME[name]
        for keys, words in key.kind.problems(value):
            yield (*key.parts, *keys), words


def _strays(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[Problem]:
    """The keys that there are not."""
    known = {key.parts[len(above)]: key for key in KEYS if key.parts[: len(above)] == above}
    for name, value in table.items():
        if name not in known:
            yield (*above, name), f"unknown key %{_hint(name, above, known)}"
        elif not above and name in _TABLES:
            if isinstance(value, Mapping):
                yield from _strays(value, (name,))
            else:
                yield (name,), f"must be a table, not {named(value)}"


def _hint(name: str, above: tuple[str, ...], known: Mapping[str, Key]) -> str:
    """What may have been meant by a key that there is not."""
    spelled = name.replace("_", "-").lower()
    close = nearest(spelled, known) or nearest(spelled, BY_NAME)
    elsewhere = [key.name for key in KEYS if key.parts[-1] == spelled and key.name not in known]
    if elsewhere and close != spelled:
        close = f"{'.'.join(above)}.{spelled}" if above else elsewhere[0]
    return suggestion(close) or f" (known are {', '.join(known)})"

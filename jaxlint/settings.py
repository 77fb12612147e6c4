"""What a user may configure, and the `[tool.jaxlint]` table it is read from."""

from __future__ import annotations

import math
import os
import re
from typing import Any, Literal

from jaxlint.base.errors import SettingsError
from jaxlint.base.finding import Confidence
from jaxlint.base.slotted import slotted
from jaxlint.project.files import DISK, FileSystem

_VERSION = re.compile(r"\d+(\.\d+)*")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


@slotted(frozen=True)
class Selection:
    """Which rules to run, in code prefixes and rule names, and where the user said so.

    `select` replaces what was selected before, None keeps it. `extend_select` adds to it and
    `ignore` takes away; the more specific of two selectors wins.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    origin: str = ""


@slotted(frozen=True)
class VerifySettings:
    """How `--verify` works, from the table `[tool.jaxlint.verify]`.

    `python` is the interpreter that runs the code, `arguments` pairs "package.module:function"
    with the source of a call's arguments, `timeout` is in seconds a call, `memory` in GiB, and
    `evidence` the form in which whole programs are shown.
    """

    python: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    timeout: float = 10.0
    memory: float = 6.0
    evidence: Literal["", "jaxpr", "stablehlo"] = ""


_DEFAULTS = VerifySettings()
KEYS = (
    "exclude",
    "extend-select",
    "framework-methods",
    "ignore",
    "min-confidence",
    "select",
    "src",
    "target-jax",
    "transforms",
    "verify",
)


@slotted(frozen=True)
class Settings:
    """Everything that decides which findings a file gets, and which files are checked.

    `selections` apply in order, later ones on top. `noqa` says which suppression comments are
    honoured: "all", those for a whole "file" only, or "none". Patterns of `exclude` are
    relative to `base`.

    `min_confidence` is the least confidence of what is reported. `transforms` pairs functions of
    packages that jaxlint cannot see into with the transform that each stands for. `src` are
    directories, relative to `base`, that absolute imports start from, before those of convention.
    `framework_methods` asks for the methods of framework modules that no visible entry reaches.
    """

    selections: tuple[Selection, ...] = ()
    noqa: Literal["all", "file", "none"] = "all"
    exclude: tuple[str, ...] = ()
    base: str = ""
    target_jax: str | None = None
    verify: VerifySettings = _DEFAULTS
    min_confidence: Confidence = Confidence.MEDIUM
    transforms: tuple[tuple[str, str], ...] = ()
    src: tuple[str, ...] = ()
    framework_methods: bool = False

    @property
    def names_rules(self) -> bool:
        """Whether any rule is selected or ignored, so that the defaults are not all."""
        layers = self.selections
        return any(it.select is not None or it.ignore or it.extend_select for it in layers)


class Configuration:
    """Finds the settings for a directory and remembers them.

    They stand in the nearest `pyproject.toml` with a `[tool.jaxlint]` table at or above the
    directory, or, if a file is given, in that file alone.
    """

    def __init__(self, file: str | None = None, files: FileSystem = DISK) -> None:
        self._files = files
        self._fixed = None if file is None else read_settings(file, files)
        self._near: dict[str, Settings] = {}

    def near(self, directory: str) -> Settings:
        """The settings for files in a directory. Raises SettingsError."""
        if self._fixed is not None:
            return self._fixed
        directory = os.path.abspath(directory)
        if directory not in self._near:
            self._near[directory] = self._find(directory)
        return self._near[directory]

    def _find(self, directory: str) -> Settings:
        path = os.path.join(directory, "pyproject.toml")
        if self._is_file(path) and (table := _table(path, self._files)) is not None:
            return _settings(table, path)
        parent = os.path.dirname(directory)
        return Settings() if parent == directory else self.near(parent)

    def _is_file(self, path: str) -> bool:
        try:
            return self._files.kind(path) == "file"
        except OSError:
            return False


def read_settings(path: str, files: FileSystem = DISK) -> Settings:
    """The settings of one TOML file; those of a file without our table are the defaults.

    Raises SettingsError, which names file and key.
    """
    return _settings(_table(path, files) or {}, path)


def _table(path: str, files: FileSystem) -> dict[str, Any] | None:
    import tomllib

    try:
        tool = tomllib.loads(files.read(path).decode()).get("tool", {})
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    table = tool.get("jaxlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{path}: tool.jaxlint must be a table")
    return table


def _settings(table: dict[str, Any], path: str) -> Settings:
    _refuse_unknown(table, KEYS, "tool.jaxlint", path)
    select = _strings(table, "select", path)
    selection = Selection(
        select,
        _strings(table, "ignore", path) or (),
        _strings(table, "extend-select", path) or (),
        origin=f"{path}: tool.jaxlint",
    )
    target = table.get("target-jax")
    if target is not None and not (isinstance(target, str) and _VERSION.fullmatch(target)):
        raise SettingsError(f'{path}: tool.jaxlint.target-jax must be a version such as "0.4.30"')
    return Settings(
        selections=(selection,),
        exclude=_strings(table, "exclude", path) or (),
        base=os.path.dirname(os.path.abspath(path)),
        target_jax=target,
        verify=_verify_settings(table.get("verify", {}), path),
        min_confidence=_confidence(table.get("min-confidence", Confidence.MEDIUM), path),
        transforms=_transforms(table.get("transforms", {}), path),
        src=_strings(table, "src", path) or (),
        framework_methods=_flag(table, "framework-methods", path),
    )


def _confidence(value: Any, path: str) -> Confidence:
    try:
        return Confidence(value)
    except ValueError:
        names = ", ".join(f'"{one}"' for one in Confidence)
        message = f"{path}: tool.jaxlint.min-confidence must be one of {names}"
        raise SettingsError(message) from None


def _transforms(table: Any, path: str) -> tuple[tuple[str, str], ...]:
    """Pairs of a dotted name and the canonical name of the transform that it stands for."""
    where = f"{path}: tool.jaxlint.transforms"
    if table == {}:
        return ()
    # The tables are much of jaxlint's start-up time.
    from jaxlint.knowledge import lookup

    pairs = []
    for name, target in sorted(_dotted(table).items()):
        if not isinstance(target, str):
            raise SettingsError(f'{where} must be a table such as {{"mylib.compile" = "jax.jit"}}')
        if not _DOTTED.fullmatch(name):
            raise SettingsError(f'{where}: {name!r} is not a dotted name such as "mylib.compile"')
        meant = lookup.canonical(target)
        if not _is_transform(meant):
            raise SettingsError(f"{where}: {name} = {target!r}: {_no_transform(target)}")
        pairs.append((name, meant))
    return tuple(pairs)


def _is_transform(dotted: str) -> bool:
    from jaxlint.knowledge import lookup
    from jaxlint.knowledge.transforms import OPERATORS

    wraps = lookup.wrapper(dotted) is not None or lookup.is_opaque_wrapper(dotted)
    return wraps or dotted in OPERATORS


def _dotted(table: Any, prefix: str = "") -> dict[str, Any]:
    """A table by dotted names: without quotes, TOML reads `mylib.compile` as a table in a table."""
    if not isinstance(table, dict):
        return {prefix: table}
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= _dotted(value, f"{prefix}.{key}" if prefix else key)
    return found


def _no_transform(target: str) -> str:
    """The complaint about a transform that jaxlint does not know."""
    from jaxlint.knowledge.transforms import OPERATORS, WRAPPERS

    known = sorted({*WRAPPERS, *OPERATORS})
    from difflib import get_close_matches

    close = get_close_matches(target, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    names = ", ".join(name for name in known if name.startswith("jax."))
    return f"no transform of this name is known (known are {names} and those of models){hint}"


def _flag(table: dict[str, Any], key: str, path: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise SettingsError(f"{path}: tool.jaxlint.{key} must be true or false")
    return value


def _verify_settings(table: Any, path: str) -> VerifySettings:
    where = f"{path}: tool.jaxlint.verify"
    if not isinstance(table, dict):
        raise SettingsError(f"{where} must be a table")
    known = ("arguments", "evidence", "memory", "python", "timeout")
    _refuse_unknown(table, known, "tool.jaxlint.verify", path)
    python, arguments = table.get("python", ""), table.get("arguments", {})
    evidence: Any = table.get("evidence", "")
    if not isinstance(python, str):
        raise SettingsError(f"{where}.python must be the path of an interpreter")
    if os.path.dirname(python):
        python = os.path.join(os.path.dirname(os.path.abspath(path)), os.path.expanduser(python))
    if not isinstance(arguments, dict) or not all(isinstance(it, str) for it in arguments.values()):
        raise SettingsError(f'{where}.arguments must be a table such as {{"pkg.mod:f" = "f32[8]"}}')
    if evidence not in ("", "jaxpr", "stablehlo"):
        raise SettingsError(f'{where}.evidence must be "jaxpr" or "stablehlo"')
    return VerifySettings(
        python,
        tuple(arguments.items()),
        _positive(table, "timeout", _DEFAULTS.timeout, where),
        _positive(table, "memory", _DEFAULTS.memory, where),
        evidence,
    )


def _refuse_unknown(table: dict[str, Any], known: tuple[str, ...], prefix: str, path: str) -> None:
    for key in table:
        if key not in known:
            names = ", ".join(known)
            raise SettingsError(f"{path}: unknown key {prefix}.{key} (known are {names})")


def _positive(table: dict[str, Any], key: str, default: float, where: str) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise SettingsError(f"{where}.{key} must be a positive number")
    return float(value)


def _strings(table: dict[str, Any], key: str, path: str) -> tuple[str, ...] | None:
    if key not in table:
        return None
    value = table[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingsError(f"{path}: tool.jaxlint.{key} must be a list of strings")
    return tuple(value)

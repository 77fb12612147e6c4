"""The flake8 plugin: flake8's lines go in, findings come out, flake8 selects and suppresses."""

from __future__ import annotations

import argparse
import ast
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from jaxlint import __version__
from jaxlint.base.errors import JaxlintError
from jaxlint.report.text import one_line
from jaxlint.session import Session, load_registry
from jaxlint.settings import Configuration, Selection, Settings

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

Row = tuple[int, int, str, type]


class Plugin:
    """Reports what `jaxlint check` reports on the same file.

    The settings are those of the nearest `pyproject.toml`. On top of them, flake8's own
    `--select` and `--extend-select` turn on rules that are off by default, and flake8 filters
    the outcome as it does for every plugin. `# noqa` is left to flake8, as it must be for
    `--disable-noqa` to work; of suppression comments only those for a whole file are read here.

    flake8 drops codes that do not begin with the name a plugin is registered under. A plugin of
    rules with another prefix registers a subclass with that `prefix`.
    """

    name: ClassVar[str] = "jaxlint"
    version: ClassVar[str] = __version__
    prefix: ClassVar[str] = "JAX"
    # flake8 hands options to the class, before it makes an instance for each file.
    _selection: ClassVar[Selection] = Selection()
    _noqa: ClassVar[bool] = True
    _configuration: ClassVar[Configuration] = Configuration()
    _sessions: ClassVar[dict[Settings, Session]] = {}
    # The options of the run, and the files that it checks once they are known.
    _options: ClassVar[argparse.Namespace | None] = None
    _asked: ClassVar[tuple[str, ...] | None] = None

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        self._lines = lines
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Has flake8 ignore, by default, what is off by default and not turned on by the
        configuration of the current directory.
        """
        registry = load_registry()
        try:
            active = registry.resolve(Configuration().near(os.curdir).selections)
        except JaxlintError as error:
            raise _stop(error) from error
        manager.extend_default_ignore(
            [rule.code for rule in registry.rules if not rule.default and rule.code not in active]
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Takes over what flake8 was told to select."""
        registry = load_registry()
        chosen = [*(options.select or ()), *(options.extend_select or ())]
        cls._selection = Selection(extend_select=tuple(filter(registry.selects, chosen)))
        cls._noqa = not options.disable_noqa
        cls._configuration = Configuration()
        cls._sessions = {}
        cls._options, cls._asked = options, None

    def run(self) -> Iterator[Row]:
        """Line from 1, column from 0, code and message, and the plugin's type."""
        session = self._session()
        for finding in session.check_source(self._source(), self._filename).findings:
            if finding.code.startswith(self.prefix):
                text = f"{finding.code} {one_line(finding.message)}"
                yield finding.line, finding.column - 1, text, type(self)

    def _session(self) -> Session:
        settings = self._configuration.near(os.path.dirname(self._filename))
        session = self._sessions.get(settings)
        if session is None:
            layered = replace(
                settings,
                selections=(*settings.selections, self._selection),
                noqa="file" if self._noqa else "none",
            )
            session = self._sessions[settings] = Session(layered)
            session.ask(self._checked())
        return session

    @classmethod
    def _checked(cls) -> tuple[str, ...]:
        """The files of this run: a finding is shown in one of them."""
        if cls._asked is None:
            cls._asked = () if cls._options is None else tuple(_expanded(cls._options))
        return cls._asked

    def _source(self) -> str | bytes:
        """The text that flake8 read or, where it took bytes that it could not decode for
        Latin-1, those bytes: then they are reported as the command reports them.
        """
        text = "".join(self._lines)
        if text.isascii():
            return text
        try:
            with open(self._filename, "rb") as stream:
                data = stream.read()
        except OSError:
            return text
        newlines = io.IncrementalNewlineDecoder(None, translate=True)
        return data if newlines.decode(data.decode("latin-1"), final=True) == text else text


def _expanded(options: argparse.Namespace) -> Iterator[str]:
    """The files that flake8 finds behind its arguments."""
    from flake8.discover_files import expand_paths

    given = [path for path in options.filenames if path != "-"]
    if not given and options.filenames:
        return iter(())
    found: Iterator[str] = expand_paths(
        paths=given,
        stdin_display_name=options.stdin_display_name,
        filename_patterns=options.filename,
        exclude=(*options.exclude, *options.extend_exclude),
    )
    return found


def _stop(error: JaxlintError) -> Exception:
    """An exception that flake8 prints as a message and not as a traceback."""
    # flake8 is there, because it is running this; without it, the module still imports.
    from flake8.exceptions import ExecutionError

    stop: Exception = ExecutionError(f"jaxlint: {error}")
    return stop

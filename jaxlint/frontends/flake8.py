"""The flake8 plugin: flake8's lines go in, findings come out, flake8 selects and suppresses.

flake8 starts this for every file in every editor, so the analysis is imported only by a run in
which it can find something.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from jaxlint.base.errors import JaxlintError
from jaxlint.base.printable import lines
from jaxlint.base.reading import read_file
from jaxlint.base.runtime.import_path import Restricted
from jaxlint.base.version import version
from jaxlint.cache.folder import Folder, default_directory
from jaxlint.cache.runs import replay
from jaxlint.project.mentions import Mentions, names_library_in
from jaxlint.project.plugins import plugin_files

if TYPE_CHECKING:
    import argparse
    import ast

    from jaxlint.frontends.findings import Findings, Row

_STDIN = "-"
# Names the file in which a process finds what its parent has found.
_HANDED = "JAXLINT_FLAKE8_FOUND"


class Plugin:
    """Reports what `jaxlint check` reports on the same file.

    The settings are those of the nearest settings file. On top of them, flake8's own
    `--select` and `--extend-select` turn on rules that are off by default, and flake8 filters
    the outcome as it does for every plugin. `# noqa` is left to flake8, as it must be for
    `--disable-noqa` to work; of suppression comments only those for a whole file are read here.

    flake8 drops codes that do not begin with the name a plugin is registered under. A plugin of
    rules with another prefix registers a subclass with that `prefix`.
    """

    name: ClassVar[str] = "jaxlint"
    version: ClassVar[str] = version
    prefix: ClassVar[str] = "JAX"
    # flake8 hands options to the class, before it makes an instance for each file.
    _run: ClassVar[Run | None] = None

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        self._lines = lines
        self._filename = filename

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Takes over what flake8 was told, and finds out what its processes would each have to
        find out again."""
        run = Plugin._run
        if run is None or run.options is not options:
            run = Plugin._run = Run(options)
        try:
            with Restricted():
                run.prepare(is_wanted(cls.prefix, options))
        except JaxlintError as error:
            raise _stop(error) from error

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """Line from 1, column from 0, code and message, and the plugin's type."""
        run = Plugin._run or Run(None)
        if run.options is not None and not is_wanted(self.prefix, run.options):
            return
        with Restricted():
            rows = run.rows(self._filename, "".join(self._lines))
        for line, column, code, message in rows:
            if code.startswith(self.prefix):
                yield line, column, f"{code} {message}", type(self)


class Run:
    """What one run of flake8 asks for, and what is known about its files."""

    def __init__(self, options: argparse.Namespace | None) -> None:
        self.options = options
        self._mentions = Mentions()
        self._asked: tuple[str, ...] | None = None
        self._nothing: dict[str, bool] = {}
        self._foreseen: dict[str, list[Row]] = {}
        self._findings: Findings | None = None

    def prepare(self, is_wanted: bool) -> None:
        """Finds out now what is to be reported, once for all processes that flake8 starts.

        Raises SettingsError where the settings of the current directory are wrong.
        """
        if multiprocessing.parent_process() is not None:
            self._foreseen = handed_down()
            return
        options = self.options
        # Without a name, a program that uses flake8 may name the files later.
        files = self._files() if options and (options.filenames or _is_command()) else ()
        if is_wanted and files:
            known = replay(Folder(default_directory()), self._key())
            if known is not None:
                self._foreseen = _believed("".join(text for _, text in known[0]))
        if not self._foreseen:
            self._judge()
            if is_wanted and files and not self._is_nothing():
                self._foreseen = self._found().all_rows(self._key())
        if self._foreseen and multiprocessing.get_start_method() != "fork":
            hand_down(self._foreseen)

    def _judge(self) -> None:
        if self._mentions.is_configured(os.curdir):
            from jaxlint.frontends.findings import judge

            judge(os.curdir)

    def rows(self, filename: str, text: str) -> Sequence[Row]:
        """What is to be reported on a file that flake8 has read."""
        known = self._foreseen.get(filename)
        if known is not None:
            return known
        if filename in self._files():
            # What is wrong with bytes that are no text, jaxlint says of every file.
            if self._is_nothing() and (text.isascii() or _is_utf8(filename)):
                return ()
        elif self._is_nothing(filename) and not names_library_in(text.encode(errors="replace")):
            return ()
        return self._found().rows(filename, text)

    def _key(self) -> list[str]:
        """What tells this run from others, as far as it matters here."""
        chosen = self.options
        words = [] if chosen is None else [chosen.select, chosen.extend_select, chosen.disable_noqa]
        return ["flake8", *map(str, words), *self._files()]

    def _files(self) -> tuple[str, ...]:
        """The files of this run: a finding is shown in one of them."""
        if self._asked is None:
            self._asked = () if self.options is None else tuple(_expanded(self.options))
        return self._asked

    def _is_nothing(self, filename: str = "") -> bool:
        """Whether nothing can be found in the files of this run, and one beside them."""
        directory = os.path.dirname(filename) or os.curdir if filename else ""
        if directory not in self._nothing:
            paths = (*self._files(), os.path.join(directory, "_.py")) if filename else self._files()
            # The models of plugins may make other libraries matter.
            self._nothing[directory] = self._mentions.none_in(paths) and not plugin_files()
        return self._nothing[directory]

    def _found(self) -> Findings:
        if self._findings is None:
            from jaxlint.frontends.findings import Findings

            self._findings = Findings(self.options, self._files())
        return self._findings


def is_wanted(prefix: str, options: argparse.Namespace) -> bool:
    """Whether flake8 shows any code that begins like this."""
    chosen = (*(options.select or ()), *(options.extend_select or ()))
    if any(word.startswith(prefix) or prefix.startswith(word) for word in chosen):
        return True
    ignored = (*(options.ignore or ()), *(options.extend_ignore or ()))
    return not options.select and not any(prefix.startswith(word) for word in ignored)


def _is_command() -> bool:
    """Whether flake8 runs as a command, which checks the current directory if no file is named."""
    directory, name = os.path.split(sys.argv[0])
    name = os.path.basename(directory) if name == "__main__.py" else name
    return name.partition(".")[0] == "flake8"


def _is_utf8(filename: str) -> bool:
    try:
        read_file(filename).decode()
    except (OSError, UnicodeDecodeError):
        return False
    return True


def hand_down(foreseen: dict[str, list[Row]]) -> str:
    """Leaves what was found for processes that inherit nothing but the environment, in a file."""
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix="jaxlint-", suffix=".json")
    atexit.register(_remove, path)
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write(f"{os.getpid()}\n{json.dumps(foreseen)}")
    os.environ[_HANDED] = path
    return path


def handed_down() -> dict[str, list[Row]]:
    """What the process that started this one has left for it."""
    parent, path = multiprocessing.parent_process(), os.environ.get(_HANDED)
    if parent is None or path is None:
        return {}
    try:
        with open(path, encoding="utf-8") as stream:
            handed = stream.read()
    except (OSError, ValueError):
        return {}
    process, _, rows = handed.partition("\n")
    return _believed(rows) if process == str(parent.pid) else {}


def _believed(kept: str) -> dict[str, list[Row]]:
    """The rows of each file, nothing where somebody else wrote what was kept."""
    try:
        return {
            path: [
                (int(line), int(column), str(code), str(text)) for line, column, code, text in rows
            ]
            for path, rows in json.loads(kept).items()
        }
    except (AttributeError, RecursionError, TypeError, ValueError):
        return {}


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _expanded(options: argparse.Namespace) -> Iterator[str]:
    """The files that flake8 finds behind its arguments."""
    from flake8.discover_files import expand_paths

    given = [path for path in options.filenames if path != _STDIN]
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

    stop: Exception = ExecutionError(f"jaxlint: {lines(str(error))}")
    return stop

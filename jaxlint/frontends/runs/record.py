"""`jaxlint record`: runs the user's command and observes what it traces."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import JaxlintError, reason
from jaxlint.base.finding import Finding
from jaxlint.base.printable import lines, one_line
from jaxlint.base.text import SourceText
from jaxlint.frontends.runs.options import standard_streams
from jaxlint.project.discovery import discover
from jaxlint.project.file_systems.files import DISK
from jaxlint.project.ignore import Exclude, excluded
from jaxlint.session.session import Session, load_registry
from jaxlint.settings import Configuration, Settings
from jaxlint.verify import child, plan, store
from jaxlint.verify.protocol import Config, Target, dump

PLAN = "JAXLINT_RECORDING"
_INTERPRETER = re.compile(r"(python|pypy)[\d.]*(\.exe)?")
_CANNOT_START = 127
_STARTUP = os.path.join(os.path.dirname(child.__file__), "startup")


class RecordError(JaxlintError):
    """A command that cannot be recorded."""


@slotted(frozen=True)
class Options:
    """What the command line says: the command, the code to lint, the interpreter to use, and where
    settings are.

    Without code to lint it is the current directory, and the script that is run. A script from
    elsewhere stands for itself.
    """

    command: tuple[str, ...]
    lint: tuple[str, ...] = ()
    python: str = ""
    configuration: Configuration = field(default_factory=Configuration)

    @property
    def script(self) -> str:
        """The script that the command runs, empty if it is another program."""
        first, *rest = self.command
        if not first.endswith(".py") and is_python(first):
            first = rest[0] if rest else ""
        return first if first.endswith(".py") else ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The code to lint."""
        if self.lint or not os.path.isfile(self.script):
            return self.lint or (os.curdir,)
        outside = os.path.relpath(self.script).startswith(os.pardir + os.sep)
        return (self.script,) if outside else (os.curdir, self.script)


@slotted(frozen=True)
class Plan:
    """What recorded processes are told: the targets, and where to store what they see."""

    folder: str
    targets: tuple[Target, ...]
    config: Config
    digests: Mapping[str, str]

    def write(self, path: str) -> None:
        """Writes the plan for the processes to read."""
        head = json.dumps({"folder": self.folder, "digests": dict(self.digests)})
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("\n".join([head, dump(self.config), *map(dump, self.targets)]))


def record(options: Options) -> int:
    """Runs the command under observation and returns its exit code. Raises RecordError."""
    refuse_without_tracing(os.environ)
    err = standard_streams().err
    made = make_plan(options.paths, options.configuration)
    with tempfile.TemporaryDirectory(prefix="jaxlint-") as folder:
        path = os.path.join(folder, "plan")
        made.write(path)
        code = _run(options, path)
    found = store.read(made.folder)
    seen = {target.id for target in made.targets if found.observations([target])}
    for problem in found.defects:
        err.write(f"jaxlint: warning: while recording: {one_line(str(problem))}\n")
    err.write(
        f"jaxlint: {len(seen)} of {len(made.targets)} findings were observed, "
        f"{len({(it.file, it.line) for it in found.recorded})} functions were traced\n"
    )
    store.compact(made.folder)
    return code


def refuse_without_tracing(environment: Mapping[str, str]) -> None:
    """Raises RecordError where JAX traces nothing."""
    value = environment.get("JAX_DISABLE_JIT", "0").lower()
    if value not in ("", "0", "false", "off", "no"):
        raise RecordError("nothing is traced under JAX_DISABLE_JIT: unset it to record")


def make_plan(paths: Sequence[str], configuration: Configuration | None = None) -> Plan:
    """Lints the paths, with the settings of files unless others are given: the findings are what to
    observe."""
    configuration = configuration or Configuration()
    registry = load_registry()
    sessions: dict[Settings, Session] = {}

    def exclude(path: str) -> Exclude:
        directory = path if os.path.isdir(path) else os.path.dirname(path)
        settings = configuration.near(directory)
        return excluded(settings.exclude)

    respects = configuration.near(os.curdir).run.respect_gitignore
    found = discover(paths, DISK, exclude=exclude, respect_gitignore=respects)
    files = [os.path.abspath(path) for path in found.files]
    findings: list[Finding] = []
    sources: dict[str, SourceText] = {}
    for path in files:
        settings = configuration.near(os.path.dirname(path))
        session = sessions.get(settings) or sessions.setdefault(settings, Session(settings))
        report = session.check(path)
        findings += report.findings
        if report.source is not None:
            sources[path] = report.source

    def source_of(filename: str) -> SourceText:
        return sources[filename]

    targets = tuple(plan.targets(findings, registry, source_of))
    return Plan(
        store.directory(_root(files)),
        targets,
        Config(roots=plan.roots(files), paths=plan.paths(files)),
        _digests(target.file for target in targets),
    )


def _root(files: Sequence[str]) -> str:
    """The project that holds the recordings."""
    roots = plan.roots(files[:1])
    return roots[-1] if roots else os.curdir


def _digests(files: Iterable[str]) -> dict[str, str]:
    return {file: store.digest(file) for file in dict.fromkeys(map(os.path.realpath, files))}


def _run(options: Options, path: str) -> int:
    command = _command(options)
    environment = {**os.environ, PLAN: path}
    folders = [_STARTUP, os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(folder for folder in folders if folder)
    if options.python:
        where = os.path.dirname(os.path.abspath(options.python))
        environment["PATH"] = os.pathsep.join([where, environment.get("PATH", os.defpath)])
        command[0] = shutil.which(command[0], path=environment["PATH"]) or command[0]
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise RecordError(f"cannot run {command[0]}: {reason(error)}") from error
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            # The command is told too, and decides when to end.
            continue
        return 128 - code if code < 0 else code


def _command(options: Options) -> list[str]:
    """The command, with the launcher between an interpreter and a script."""
    launcher = os.path.join(_STARTUP, "script.py")
    if not options.script:
        return list(options.command)
    if options.command[0] == options.script:
        return [options.python or sys.executable, launcher, *options.command]
    python, *rest = options.command
    return [python, launcher, *rest]


def is_python(command: str) -> bool:
    """Whether a command starts a Python interpreter."""
    return _INTERPRETER.fullmatch(os.path.basename(command)) is not None


def main(arguments: Sequence[str]) -> int:
    """Writes a plan to the first argument, for the code that the others name."""
    try:
        make_plan(arguments[1:]).write(arguments[0])
    except JaxlintError as error:
        sys.stderr.write(f"{lines(str(error))}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

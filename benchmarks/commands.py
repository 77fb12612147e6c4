"""The commands that are measured: the parser alone, jaxlint, and flake8 with and without it.

jaxlint is that of this checkout, and its modules are compiled before, as those of an installed
package are.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path

from benchmarks.measure import Command, Cost

ROOT = Path(__file__).resolve().parent.parent
CHILD = Path(__file__).with_name("child.py")
JAXLINT = ("-m", "jaxlint")
_PLUGINS = "flake8.extension"


def python(*arguments: str | Path, given: str = "", folder: Path | None = None) -> Command:
    """This Python with these arguments, and this checkout's jaxlint."""
    where = None if folder is None else os.fspath(folder)
    program = (sys.executable, *map(str, arguments))
    return Command(program, surroundings(bytecode()), where, given)


def child(
    mode: str, *arguments: str | Path, given: str = "", folder: Path | None = None
) -> Command:
    """One of the measurements that are no plain command."""
    return python(CHILD, mode, *arguments, given=given, folder=folder)


def parsing(files: Sequence[str]) -> Command:
    """A process that parses files and prints what that took."""
    return child("parse", given="\n".join(files))


def parser(files: Sequence[str]) -> Cost:
    """What reading the files and `libcst.parse_module` take; the process around it is not
    charged, but for its peak."""
    cost = parsing(files).run()
    found = json.loads(cost.output)
    return replace(cost, cpu=found["cpu"], wall=found["wall"])


def checking(*paths: str | Path, jobs: int = 1, cached: bool = False) -> tuple[str, ...]:
    """The arguments of jaxlint's command for a check: of modules, which is what the parser reads,
    and without a cache, unless `cached`."""
    options = ["--quiet", "--exit-zero", "--output-format", "concise", "-j", str(jobs)]
    options += ["--exclude", "*.ipynb"]
    if not cached and offers("--no-cache"):
        options.append("--no-cache")
    return ("check", *options, *map(str, paths))


def check(
    *paths: str | Path, jobs: int = 1, cached: bool = False, folder: Path | None = None
) -> Command:
    """`jaxlint check` of these paths."""
    return python(*JAXLINT, *checking(*paths, jobs=jobs, cached=cached), folder=folder)


@cache
def offers(option: str) -> bool:
    """Whether `jaxlint check` has an option."""
    return f"{option} " in python(*JAXLINT, "check", "--help").run().output.replace(",", " ")


@cache
def has_command(name: str) -> bool:
    """Whether jaxlint has a subcommand."""
    listed = python(*JAXLINT, "--help").run().output.partition("Commands:")[2]
    return name in {line.split()[0] for line in listed.splitlines() if line.strip()}


@cache
def bytecode() -> str:
    """A directory for compiled modules, filled by one run and removed at the end."""
    directory = scratch()
    environment = surroundings(directory)
    quiet = ("check", "--quiet", "--exit-zero")
    for arguments in ((*JAXLINT, *quiet, _hazard()), ("-c", "import libcst, json, re, sqlite3")):
        Command((sys.executable, *arguments), environment, scratch()).run()
    return directory


@cache
def _hazard() -> str:
    """A file in which something is found."""
    source = Path(scratch(), "hazard.py")
    source.write_text("import jax\n\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n")
    return os.fspath(source)


def scratch() -> str:
    """A new directory, removed at the end."""
    directory = os.path.realpath(tempfile.mkdtemp(prefix="jaxlint-benchmark-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def surroundings(compiled: str, *paths: str) -> dict[str, str]:
    """The environment of what is measured: this checkout, with its modules compiled there."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = dict.fromkeys(filter(None, [os.fspath(ROOT), *paths, *given]))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def flake8(files: Sequence[str], plugin: bool, folder: str | None = None) -> Command:
    """flake8 with its default checks, and with jaxlint's plugin or without, in a directory: the
    plugin finds there what it found before. A new one unless given.

    The two differ in nothing but whether the plugin is registered: the same packages are there.
    """
    _compile(plugin)
    return _flake8(files, plugin, folder or scratch())


def _flake8(files: Sequence[str], plugin: bool, folder: str) -> Command:
    environment = surroundings(bytecode(), packages(plugin))
    arguments = ("-S", "-m", "flake8", "--isolated", "--exit-zero")
    return Command((sys.executable, *arguments, *files), environment, folder)


@cache
def _compile(plugin: bool) -> None:
    """Has what flake8 imports compiled, by one run."""
    _flake8([_hazard()], plugin, scratch()).run()


@cache
def packages(plugin: bool) -> str:
    """A directory with links to what is installed, where of all plugins of flake8 jaxlint's alone
    is registered, or none."""
    directory = scratch()
    others = {
        _stem(one.metadata["Name"])
        for one in metadata.distributions()
        if any(point.group == _PLUGINS for point in one.entry_points)
    } - {"flake8"}
    for site in dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")):
        for entry in os.scandir(site):
            name, _, kind = entry.name.rpartition(".")
            if kind != "dist-info" or _stem(name.partition("-")[0]) not in others:
                Path(directory, entry.name).symlink_to(entry.path)
    if plugin:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        points = project["entry-points"][_PLUGINS].items()
        registration = Path(directory, f"flake8_jaxlint-{project['version']}.dist-info")
        registration.mkdir()
        (registration / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        )
        lines = [f"[{_PLUGINS}]", *(f"{name} = {value}" for name, value in points)]
        (registration / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return directory


def _stem(name: str) -> str:
    """A distribution's name as it stands in file names."""
    return name.lower().replace("-", "_").replace(".", "_")


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def version(distribution: str) -> str:
    """The version of what is installed, empty where it is not."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""

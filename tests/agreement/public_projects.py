"""Projects whose own tests JAX judges: where they come from, how they are installed, what is run.

Usage: python tests/agreement/public_projects.py DIRECTORY [--environment PATH] [--copies PATH]
       [--install] [--run] [NAME ...]

Clones each project at its commit into DIRECTORY/checkouts/NAME. The copies are a folder of local
clones, by name of project or by repository, used in place of the public address. `--install`
creates the shared environment and installs what the projects need, `--run` runs the chosen tests
without any observation and prints the seconds of processor time.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import Any

PROJECTS = Path(__file__).with_name("projects.toml")
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PUBLIC = "https://github.com/{}"
KINDS = {
    *("library", "application", "small", "large", "plain"),
    *("linen", "nnx", "equinox", "haiku", "numpyro", "pallas"),
}
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
COMMIT = re.compile(r"[0-9a-f]{40}")
VARIABLES = {
    "JAX_PLATFORMS": "cpu",
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "MPLBACKEND": "agg",
}
"""Environment variables under which every project runs: XLA compiles quickly, for a CPU."""
PYTEST = (
    *("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="),
    *("--continue-on-collection-errors", "-W", "ignore"),
)
"""Arguments of pytest in every project: in one process, without the options of its settings."""


class ProjectError(ValueError):
    """A table of the file of projects is not as its reader wants it."""


@dataclass(frozen=True, slots=True)
class Project:
    """A public repository at a commit, with the part of its tests that runs on a CPU in minutes.

    `install` are arguments of pip beside the shared requirements, `tests` arguments of pytest and
    `script` arguments of Python, both with the checkout as working directory. `roots` are the
    folders that PYTHONPATH gets, `paths` what is linted, `generated` the files that a build would
    write, with their text. `isolated` is a project with an environment of its own. `last` is the
    project that nobody looked at before the judge was finished.
    """

    name: str
    repository: str
    commit: str
    kind: tuple[str, ...]
    tests: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    roots: tuple[str, ...] = (".",)
    paths: tuple[str, ...] = (".",)
    environment: Mapping[str, str] = field(default_factory=dict)
    generated: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    isolated: bool = False
    last: bool = False

    def __post_init__(self) -> None:
        self._check(bool(REPOSITORY.fullmatch(self.repository)), "repository", "is OWNER/NAME")
        self._check(bool(COMMIT.fullmatch(self.commit)), "commit", "has 40 hexadecimal digits")
        self._check(bool(self.kind), "kind", "has at least one tag")
        self._check(set(self.kind) <= KINDS, "kind", f"has tags of {', '.join(sorted(KINDS))}")
        self._check(bool(self.tests or self.script), "tests", "has arguments unless `script` has")
        for key in ("roots", "paths", "generated"):
            inside = all(map(_is_inside, getattr(self, key)))
            self._check(inside, key, "has paths relative to the checkout")

    def _check(self, holds: bool, key: str, expected: str) -> None:
        if not holds:
            raise ProjectError(f"{self.name}: `{key}` {expected}, not {getattr(self, key)!r}")

    @property
    def url(self) -> str:
        """The public address of the repository."""
        return PUBLIC.format(self.repository)

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        """Arguments of Python for what is run: the tests, then the script."""
        tests = ("-m", "pytest", *PYTEST, *self.tests) if self.tests else ()
        return tuple(command for command in (tests, self.script) if command)

    def variables(self, checkout: Path) -> dict[str, str]:
        """The environment variables of a child process that runs the project."""
        roots = [str((checkout / root).resolve()) for root in self.roots]
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return {
            **kept,
            **VARIABLES,
            "PYTHONPATH": os.pathsep.join(dict.fromkeys([*roots, str(checkout.resolve())])),
            **self.environment,
        }


def _is_inside(path: str) -> bool:
    """Whether a path stays in the folder that it is relative to."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and ":" not in path


def read(path: Path = PROJECTS) -> dict[str, Project]:
    """The projects of a file by their names, in its order.

    Raises:
        ProjectError: The file is not TOML, or a table has an unknown key or a wrong value.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{path.name}: {error}") from error
    return {name: project(name, table) for name, table in tables.items()}


def project(name: str, table: object) -> Project:
    """The project of one table.

    Raises:
        ProjectError: The table has an unknown key, lacks one, or a value is of another type.
    """
    if not isinstance(table, dict):
        raise ProjectError(f"{name}: a project is a table, not {table!r}")
    known = {each.name: each for each in fields(Project) if each.name != "name"}
    if unknown := sorted(table.keys() - known.keys()):
        raise ProjectError(f"{name}: unknown key `{unknown[0]}`")
    if missing := sorted({"repository", "commit", "kind"} - table.keys()):
        raise ProjectError(f"{name}: no `{missing[0]}`")
    return Project(name, **{key: _value(name, key, known[key].type, table[key]) for key in table})


def _value(name: str, key: str, annotation: object, value: Any) -> Any:
    """A value of the file as the field of that annotation holds it."""
    match annotation:
        case "str" | "bool":
            expected, fits = str(annotation), type(value).__name__ == annotation
        case "tuple[str, ...]":
            expected, fits = "a list of strings", isinstance(value, list) and _are_strings(value)
            value = tuple(value) if fits else value
        case _:
            expected, fits = "a table of strings", isinstance(value, dict)
            fits = fits and _are_strings(value.values())
    if not fits:
        raise ProjectError(f"{name}: `{key}` is {expected}, not {value!r}")
    return value


def _are_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


@dataclass(frozen=True, slots=True)
class Place:
    """Where projects are checked out and installed."""

    directory: Path
    shared: Path
    copies: Path | None = None

    def checkout(self, project: Project) -> Path:
        """The folder of a project's files."""
        return self.directory / "checkouts" / project.name

    def python(self, project: Project) -> Path:
        """The interpreter that runs a project."""
        return self._environment(project) / "bin" / "python"

    def _environment(self, project: Project) -> Path:
        if project.isolated:
            return self.directory / "environments" / project.name
        return self.shared

    def clone(self, project: Project) -> Path:
        """Checks out a project at its commit, and writes the files that a build would."""
        checkout = self.checkout(project)
        if not checkout.is_dir():
            checkout.parent.mkdir(parents=True, exist_ok=True)
            source = self._source(project)
            _run("git", "clone", "--quiet", "--no-checkout", source, str(checkout))
            _check_out(checkout, project.commit)
        for name, text in project.generated.items():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text(text, encoding="utf-8")
        return checkout

    def _source(self, project: Project) -> str:
        if self.copies is not None:
            for name in (project.name, project.repository, project.repository.replace("/", "+")):
                if (self.copies / name).is_dir():
                    return str(self.copies / name)
        return project.url

    def install(self, project: Project) -> None:
        """Creates the environment of a project where there is none, and installs what it needs."""
        python = self.python(project)
        requirements = ("-r", str(REQUIREMENTS))
        if not python.exists():
            _run(sys.executable, "-m", "venv", str(self._environment(project)))
            _run(str(python), "-m", "pip", "install", "--quiet", *requirements)
        if project.install:
            pins = ("-c", str(REQUIREMENTS))
            _run(str(python), "-m", "pip", "install", "--quiet", *pins, *project.install)


def _check_out(checkout: Path, commit: str) -> None:
    """Writes the files of a commit; those whose content a partial clone lacks are left out."""
    _run("git", "-C", str(checkout), "update-ref", "--no-deref", "HEAD", commit)
    _run("git", "-C", str(checkout), "read-tree", commit)
    listed = _run("git", "-C", str(checkout), "ls-files", "--stage", "-z").split("\0")
    entries = [entry.split("\t", 1) for entry in listed if entry and entry[:6] != "160000"]
    names = "".join(f"{stage.split()[1]}\n" for stage, _ in entries)
    found = _run("git", "-C", str(checkout), "cat-file", "--batch-check", text=names)
    absent = [
        path
        for (_, path), line in zip(entries, found.splitlines(), strict=True)
        if line.endswith(" missing")
    ]
    skip = ("update-index", "-z", "--skip-worktree", "--stdin")
    _run("git", "-C", str(checkout), *skip, text="\0".join(absent))
    _run("git", "-C", str(checkout), "checkout-index", "--all", "--quiet")


def _run(*command: str, text: str | None = None) -> str:
    """The output of a command.

    Raises:
        ProjectError: The command failed.
    """
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProjectError(f"{' '.join(command[:6])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def run(project: Project, place: Place) -> int:
    """Runs what is chosen of a project and prints the time and the end of the output."""
    worst = 0
    checkout = place.checkout(project)
    for command in project.commands:
        before = _processor_seconds()
        done = subprocess.run(
            [str(place.python(project)), *command],
            cwd=checkout,
            env=project.variables(checkout),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        end = (done.stdout.strip().splitlines() or [""])[-1]
        print(f"{project.name}: {_processor_seconds() - before:.0f} s, {end}", flush=True)
        worst = max(worst, abs(done.returncode))
    return worst


def _processor_seconds() -> float:
    """The processor time of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepares projects and, where wanted, runs their tests."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--environment", type=Path, help="default: DIRECTORY/env")
    parser.add_argument("--copies", type=Path, help="a folder of local clones")
    parser.add_argument("--install", action="store_true", help="install what projects need")
    parser.add_argument("--run", action="store_true", help="run the chosen tests")
    options = parser.parse_intermixed_args(arguments)
    place = Place(
        options.directory, options.environment or options.directory / "env", options.copies
    )
    projects = read()
    worst = 0
    for name in options.names or projects:
        place.clone(projects[name])
        if options.install:
            place.install(projects[name])
        if options.run:
            worst = max(worst, run(projects[name], place))
    return worst


if __name__ == "__main__":
    sys.exit(main())

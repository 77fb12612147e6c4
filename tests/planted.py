"""Plants bugs in a copy of the engine, one at a time, and shows which test catches each.

Usage: python tests/planted.py [--list] [--jobs N] [--suite PART ...] [NAME ...]

The parts of the suite run in the order given, until one fails. The copy without a bug has to
pass them first. The exit code is 1 if that fails or a bug is caught by no part.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from planted_bugs import BUGS, Bug

ROOT = Path(__file__).parents[1]
COPIED = ("jaxlint", "tests", "fixtures", "pyproject.toml")
PYTEST = ("-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider")
# By name: the arguments of Python that run a part of the suite, in the copy's directory.
SUITE = {
    "reveal": (*PYTEST, "-m", "not jax", "tests/engine", "-k", "md"),
    "specs": (*PYTEST, "-m", "not jax", "tests/engine", "tests/rules", "jaxlint/rules"),
    "programs": ("tests/fuzz/differential.py", "--programs", "150", "--jobs", "1"),
}
ALIVE = "import sys, jaxlint, pathlib; print(jaxlint.__file__); found = [f.code for p in " + (
    "sorted(pathlib.Path('fixtures/tour').glob('*.py')) for f in jaxlint.lint(p)]; "
    "sys.exit('JAX009' in found)"
)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (?P<test>\S+)", re.MULTILINE)
_SHOWN = 2


class AnchorError(Exception):
    """The text that a bug replaces is not there, or there more than once."""


@dataclass(frozen=True)
class Outcome:
    """What one part of the suite said of a bug: the tests that failed, in order."""

    part: str
    failed: tuple[str, ...]

    def __str__(self) -> str:
        more = f", ... ({len(self.failed)})" if len(self.failed) > _SHOWN else ""
        return f"{self.part}: {', '.join(self.failed[:_SHOWN])}{more}"


def planted(bug: Bug, source: str) -> str:
    """The source of a module with the bug in it.

    Raises:
        AnchorError: the place of the edit is not certain.
    """
    count = source.count(bug.anchor)
    if count != 1:
        raise AnchorError(f"{bug.name}: its anchor occurs {count} times in {bug.file}")
    return source.replace(bug.anchor, bug.replacement)


def copy_of_project(into: Path, bug: Bug | None = None, root: Path = ROOT) -> Path:
    """A copy of what the suite needs, with a bug planted."""
    into.mkdir(parents=True, exist_ok=True)
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, into / name, ignore=ignored)
        else:
            shutil.copy(root / name, into / name)
    if bug is not None:
        module = into / "jaxlint" / bug.file
        module.write_text(planted(bug, module.read_text(encoding="utf-8")), encoding="utf-8")
    return into


def run(arguments: Iterable[str], project: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python in a copy, where `import jaxlint` finds the copy's package."""
    environment = os.environ | {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def alive(project: Path) -> bool:
    """Whether the copy still lints whole files: a bug that crashes at once proves nothing."""
    done = run(("-c", ALIVE), project)
    return done.returncode == 0 and done.stdout.strip().startswith(str(project))


def caught(project: Path, parts: Sequence[str]) -> Outcome | None:
    """The first part of the suite that fails, None when all pass."""
    for part in parts:
        done = run(SUITE[part], project)
        if done.returncode:
            found = _FAILED.findall(done.stdout)
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            return Outcome(part, tuple(found or last))
    return None


def tried(bug: Bug | None, parts: Sequence[str], root: Path = ROOT) -> Outcome | None:
    """What catches a bug in a copy that is thrown away.

    Raises:
        AnchorError: the bug cannot be planted.
        RuntimeError: the copy does not even lint.
    """
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        project = copy_of_project(Path(folder).resolve() / "project", bug, root)
        if not alive(project):
            raise RuntimeError(f"{bug.name if bug else 'the copy'}: jaxlint does not run with it")
        return caught(project, parts)


def _lines(bugs: Sequence[Bug], parts: Sequence[str], jobs: int) -> Iterator[tuple[bool, str]]:
    """Whether each bug was caught, and the line that says by what."""
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = pool.map(lambda bug: tried(bug, parts), bugs)
        for bug, outcome in zip(bugs, outcomes, strict=True):
            yield outcome is not None, f"{bug.name}: {bug.says}\n  {outcome or 'NOT CAUGHT'}"


def main(arguments: Sequence[str]) -> int:
    """Plants the bugs that are named, all without a name; 1 if one is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="bugs to plant, default all")
    parser.add_argument("--list", action="store_true", help="say which bugs there are")
    parser.add_argument("--jobs", type=int, default=1, help="copies tried side by side")
    parser.add_argument("--suite", nargs="+", choices=SUITE, default=["specs"])
    options = parser.parse_args(arguments)
    unknown = set(options.names) - {bug.name for bug in BUGS}
    if unknown:
        parser.error(f"no such bug: {', '.join(sorted(unknown))}")
    bugs = [bug for bug in BUGS if bug.name in options.names or not options.names]
    if options.list:
        print("\n".join(f"{bug.name}: {bug.says}" for bug in bugs))
        return 0
    clean = tried(None, options.suite)
    if clean is not None:
        print(f"the suite fails without any bug: {clean}")
        return 1
    missed = 0
    for found, line in _lines(bugs, options.suite, options.jobs):
        missed += not found
        print(line, flush=True)
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs are caught")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

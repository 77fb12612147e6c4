"""Judges jaxlint on other people's code, by what JAX does while their own tests run.

    python tests/agreement/judge.py observe --checkouts DIR --python PYTHON [NAME ...]
    python tests/agreement/judge.py report --checkouts DIR [NAME ...]
    python tests/agreement/judge.py one ROOT --python PYTHON -- -m pytest tests/a_test.py

`observe` runs the chosen tests of the projects in `projects.toml`, whose checkouts are in
directories of their names, and stores what the names of the project held. `report` lints the
checkouts and compares. `one` does both for any project: what follows `--` is a module with its
arguments, or a script. PYTHON has the project's dependencies and pytest.

The tables say on how many of the names under tracing the engine has an opinion, how many of these
opinions JAX shares, and which findings stand on a line that ran under the trace that they name
without anything happening.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import agree
import refute
from observations import Observations, Statements, read
from public_projects import Project
from public_projects import read as projects

from jaxlint.base.test_files import is_of_tests

HERE = Path(__file__).resolve().parent
STORE = HERE.parent.parent / ".agreement"
SECONDS = 60
"""How much processor time a project's tests get under observation."""
LIMIT = 1800
"""After how many seconds a process that does not end by itself is killed."""


def is_test(file: str) -> bool:
    """Whether a file holds tests: what is asked is what the engine knows of the rest."""
    return is_of_tests(file, "")


# --- Observing --------------------------------------------------------------------------------


def observe(
    root: Path, python: str, command: Sequence[str], out: Path, variables: Mapping[str, str]
) -> str:
    """Runs a command of a project under observation; how it ended."""
    partial = out.with_suffix(".partial")
    words = [python, str(HERE / "observer.py"), str(partial), str(root)]
    words += ["--seconds", str(SECONDS), "--", *command]
    try:
        done = subprocess.run(
            words,
            cwd=root,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            check=False,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return "out of time, nothing stored"
    if not partial.exists():
        return f"nothing stored: {done.stdout.strip()[-400:]}"
    partial.replace(out)
    return (done.stdout.strip().splitlines() or [""])[-1]


def stored(project: Project, store: Path) -> Path:
    """Where the observations of a project are. They are made once for each commit, selection of
    tests and observer."""
    modules = ("command_runs", "happenings", "observed_functions", "observed_values", "observer")
    observer = (*(HERE / f"{name}.py" for name in modules), HERE.parent / "fuzz" / "holding.py")
    parts = [
        *(project.commit, *project.commands[0]),
        *(path.read_text(encoding="utf-8") for path in observer),
    ]
    key = hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    return store / f"{project.name}-{key}.json"


# --- Comparing --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """All that is said of one project."""

    agreement: agree.Agreement
    judged: list[refute.Judged]
    seen: Observations
    seconds: float


def compared(name: str, root: Path, observations: Path) -> Compared:
    """Lints a checkout in a process of its own, and compares with the observations. Raises
    CalledProcessError where that process fails."""
    engine = agree.engine_of(root)
    statements = Statements(root)
    seen = read(observations, root, statements)
    found = agree.compare(name, seen, engine, statements, lambda file: not is_test(file))
    judged = refute.judged(seen, engine["findings"], statements)
    return Compared(found, judged, seen, engine["seconds"])


def printed(all_of_them: Sequence[Compared]) -> None:
    """Prints the tables."""
    print("\n".join(agree.table([one.agreement for one in all_of_them])), end="\n\n")
    print("\n".join(refute.head()))
    for one in all_of_them:
        for line in refute.table(one.agreement.project, one.judged):
            print(line)
    together = [judged for one in all_of_them for judged in one.judged]
    print("\n".join(refute.table("in all", together)), end="\n\n")


def detailed(one: Compared) -> None:
    """Prints what is behind the figures of a project."""
    print("\n".join(agree.table([one.agreement])[2:3]), f"{one.seconds} s")
    for title, lines in (
        ("not reached, by reason", agree.reasons(one.agreement)),
        ("functions not reached, by the names in them", agree.hidden(one.agreement)),
        ("disagreements", agree.disagreements(one.agreement)),
        ("refuted findings", refute.refuted(one.judged)),
        ("files that changed since", one.seen.changed),
    ):
        if lines:
            print("\n".join([f"{one.agreement.project}: {title}", *lines]), end="\n\n", flush=True)


# --- The command ------------------------------------------------------------------------------


def _chosen(names: Sequence[str]) -> list[Project]:
    known = projects()
    unknown = set(names) - known.keys()
    if unknown:
        raise SystemExit(f"no such project in projects.toml: {', '.join(sorted(unknown))}")
    return [known[name] for name in names or known]


def _observe(options: argparse.Namespace) -> int:
    options.store.mkdir(parents=True, exist_ok=True)
    failed = 0
    for project in _chosen(options.names):
        out = stored(project, options.store)
        root = (options.checkouts / project.name).resolve()
        if out.exists():
            continue
        begun = time.monotonic()
        ended = observe(root, options.python, project.commands[0], out, project.variables(root))
        print(f"{project.name}: {time.monotonic() - begun:.0f} s: {ended}", flush=True)
        failed += not out.exists()
    return 1 if failed else 0


def _report(options: argparse.Namespace) -> int:
    wanted = {}
    for project in _chosen(options.names):
        path = stored(project, options.store)
        if path.exists():
            wanted[project.name] = path
        else:
            print(f"{project.name}: not observed", file=sys.stderr)

    def one(name: str) -> Compared | None:
        try:
            return compared(name, (options.checkouts / name).resolve(), wanted[name])
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: not compared: {error}", file=sys.stderr)
            return None

    found = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for each in filter(None, pool.map(one, wanted)):
            found.append(each)
            if options.details:
                detailed(each)
    printed(found)
    return 0 if len(found) == len(wanted) else 1


def _one(options: argparse.Namespace) -> int:
    root = options.root.resolve()
    with tempfile.TemporaryDirectory() as folder:
        out = options.observations or Path(folder) / "observations.json"
        if not out.exists():
            roots = ("src", ".") if (root / "src").is_dir() else (".",)
            anyone = Project(
                root.name, f"any/{root.name}", "0" * 40, ("plain",), script=("",), roots=roots
            )
            print(observe(root, options.python, options.command, out, anyone.variables(root)))
        if not out.exists():
            return 2
        found = compared(root.name, root, out)
        detailed(found)
        printed([found])
    return 0


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    split = list(arguments).index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(
        prog="judge.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    for name, run in (("observe", _observe), ("report", _report)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("names", nargs="*", metavar="NAME")
        command.add_argument("--checkouts", type=Path, required=True)
        command.add_argument("--store", type=Path, default=STORE)
        if run is _observe:
            command.add_argument("--python", default=sys.executable)
        else:
            command.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
            command.add_argument("--details", action="store_true")
    command = commands.add_parser("one")
    command.set_defaults(run=_one)
    command.add_argument("root", type=Path)
    command.add_argument("--python", default=sys.executable)
    command.add_argument("--observations", type=Path, help="kept there, or taken from there")
    options = parser.parse_args(arguments[:split])
    options.command = list(arguments[split + 1 :])
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What a cold run of `jaxlint check` costs, as ratios to what parsing the same files costs.

    python benchmarks/cold.py [PATH ...]     (the installed jax package if no path is given)

Each measurement is a process of its own, started by this script; `benchmarks/child.py` is what
runs in those that are not simply the command.
"""

from __future__ import annotations

import argparse
import atexit
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jaxlint.project.discovery import discover

ROOT = Path(__file__).parent.parent
CHILD = Path(__file__).with_name("child.py")
CHECK = ("-m", "jaxlint", "check", "--quiet", "--exit-zero", "--output-format", "concise")
ALLOWED_TIME, ALLOWED_MEMORY, ALLOWED_GROWTH = 1.6, 1.5, 1.1
COPIES = (1, 2, 4, 8)
SAMPLE = 24


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process used: CPU seconds, user and system, and the peak of resident megabytes."""

    seconds: float
    peak: float
    output: str


def cost(arguments: Sequence[str | Path], standard_input: str = "") -> Cost:
    """Runs Python with these arguments to its end. The jaxlint it imports is this checkout's, and
    compiled before, as that of an installed package is."""
    environment = surroundings(bytecode())
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
        given.write(standard_input.encode())
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdin=given, stdout=printed, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        output = printed.read().decode(errors="replace")
    if process.returncode != 0:
        last = output.rstrip().rpartition("\n")[2]
        raise SystemExit(f"a measured process ended with {process.returncode}: {last}")
    # macOS counts bytes where Linux counts kilobytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, output)


@cache
def bytecode() -> str:
    """A directory for compiled modules, filled by one run and removed at the end."""
    directory = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    nothing = Path(directory, "nothing.py")
    nothing.write_text("import jax\n")
    environment = surroundings(directory)
    subprocess.run([sys.executable, *CHECK, nothing], env=environment, check=True)
    return directory


def surroundings(compiled: str) -> dict[str, str]:
    """The environment of what is measured: this checkout, with its modules compiled there."""
    path = os.pathsep.join(filter(None, [os.fspath(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows under a header, the first column to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + "\n"


def verdict(value: float, allowed: float) -> str:
    return "ok" if value <= allowed else "too much"


def times(root: str, files: Sequence[str], repeats: int) -> tuple[str, bool]:
    """The table of CPU times, and whether the whole run is within what is allowed.

    The processes take turns, so that a busy machine disturbs all of them alike. The parser is
    charged for reading and parsing only, jaxlint for its whole process.
    """
    listed = "\n".join(files)
    parses, checks, phases = [], [], []
    for _ in range(repeats):
        parses.append(json.loads(cost([CHILD, "parse"], listed).output)["seconds"])
        checks.append(cost([*CHECK, root]).seconds)
        phases.append(json.loads(cost([CHILD, "phases", root]).output))
    parse = statistics.median(parses)
    ratio = statistics.median(check / each for check, each in zip(checks, parses, strict=True))
    rows = [
        ("CPU time", "seconds", "x parser", ""),
        ("libcst.parse_module", f"{parse:.2f}", "1.00", ""),
        (
            "jaxlint check",
            f"{statistics.median(checks):.2f}",
            f"{ratio:.2f}",
            verdict(ratio, ALLOWED_TIME),
        ),
    ]
    for name in phases[0]:
        seconds = statistics.median(phase[name] for phase in phases)
        rows.append((f"  {name}", f"{seconds:.2f}", f"{seconds / parse:.2f}", ""))
    return table(rows), ratio <= ALLOWED_TIME


def peaks(files: Sequence[str], repeats: int) -> tuple[str, bool]:
    """The table of memory, and whether it is within what is allowed.

    From each peak that of the same process with next to nothing to do is taken away. The parser
    reads the copies too: what it grows by, though it keeps nothing, is the allocator's doing.
    """
    measured = [(max(each, 1.0), max(other, 1.0)) for each, other in used(files, repeats)]
    names = [os.path.basename(max(files, key=os.path.getsize))]
    names += [f"a sample, {copies} copies" for copies in COPIES]
    rows = [("peak memory", "parser MB", "jaxlint MB", "ratio")]
    for name, (parser, checker) in zip(names, measured, strict=True):
        rows.append((name, f"{parser:.0f}", f"{checker:.0f}", f"{checker / parser:.2f}"))
    ratio = measured[0][1] / measured[0][0]
    first, last = measured[1], measured[-1]
    growth = (last[1] / first[1]) / (last[0] / first[0])
    rows.append(("largest file", "", verdict(ratio, ALLOWED_MEMORY), f"{ratio:.2f}"))
    rows.append(("growth by parser's", "", verdict(growth, ALLOWED_GROWTH), f"{growth:.2f}"))
    return table(rows), ratio <= ALLOWED_MEMORY and growth <= ALLOWED_GROWTH


def used(files: Sequence[str], repeats: int) -> list[tuple[float, float]]:
    """Peaks of the parser and of jaxlint: for the largest file, then for copies of a sample."""
    largest = max(files, key=os.path.getsize)
    with tempfile.TemporaryDirectory() as scratch:
        nothing = Path(scratch, "nothing.py")
        nothing.write_text("import jax\n")
        paths = [nothing, Path(largest)]
        for copies in COPIES:
            paths.append(Path(scratch, f"x{copies}"))
            copy(files, largest, paths[-1], copies)
        idle, *found = (both_peaks(path, repeats) for path in paths)
    return [(parser - idle[0], checker - idle[1]) for parser, checker in found]


def both_peaks(path: Path, repeats: int) -> tuple[float, float]:
    """Peaks of the parser and of jaxlint for one path, in megabytes."""
    listed = "\n".join(discover([os.fspath(path)]).files)
    return peak([CHILD, "parse"], repeats, listed), peak([*CHECK, path], repeats)


def peak(arguments: Sequence[str | Path], repeats: int, standard_input: str = "") -> float:
    return statistics.median(cost(arguments, standard_input).peak for _ in range(repeats))


def copy(files: Sequence[str], largest: str, target: Path, copies: int) -> int:
    """Writes the largest file and a sample of the others several times; how many files that is.

    The same files each time: what grows with their number grows because something is kept.
    """
    others = [file for file in files if file != largest]
    sample = [largest, *others[:: max(1, len(others) // SAMPLE)]]
    for number in range(copies):
        directory = target / f"copy{number}"
        directory.mkdir(parents=True)
        for at, file in enumerate(sample):
            shutil.copyfile(file, directory / f"module{at}.py")
    return copies * len(sample)


def installed_jax() -> str:
    """The directory of the jax package, which is not imported."""
    found = importlib.util.find_spec("jax")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("jax is not installed: name the files or directories to measure with")
    return next(iter(found.submodule_search_locations))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures each path and prints its tables. 1 if something costs more than is allowed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="PATH", help="default: the jax package")
    parser.add_argument("--repeats", type=int, default=5, help="of each measurement (default: 5)")
    options = parser.parse_args(arguments)
    good = True
    for path in options.paths or [installed_jax()]:
        files = discover([path]).files
        if not files:
            raise SystemExit(f"no Python files in {path}")
        lines = sum(Path(file).read_bytes().count(b"\n") for file in files)
        print(f"{os.path.basename(os.path.abspath(path))}: {len(files)} files, {lines:,} lines\n")
        timed, fast = times(path, files, options.repeats)
        print(timed)
        measured, small = peaks(files, options.repeats)
        print(measured, flush=True)
        good = good and fast and small
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())

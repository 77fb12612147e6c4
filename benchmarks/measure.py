"""Runs processes, says what they used, and compares those that took turns."""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

# How much of what a process printed is kept: the end of it.
_KEPT = 1 << 18


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process and those it waited for used: CPU seconds, user and system, seconds on the
    wall, and the peak of resident megabytes of the largest of them. `output` ends what it printed.
    """

    cpu: float
    wall: float
    peak: float
    output: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A process to run: the program and its arguments, its environment (this one's unless given),
    its directory, and what stands on its standard input. A linter `may_fail`: it found something.
    """

    arguments: tuple[str, ...]
    environment: Mapping[str, str] | None = field(default=None, compare=False)
    folder: str | None = None
    given: str = ""
    may_fail: bool = False

    def run(self) -> Cost:
        """Runs it to its end. Stops everything where it fails and may not."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
            given.write(self.given.encode())
            given.seek(0)
            started = time.perf_counter()
            process = subprocess.Popen(
                self.arguments,
                stdin=given,
                stdout=printed,
                stderr=subprocess.DEVNULL if self.may_fail else None,
                env=self.environment,
                cwd=self.folder,
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            size = printed.seek(0, os.SEEK_END)
            printed.seek(max(0, size - _KEPT))
            output = printed.read().decode(errors="replace")
        if process.returncode and not (self.may_fail and process.returncode > 0):
            last = output.rstrip().rpartition("\n")[2]
            program = " ".join(self.arguments)[:200]
            raise SystemExit(f"{program} ended with {process.returncode}: {last}")
        # macOS counts bytes where Linux counts kilobytes.
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit, output)

    def instructions(self) -> float | None:
        """How many instructions it runs in user mode, None where the machine does not tell."""
        if not counts_instructions():
            return None
        counted, _ = _perf(self)
        return counted


@cache
def counts_instructions() -> bool:
    """Whether `perf` is there, and its counter of instructions works on this machine."""
    if shutil.which("perf") is None:
        return False
    return _perf(Command(("true",)))[0] is not None


def _perf(command: Command) -> tuple[float | None, int]:
    """Instructions counted, if any were, and the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        counts = Path(scratch, "counts")
        perf = ("perf", "stat", "-x", ",", "-e", "instructions:u", "-o", os.fspath(counts), "--")
        run = subprocess.run(
            [*perf, *command.arguments],
            input=command.given.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=command.environment,
            cwd=command.folder,
        )
        text = counts.read_text() if counts.exists() else ""
    for line in text.splitlines():
        value, _, rest = line.partition(",")
        if "instructions" in rest and value.isdigit():
            return float(value), run.returncode
    return None, run.returncode


def turns(contestants: Mapping[str, Callable[[], Cost]], repeats: int) -> dict[str, list[Cost]]:
    """Measures everything `repeats` times, one after the other in each turn, so that a busy
    machine disturbs all of them alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, measured in contestants.items():
            costs[name].append(measured())
    return costs


def cpu(costs: Sequence[Cost]) -> list[float]:
    return [cost.cpu for cost in costs]


def wall(costs: Sequence[Cost]) -> list[float]:
    return [cost.wall for cost in costs]


def peak(costs: Sequence[Cost]) -> list[float]:
    return [cost.peak for cost in costs]


def ratio(of: Sequence[float], to: Sequence[float]) -> float:
    """The median of the ratios of neighbours: of what was measured in the same turn."""
    return statistics.median(one / other for one, other in zip(of, to, strict=True))


def growth(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """How costs beside a fixed one grow with sizes that double: the slope of the line through the
    logarithms of the differences of neighbours, 0 where they do not grow.

    With a fixed cost `a`, `a + b * n ** k` has the differences `b * (2 ** k - 1) * n ** k`.
    """
    steps = [after - before for before, after in pairwise(costs)]
    return exponent(sizes[:-1], steps) if min(steps) > 0 else 0.0


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """How costs grow with sizes: the slope of the least squares line through their logarithms.

    1 is in proportion, 2 as the square.
    """
    across = [math.log(size) for size in sizes]
    up = [math.log(cost) for cost in costs]
    return statistics.linear_regression(across, up).slope

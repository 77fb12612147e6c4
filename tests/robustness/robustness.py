"""Checks hostile files, and says whether one crashed, hung, or took others' findings with it.

    python tests/robustness/robustness.py [--kind KIND] [--files N] [--seed S] [--jobs J]
        [--save FOLDER]

The files are of a kind: real ones that were mutated, programs that use what the models know of
libraries (1,300 files name everything once), or programs that compute with extreme numbers. Each
is checked in a session with a file whose findings are known. Printed: crashes, files that took
longer than a minute of processor time, findings that were lost, the longest time per thousand
lines, and the files that took over 20 times the median. The exit code is 1 if there is anything
to see.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numerals
import uses
from mutations import SNIPPETS, Mutant, mutant

from jaxlint.engine.queries import analyse
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Report, Session
from jaxlint.settings import Selection, Settings

MOST_SECONDS = 60
MOST_TIMES_MEDIAN = 20
# Host code that is run once takes fewer steps of the engine.
FEWEST_STEPS = 100
# Reading a thousand lines takes as long as this many steps of the engine.
READING = 30_000
WITNESS = (
    "import functools, jax, jax.numpy as jnp\nfrom jax import lax\n" + SNIPPETS[0] + SNIPPETS[2]
)


class HangError(BaseException):
    """A file took longer than a minute of processor time. Nothing that catches exceptions catches
    it."""


class Counted(dict[Any, Any]):
    """A table of transfer functions that counts how often one was asked for."""

    count = 0

    def __getitem__(self, kind: Any) -> Any:
        Counted.count += 1
        return super().__getitem__(kind)


@contextmanager
def counting() -> Iterator[Callable[[], int]]:
    """Counts the statements and expressions that the engine runs; gives how many it were."""
    semantics, trace = analyse.SEMANTICS, analyse.trace
    executors = Counted(semantics.executors)
    analyse.SEMANTICS = replace(semantics, evaluators=Counted(semantics.evaluators))
    analyse.trace = lambda module, context=None: trace(module, executors, context)
    try:
        yield lambda: Counted.count
    finally:
        analyse.SEMANTICS, analyse.trace = semantics, trace


@contextmanager
def watchdog(seconds: int = MOST_SECONDS) -> Iterator[None]:
    """Raises HangError when its block takes more processor time."""

    def stop(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Outcome:
    """What became of one file: steps of the engine, seconds, and what went wrong, if anything."""

    seed: int
    mutant: Mutant
    steps: int
    seconds: float
    analysed: bool
    failure: str = ""

    @property
    def rate(self) -> float:
        """Seconds per thousand lines."""
        return self.seconds / self.mutant.kloc

    @property
    def work(self) -> float:
        """What the file cost, the same on every machine: reading counts as well."""
        return self.steps + READING * self.mutant.kloc

    def __str__(self) -> str:
        how = ", ".join(self.mutant.steps)
        return f"seed {self.seed}: {self.mutant.origin} ({how}; {self.seconds:.2f} s)"


def session() -> Session:
    """All rules, no comment that silences one, and no project around the files."""
    settings = Settings(selections=(Selection(select=("ALL",)),), noqa="none")
    return Session(settings, files=Memory({}))


def _mutated(seed: int) -> Mutant:
    return mutant(random.Random(seed))


def _written(program: Callable[[int], tuple[str, tuple[str, ...]]]) -> Callable[[int], Mutant]:
    def make(seed: int) -> Mutant:
        text, names = program(seed)
        return Mutant(", ".join(names), ("written",), text.encode())

    return make


KINDS: dict[str, Callable[[int], Mutant]] = {
    "mutated": _mutated,
    "libraries": _written(uses.program),
    "numbers": _written(numerals.program),
}


def check(checker: Session, seed: int, expected: Report, kind: str = "mutated") -> Outcome:
    """Checks one file of a kind, and then a file whose findings are known."""
    made = KINDS[kind](seed)
    before, start = Counted.count, time.process_time()
    failure = ""
    analysed = False
    try:
        with watchdog():
            report = checker.check_source(made.data, "mutant.py")
            codes = [finding.code for finding in report.findings]
            analysed = "JAX001" not in codes
            if report.crashed:
                failure = next(one.message for one in report.findings if one.code == "JAX009")
    except HangError:
        failure = "hang"
    steps, seconds = Counted.count - before, time.process_time() - start
    if not failure and checker.check_source(WITNESS, "witness.py").findings != expected.findings:
        failure = "the findings of another file changed"
    return Outcome(seed, made, steps, seconds, analysed, failure)


def check_all(seeds: range, kind: str = "mutated") -> list[Outcome]:
    """The outcome for each seed, in one session."""
    checker = session()
    expected = checker.check_source(WITNESS, "witness.py")
    assert len(expected.findings) >= 3
    with counting():
        return [check(checker, seed, expected, kind) for seed in seeds]


def slow(outcomes: list[Outcome], steps: bool = False) -> tuple[float, list[tuple[float, Outcome]]]:
    """The median cost per thousand lines of files with traced code, and the files beyond 20 times
    that, worst first. Files without any would cost next to nothing."""
    analysed = [one for one in outcomes if one.analysed and (steps or one.steps > FEWEST_STEPS)]
    rates = [
        (one.work / one.mutant.kloc if steps else one.rate, index)
        for index, one in enumerate(analysed)
    ]
    median = statistics.median(rate for rate, _ in rates)
    found = [(rate, analysed[at]) for rate, at in rates if rate > MOST_TIMES_MEDIAN * median]
    return median, sorted(found, key=lambda pair: -pair[0])


def main() -> int:
    """Prints what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kind", choices=sorted(KINDS), default="mutated")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--save", type=Path, help="write what failed or was slow to this folder")
    options = parser.parse_args()
    start = time.perf_counter()
    share = 50
    last = options.seed + options.files
    parts = [range(at, min(at + share, last)) for at in range(options.seed, last, share)]
    if options.jobs == 1:
        found = [check_all(part, options.kind) for part in parts]
    else:
        with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
            found = pool.map(partial(check_all, kind=options.kind), parts, chunksize=1)
    outcomes = [one for part in found for one in part]
    analysed = sum(one.analysed for one in outcomes)
    print(f"{len(outcomes)} files, {analysed} of them Python, {time.perf_counter() - start:.0f} s")
    failures = [one for one in outcomes if one.failure]
    for text, count in Counter(one.failure for one in failures).most_common():
        example = next(one for one in failures if one.failure == text)
        print(f"{count} x {text}\n    {example}")
    median, over = slow(outcomes)
    longest = max((o for o in outcomes if o.analysed), key=lambda o: o.rate)
    rate = longest.rate
    print(
        f"median {median:.3f} s per thousand lines, longest {rate:.2f} ({rate / median:.1f} times)"
    )
    print(f"    {longest}")
    median, many = slow(outcomes, steps=True)
    print(f"median {median:.0f} steps per thousand lines")
    for name, slow_ones in (("time", over), ("steps", many)):
        print(f"{len(slow_ones)} files over {MOST_TIMES_MEDIAN} times the median in {name}")
        for rate, one in slow_ones[:10]:
            print(f"    {rate:.2f}: {one}")
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        for one in {o.seed: o for o in [*failures, *(o for _, o in over + many)]}.values():
            (options.save / f"{one.seed}.py").write_bytes(one.mutant.data)
    return 1 if failures or over or many else 0


if __name__ == "__main__":
    sys.exit(main())

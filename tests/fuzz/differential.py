"""Holds jaxlint against JAX on generated programs.

    python tests/fuzz/differential.py [--programs N] [--seed S] [--jobs J] [--shrink K]

Prints how far the engine agrees with JAX about what each local name holds, how many hazards the
rules find, their false alarms, and what the disagreements have in common. `--shrink K` reduces K
of the failing programs to what is to blame and prints them as specifications. `--save FILE` keeps
the labels, and `--load FILE` compares with these, without JAX. `--show SEED` prints one program
with its disagreements.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from archive import Labelled, load, save
from compare import Comparison, compare
from contract import Labels, Program
from gaps import read_gaps
from score import Score, report, score
from shrink import shrink, specification

_CHUNK = 10


def examined(seeds: Iterable[int], jobs: int) -> Iterator[tuple[Comparison, Labelled | None]]:
    """Generates, labels and compares the programs of seeds, in several processes."""
    with _pool(jobs) as pool:
        yield from pool.imap(_examine, seeds, chunksize=_CHUNK)


def compared(labelled: Iterable[Labelled], jobs: int) -> Iterator[Comparison]:
    """Compares labelled programs, in several processes."""
    with _pool(jobs) as pool:
        yield from pool.imap(_compare, labelled, chunksize=_CHUNK)


def judge(seeds: Sequence[int], jobs: int) -> Score:
    """The score of the programs of seeds."""
    return score((one for one, _ in examined(seeds, jobs)), read_gaps())


def labelled(program: Program) -> Labels:
    """What JAX says of a program."""
    from labels import label

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return label(program, Path(folder))


@contextmanager
def _pool(jobs: int) -> Iterator[Any]:
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _prepare, (list(sys.path),), maxtasksperchild=400 // _CHUNK) as pool:
        yield pool


def _prepare(path: list[str]) -> None:
    sys.path[:] = path
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    warnings.simplefilter("ignore")


def _examine(seed: int) -> tuple[Comparison, Labelled | None]:
    from generator import generate

    program = Program(seed, "")
    try:
        program = generate(seed)
        labels = labelled(program)
    except Exception:
        return Comparison(seed, problem=traceback.format_exc()[-600:]), None
    return _compare((program, labels)), (program, labels)


def _compare(pair: Labelled) -> Comparison:
    program, labels = pair
    try:
        with tempfile.TemporaryDirectory() as folder:
            return compare(program, labels, folder)
    except Exception:
        return Comparison(program.seed, problem=traceback.format_exc()[-600:])


def _progress(items: Iterable[Any], total: int) -> Iterator[Any]:
    start = time.monotonic()
    for number, item in enumerate(items, 1):
        if number % 500 == 0:
            seconds = time.monotonic() - start
            print(f"{number}/{total} after {seconds:.0f} s", file=sys.stderr, flush=True)
        yield item


def show(program: Program, labels: Labels) -> list[str]:
    """A program, with its disagreements beside the lines."""
    result = _compare((program, labels))
    notes: dict[int, list[str]] = {}
    for one in result.disagreements:
        what = f"{one.kind} {one.subject}"
        what += f" ({one.says or '-'} for {one.shows})" if one.shows else f" ({one.says})"
        notes.setdefault(one.line, []).append(what)
    lines = []
    for number, line in enumerate(program.source.splitlines(), 1):
        mark = "*" if number in labels.executed else " "
        lines.append(
            f"{number:4}{mark} {line}" + "".join(f"  # << {n}" for n in notes.get(number, []))
        )
    return [*lines, *(f"ending: {ending}" for ending in labels.endings), result.problem]


def _shrunk(total: Score, programs: dict[int, Labelled], most: int) -> Iterator[str]:
    """Failing programs reduced to what is to blame, of different constructs first."""
    done: set[tuple[str, str]] = set()
    for seed, one in total.open:
        if len(done) >= most or (one.kind, one.construct) in done or seed not in programs:
            continue
        done.add((one.kind, one.construct))
        program, _ = programs[seed]
        small = shrink(program, one, _check)
        yield f"\n--- seed {seed}, line {one.line}: {one.kind} {one.subject}: {one.construct}"
        yield specification(small, _check(small)[0], one)


def _check(program: Program) -> tuple[Comparison, Labels]:
    labels = labelled(program)
    return _compare((program, labels)), labels


def main(run: Callable[[Sequence[int], int], Any] | None = None) -> int:
    """Run the comparison and print what it says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shrink", type=int, default=0, metavar="K")
    parser.add_argument("--groups", type=int, default=40, help="how many constructs to print")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--load", type=Path)
    parser.add_argument("--show", type=int, metavar="SEED")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    start = time.monotonic()
    programs: dict[int, Labelled] = {}
    if options.load:
        programs = {pair[0].seed: pair for pair in load(options.load)}
        if options.show is None:
            total = score(compared(programs.values(), options.jobs), read_gaps())
    elif options.show is not None:
        from generator import generate

        program = generate(options.show)
        programs[options.show] = program, labelled(program)
    else:
        results = []
        for one, pair in _progress(examined(seeds, options.jobs), len(seeds)):
            results.append(one)
            if pair is not None and (options.save or options.shrink):
                programs[one.seed] = pair
        total = score(results, read_gaps())
    if options.show is not None:
        print("\n".join(show(*programs[options.show])))
        return 0
    if options.save:
        save(options.save, programs.values())
    print("\n".join(report(total, options.groups)))
    print(f"\n{time.monotonic() - start:.0f} s")
    for line in _shrunk(total, programs, options.shrink):
        print(line, flush=True)
    for failure in total.failures():
        print(f"FAILED: {failure}")
    return 1 if total.failures() else 0


if __name__ == "__main__":
    sys.exit(main())

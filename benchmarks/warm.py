"""A check of what was checked before: nothing changed, or one file.

The bound for a changed file is that for none, and a check from nothing of what is to be examined
again: the file and those whose tracing may reach it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.commands import check, checking, child, offers, python
from benchmarks.corpora import Corpus, copies
from benchmarks.measure import Command, Cost, cpu, peak, ratio, turns, wall
from benchmarks.plan import Plan
from benchmarks.tables import Table, number

ALLOWED = 2.0
FLOOR = "python -c 'import json, re, sqlite3'"
COLUMNS = ("CPU ms", "wall ms", "peak MB", "examined", "may depend on it")


def tables(plan: Plan) -> Iterator[Table]:
    """The first corpus, unchanged and with one file changed."""
    table = Table(f"Warm: {plan.corpora[0]}", COLUMNS)
    if offers("--no-cache"):
        _measure(table, plan)
    else:
        table.add("nothing changed", absent="this jaxlint has no cache")
    yield table


def _measure(table: Table, plan: Plan) -> None:
    corpus = copies(plan.corpora[0], 1)
    _warm(corpus).run()
    _unchanged(table, corpus, plan)
    for kind, file in chosen(corpus).items():
        _changed(table, kind, Path(file), corpus, plan)


def _unchanged(table: Table, corpus: Corpus, plan: Plan) -> None:
    floor = python("-c", "import json, re, sqlite3")
    costs = turns({FLOOR: floor.run, "nothing changed": _warm(corpus).run}, plan.many)
    for name, allowed in ((FLOOR, None), ("nothing changed", ALLOWED)):
        figure = ratio(cpu(costs[name]), cpu(costs[FLOOR]))
        examined = "" if name == FLOOR else str(_examined(corpus))
        table.add(name, *_cells(costs[name]), examined, figure=figure, allowed=allowed)
    table.notes.append(f"Nothing changed: over {FLOOR}. Changed: over what is allowed.")


def _changed(table: Table, kind: str, file: Path, corpus: Corpus, plan: Plan) -> None:
    """A row for the check after a change of one file, over what such a check may cost."""
    floor = python("-c", "import json, re, sqlite3").run
    again = json.loads(child("dependants", file).run().output)
    edits = _edits(file)

    def edited() -> Cost:
        next(edits)
        return _warm(corpus).run()

    contestants: dict[str, Callable[[], Cost]] = {
        "floor": floor,
        "again": check(*again, folder=Path(corpus.root)).run,
        "edited": edited,
    }
    costs = turns(contestants, plan.repeats)
    allowed = [
        ALLOWED * least + more
        for least, more in zip(cpu(costs["floor"]), cpu(costs["again"]), strict=True)
    ]
    next(edits)
    examined = str(_examined(corpus))
    name = f"{kind} changed: {file.relative_to(os.path.join(corpus.root, 'copy0'))}"
    others = str(len(set(again) - {str(file)}))
    figure = ratio(cpu(costs["edited"]), allowed)
    table.add(name, *_cells(costs["edited"]), examined, others, figure=figure, allowed=1.0)


def _warm(corpus: Corpus) -> Command:
    """A check in the directory of the project, where its cache is."""
    return check(corpus.root, cached=True, folder=Path(corpus.root))


def _cells(costs: list[Cost]) -> tuple[str, ...]:
    return (
        f"{1000 * median(cpu(costs)):.0f}",
        f"{1000 * median(wall(costs)):.0f}",
        number(median(peak(costs))),
    )


def _edits(file: Path) -> Iterator[None]:
    """Writes the file with another last statement each time."""
    text = file.read_bytes()
    number = 0
    while True:
        number += 1
        file.write_bytes(text + b"\n_edited = %d\n" % number)
        yield


def _examined(corpus: Corpus) -> int:
    """How many files a check examines now."""
    arguments = checking(corpus.root, cached=True)
    command = child("examined", *arguments, folder=Path(corpus.root))
    found: dict[str, int] = json.loads(command.run().output)
    return found["examined"]


def chosen(corpus: Corpus) -> dict[str, str]:
    """A leaf, which nothing else depends on, and a helper with a few dependants: the largest of
    the files with the least of them, three at the least."""
    reached: dict[str, int] = json.loads(child("entries", corpus.root).run().output)
    leaves = [file for file, count in reached.items() if count == 1]
    counts = [count for count in reached.values() if count > 3]
    helpers = [file for file, count in reached.items() if counts and count == min(counts)]
    found = {"a leaf": leaves, "a helper": helpers}
    return {
        kind: max(files, key=lambda file: (os.path.getsize(file), file))
        for kind, files in found.items()
        if files
    }

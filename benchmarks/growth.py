"""What grows with the number of files, and with the length of one function."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.commands import check, child, parser, scratch
from benchmarks.corpora import copies, write_functions
from benchmarks.measure import cpu, exponent, growth, peak, ratio, turns
from benchmarks.plan import Plan
from benchmarks.shapes import CONTEXTS
from benchmarks.tables import Table, number

ALLOWED_EXPONENT, ALLOWED_PEAK, ALLOWED_LARGEST = 1.1, 1.2, 1.5
ALLOWED_WORK = 1.2
COPIES = (1, 2, 4, 8)
# Seconds: a check of next to nothing may come out below one of nothing.
_LEAST = 0.001
STATEMENTS = (250, 500, 1000, 2000, 4000)


def tables(plan: Plan) -> Iterator[Table]:
    """Growth with files, the peak of the largest of them, growth with statements, and growth of
    each generated shape of code under each transform."""
    yield files(plan)
    yield largest(plan)
    yield statements(plan)
    for context in CONTEXTS:
        yield work(context)


def files(plan: Plan) -> Table:
    """A project with copies of a corpus. Of the time, that of a check of nothing is not counted."""
    projects = {count: copies(plan.growth, count) for count in COPIES}
    idle = "nothing to do"
    contestants = {idle: check(_nothing()).run}
    contestants |= {one.name: check(one.root).run for one in projects.values()}
    costs = turns(contestants, plan.few)
    start = median(cpu(costs[idle]))
    spent = {
        count: max(_LEAST, median(cpu(costs[one.name])) - start) for count, one in projects.items()
    }
    peaks = {count: costs[one.name] for count, one in projects.items()}
    first, last = COPIES[0], COPIES[-1]
    table = Table(f"Growth with files: {plan.growth}", ("files", "CPU s", "peak MB"))
    for count, one in projects.items():
        megabytes = f"{median(peak(peaks[count])):.0f}"
        cells = (str(len(one.files)), number(spent[count]), megabytes)
        table.add(f"{count} x", *cells, figure=spent[count] / spent[first])
    table.add(
        "exponent of time",
        figure=exponent(list(spent), list(spent.values())),
        allowed=ALLOWED_EXPONENT,
    )
    table.add(
        f"peak of {last} x over {first} x",
        figure=ratio(peak(peaks[last]), peak(peaks[first])),
        allowed=ALLOWED_PEAK,
    )
    return table


def largest(plan: Plan) -> Table:
    """The peak for the largest file, over that of parsing it; what an idle process has of it is
    taken away from both."""
    file = max(plan.growth.files, key=os.path.getsize)
    alone = Path(scratch(), os.path.basename(file))
    alone.write_bytes(Path(file).read_bytes())
    nothing = _nothing()
    contestants = {
        "parser, idle": lambda: parser([nothing]),
        "jaxlint, idle": check(nothing).run,
        "parser": lambda: parser([str(alone)]),
        "jaxlint": check(alone).run,
    }
    costs = turns(contestants, plan.repeats)
    own = {
        name: max(1.0, median(peak(costs[name])) - median(peak(costs[f"{name}, idle"])))
        for name in ("parser", "jaxlint")
    }
    table = Table(f"Memory for one file: {alone.name}", ("peak MB", "of that idle"), "own x P")
    for name, allowed in (("parser", None), ("jaxlint", ALLOWED_LARGEST)):
        cells = (f"{median(peak(costs[one])):.0f}" for one in (name, f"{name}, idle"))
        table.add(name, *cells, figure=own[name] / own["parser"], allowed=allowed)
    return table


def statements(plan: Plan) -> Table:
    """One traced function, longer and longer, checked again and again in one process."""
    written = write_functions(STATEMENTS)
    rounds = child("statements", str(plan.few), *written.values()).run()
    taken = [median(each) for each in zip(*json.loads(rounds.output), strict=True)]
    table = Table("Growth with the statements of one function", ("CPU s",))
    for size, seconds in zip(STATEMENTS, taken, strict=True):
        table.add(f"{size} statements", number(seconds), figure=seconds / taken[0])
    table.add("exponent of time", figure=exponent(STATEMENTS, taken), allowed=ALLOWED_EXPONENT)
    return table


def work(context: str) -> Table:
    """Generated code of each shape, twice as large each time: the lines of Python that a check
    runs, beside those that any check runs, and CPU time, which the bound is not for."""
    found: dict[str, list[list[float]]] = json.loads(child("shapes", context).run().output)
    columns = ("size", "lines run", "8 x", "CPU s", "exponent of time")
    table = Table(f"Growth with generated code: {context}", columns, "exponent")
    for name, (sizes, lines, seconds) in found.items():
        cells = (
            f"{sizes[0]:.0f}",
            f"{lines[0]:,.0f}",
            f"{lines[-1]:,.0f}",
            number(seconds[-1]),
            number(growth(sizes, seconds)),
        )
        table.add(name, *cells, figure=growth(sizes, lines), allowed=ALLOWED_WORK)
    return table


def _nothing() -> str:
    """A file that has to be parsed and examined, and next to nothing in it."""
    file = Path(scratch(), "nothing.py")
    file.write_text("import jax\n")
    return str(file)

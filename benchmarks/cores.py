"""A whole check by two processes against one: time on the wall, on a machine left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from statistics import median

from benchmarks.commands import check
from benchmarks.corpora import Corpus
from benchmarks.measure import cpu, peak, ratio, turns, wall
from benchmarks.plan import Plan
from benchmarks.tables import Table, number

ALLOWED = 0.65
ONE, TWO = "-j 1", "-j 2"


def tables(plan: Plan) -> Iterator[Table]:
    """The first corpus, with one process and with two."""
    corpus = plan.corpora[0]
    table = Table(f"Cores: {corpus}", ("wall s", "CPU s", "CPU ratio", "peak MB"), "wall ratio")
    if (os.cpu_count() or 1) < 2:
        table.add(TWO, absent="this machine has one core")
    else:
        _measure(table, corpus, plan.repeats)
    yield table


def _measure(table: Table, corpus: Corpus, repeats: int) -> None:
    load = os.getloadavg()[0]
    contestants = {name: check(corpus.root, jobs=jobs).run for jobs, name in ((1, ONE), (2, TWO))}
    costs = turns(contestants, repeats)
    for name, allowed in ((ONE, None), (TWO, ALLOWED)):
        own, alone = costs[name], costs[ONE]
        table.add(
            name,
            number(median(wall(own))),
            number(median(cpu(own))),
            number(ratio(cpu(own), cpu(alone))),
            f"{median(peak(own)):.0f}",
            figure=ratio(wall(own), wall(alone)),
            allowed=allowed,
        )
    table.notes.append(
        f"{os.cpu_count()} cores; load before the first run {load:.2f}. "
        "The peak is that of one process."
    )

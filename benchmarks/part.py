"""What a part of a project costs: one file that is asked for alone, and a check after an edit.

Files are drawn at random, the same ones in every run. An edit puts a statement into a function.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from benchmarks.commands import check, offers
from benchmarks.corpora import Corpus, copies
from benchmarks.editing import places
from benchmarks.measure import cpu
from benchmarks.plan import Plan
from benchmarks.tables import Table

ALONE, EDITED = 0.2, 0.2
COLUMNS = ("whole, CPU s", "median, CPU s", "95th percentile, CPU s")


def tables(plan: Plan) -> Iterator[Table]:
    """For each corpus, files alone and edited functions, over a check of the whole."""
    table = Table("Part of a project, over the whole", COLUMNS)
    for each in plan.corpora:
        corpus = copies(each, 1)
        whole = median(cpu([check(corpus.root).run() for _ in range(plan.few)]))
        files = _drawn(corpus, plan.sample or len(corpus.files))
        _row(table, f"{each.name}: one file alone", whole, _alone(files), ALONE)
        if offers("--no-cache"):
            _row(table, f"{each.name}: a function edited", whole, _edited(corpus, files), EDITED)
    yield table


def _row(table: Table, name: str, whole: float, taken: list[float], allowed: float) -> None:
    if not taken:
        table.add(name, absent="no file of it can be edited")
        return
    high = quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
    cells = (f"{whole:.1f}", f"{median(taken):.2f}", f"{high:.2f}")
    table.add(name, *cells, figure=median(taken) / whole, allowed=allowed)


def _drawn(corpus: Corpus, count: int) -> list[Path]:
    choose = random.Random(corpus.name)
    return [Path(one) for one in choose.sample(corpus.files, min(count, len(corpus.files)))]


def _alone(files: list[Path]) -> list[float]:
    return [check(file).run().cpu for file in files]


def _edited(corpus: Corpus, files: list[Path]) -> list[float]:
    """What checks of the whole take, with the cache, each after an edit of another file."""
    command = check(corpus.root, cached=True, folder=Path(corpus.root))
    command.run()
    choose = random.Random(corpus.name)
    return [command.run().cpu for file in files if _edit(file, choose)]


def _edit(file: Path, choose: random.Random) -> bool:
    """Puts a statement into a function, if the file has one that it may stand in."""
    text = file.read_text(encoding="utf-8")
    found = places(text)
    if not found:
        return False
    at, indent = choose.choice(found)
    lines = text.splitlines(keepends=True)
    lines.insert(at, " " * indent + "edited = 1\n")
    file.write_text("".join(lines), encoding="utf-8")
    return True

"""What an editor waits for: one edit in a session that stays, and flake8 with the plugin."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.commands import child, flake8, has_command, is_installed, scratch
from benchmarks.corpora import Corpus, copies, lines_in, nearest, without_jax
from benchmarks.measure import Cost, cpu, ratio, turns, wall
from benchmarks.plan import Plan
from benchmarks.tables import Table, number

ALLOWED_EDIT, ALLOWED_FLAKE8, ALLOWED_PLAIN = 1.2, 1.4, 1.05
LINES = 1000
WITHOUT, FIRST, AGAIN = "without", "the first time", "again"


def tables(plan: Plan) -> Iterator[Table]:
    """Edits of one file of each corpus; flake8 on corpora, on single files, and without JAX."""
    # Copies, because the cache is written where an edited file is.
    projects = [copies(corpus, 1) for corpus in plan.corpora]
    found = {project: nearest(project, LINES) for project in projects}
    chosen = {project: file for project, file in found.items() if file is not None}
    yield edits(chosen, plan)
    yield plugin(projects, list(chosen.values()), plan)


def edits(chosen: dict[Corpus, str], plan: Plan) -> Table:
    """One edit, answered in a session and by the language server, over LibCST's parse."""
    table = Table("One edit in an open file", ("lines", "ms", "LibCST's parse, ms"), "CPU x parse")
    for corpus, file in chosen.items():
        for mode, name in (("edits", "session"), ("server", "jaxlint lsp")):
            row = f"{name}: {os.path.relpath(file, os.path.join(corpus.root, 'copy0'))}"
            if mode == "server" and not has_command("lsp"):
                table.add(row, absent="this jaxlint has no language server")
                continue
            if mode == "server" and not sys.platform.startswith("linux"):
                table.add(row, absent="the CPU time of another process is read on Linux only")
                continue
            output = child(mode, str(plan.many), file).run().output
            answers, parses = json.loads(output.rstrip().rpartition("\n")[2])
            cells = (f"{1000 * median(taken):.0f}" for taken in (answers, parses))
            table.add(
                row,
                str(lines_in(file)),
                *cells,
                figure=ratio(answers, parses),
                allowed=ALLOWED_EDIT,
            )
    return table


def plugin(projects: Sequence[Corpus], single: Sequence[str], plan: Plan) -> Table:
    """flake8 with the plugin over flake8 without it: the first time, and once more."""
    columns = ("without, s", "with, s", "wall ratio")
    table = Table("flake8 with the plugin over flake8 without it", columns, "CPU ratio")
    if not is_installed("flake8"):
        table.add("flake8", absent="flake8 is not installed")
        return table
    plain = without_jax(plan.plain)
    middle = sorted(plain.files, key=lines_in)[len(plain.files) // 2]
    groups = [(str(project), project.files, ALLOWED_FLAKE8) for project in projects]
    for file in single:
        name = f"{os.path.basename(file)} alone ({lines_in(file)} lines)"
        groups.append((name, (file,), ALLOWED_FLAKE8))
    groups.append((str(plain), plain.files, ALLOWED_PLAIN))
    name = f"a file without JAX alone ({lines_in(middle)} lines)"
    groups.append((name, (middle,), ALLOWED_PLAIN))
    for name, files, allowed in groups:
        repeats = plan.many if len(files) == 1 else plan.few
        costs = _with_and_without(files, repeats)
        without = costs[WITHOUT]
        for times in (FIRST, AGAIN):
            having = costs[times]
            table.add(
                f"{name}, {times}",
                number(median(cpu(without))),
                number(median(cpu(having))),
                number(ratio(wall(having), wall(without))),
                figure=ratio(cpu(having), cpu(without)),
                allowed=allowed,
            )
    return table


def _with_and_without(files: Sequence[str], repeats: int) -> dict[str, list[Cost]]:
    """What flake8 costs without the plugin, and with it in a directory without a cache and then
    once more there."""
    folders = [""]

    def first() -> Cost:
        folders.append(scratch())
        return flake8(files, True, folders[-1]).run()

    def again() -> Cost:
        return flake8(files, True, folders[-1]).run()

    return turns({WITHOUT: flake8(files, False).run, FIRST: first, AGAIN: again}, repeats)

"""A whole check, one process and no cache, against parsing the same files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from benchmarks.commands import check, checking, child, parser, parsing
from benchmarks.corpora import Corpus, installed_jax, without_jax
from benchmarks.measure import Cost, counts_instructions, cpu, peak, ratio, turns, wall
from benchmarks.plan import Plan
from benchmarks.tables import ABSENT, Table, number

ALLOWED_JAX, ALLOWED, ALLOWED_PLAIN = 0.65, 0.75, 0.01
PARSER, JAXLINT = "libcst.parse_module (P)", "jaxlint check"
COLUMNS = ("CPU s", "wall s", "wall x P", "peak MB", "peak x P", "instructions x P")


def tables(plan: Plan) -> Iterator[Table]:
    """Each corpus, where its time goes and how much of it is parsed; then a tree without JAX."""
    for corpus in plan.corpora:
        allowed = ALLOWED_JAX if corpus.root == installed_jax() else ALLOWED
        yield against_parser(corpus, allowed, plan.repeats)
        yield inside(corpus)
    plain = without_jax(plan.plain)
    yield against_parser(plain, ALLOWED_PLAIN, plan.repeats)


def against_parser(corpus: Corpus, allowed: float, repeats: int) -> Table:
    """What a check costs in units of P."""
    checked = check(corpus.root)
    costs = turns({PARSER: lambda: parser(corpus.files), JAXLINT: checked.run}, repeats)
    counts = {PARSER: parsing(corpus.files).instructions(), JAXLINT: checked.instructions()}
    table = Table(f"Cold: {corpus}", COLUMNS, "CPU x P")
    for name in costs:
        bound = allowed if name == JAXLINT else None
        value = ratio(cpu(costs[name]), cpu(costs[PARSER]))
        table.add(name, *cells(costs, counts, name, PARSER), figure=value, allowed=bound)
    if not counts_instructions():
        table.notes.append("This machine does not count instructions (`perf stat`).")
    return table


def cells(
    costs: Mapping[str, Sequence[Cost]],
    counts: Mapping[str, float | None],
    name: str,
    base: str,
) -> tuple[str, ...]:
    """What a contestant used, and its ratios to the base."""
    own, to = costs[name], costs[base]
    count, against = counts.get(name), counts.get(base)
    return (
        number(median(cpu(own))),
        number(median(wall(own))),
        number(ratio(wall(own), wall(to))),
        f"{median(peak(own)):.0f}",
        number(ratio(peak(own), peak(to))),
        number(count / against) if count and against else ABSENT,
    )


def inside(corpus: Corpus) -> Table:
    """Phases of a check in units of P, and how much of the corpus it parses."""
    parsed = parser(corpus.files).cpu
    found = json.loads(child("phases", *checking(corpus.root)).run().output)
    table = Table(f"Inside: {corpus.name}", ("seconds", "share"), "CPU x P")
    for name, seconds in found["seconds"].items():
        table.add(name, number(seconds), ABSENT, figure=seconds / parsed)
    files, lines = len(corpus.files), max(1, corpus.lines)
    table.add("files parsed", ABSENT, f"{found['files'] / files:.1%}")
    table.add("files not parsed", ABSENT, f"{max(0, 1 - found['files'] / files):.1%}")
    table.add("lines parsed", ABSENT, f"{found['lines'] / lines:.1%}")
    table.add("lines that became a CST", ABSENT, f"{found['tree_lines'] / lines:.1%}")
    if found["missing"]:
        table.notes.append(f"Not found, so not measured: {', '.join(found['missing'])}.")
    return table

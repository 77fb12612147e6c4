"""Figures about judged findings: rates, precision, and how sure a precision is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ledgers import Row

from jaxlint.session.session import load_registry

# The normal quantile of a two-sided interval of 95 %.
QUANTILE = 1.959964
SEVERITIES = ("error", "warning", "perf", "info")


def interval(right: int, judged: int) -> tuple[float, float]:
    """The Wilson score interval of a proportion; everything, where nothing is judged."""
    if judged == 0:
        return 0.0, 1.0
    share, square = right / judged, QUANTILE**2
    centre = (share + square / (2 * judged)) / (1 + square / judged)
    spread = math.sqrt(share * (1 - share) / judged + square / (4 * judged**2))
    half = QUANTILE * spread / (1 + square / judged)
    return max(0.0, centre - half), min(1.0, centre + half)


def _names() -> dict[str, str]:
    """The name of each code, those of jaxlint's own messages included."""
    return {entry.code: entry.name for entry in load_registry().entries}


def _line(label: str, rows: Sequence[Row], lines: int) -> str:
    counts = [sum(row.verdict == v for row in rows) for v in ("right", "wrong", "unclear")]
    judged = counts[0] + counts[1]
    low, high = interval(counts[0], judged)
    share = f"{counts[0] / judged:6.3f} [{low:.3f}, {high:.3f}]" if judged else "     -"
    rate = 1000 * len(rows) / lines if lines else 0.0
    said = " ".join(f"{count:7}" for count in (*counts, len(rows) - sum(counts)))
    return f"{label:44} {len(rows):6} {rate:9.4f} {said}  {share}"


def table(rows: Iterable[Row], lines: int) -> list[str]:
    """Findings per 1,000 lines and precision, by rule and by severity."""
    every = list(rows)
    names = _names()
    titles = ("found", "per KLOC", "right", "wrong", "unclear", "unjudged")
    head = f"{'':44} {titles[0]:>6} {titles[1]:>9} " + " ".join(f"{t:>7}" for t in titles[2:])
    said = [f"{head} precision"]
    for code in sorted({row.code for row in every}):
        chosen = [row for row in every if row.code == code]
        said.append(_line(f"{code} {names.get(code, '')}", chosen, lines))
    for severity in SEVERITIES:
        chosen = [row for row in every if row.severity == severity]
        if chosen:
            said.append(_line(f"all of severity {severity}", chosen, lines))
    return said

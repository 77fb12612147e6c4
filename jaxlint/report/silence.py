"""Where jaxlint says nothing because it knows nothing: sums over the traced code, and what is not
reached, by reason."""

from __future__ import annotations

from typing import Any

from jaxlint.base.printable import one_line
from jaxlint.base.surveys.call_graph import Spot, Survey
from jaxlint.base.wording import counted
from jaxlint.report.positions import position as position

# How many places stand for a reason, and how many reasons of unknown values are shown as text.
_EXAMPLES = 3
_MOST_VALUES = 10


def text(survey: Survey) -> str:
    """Lines for people."""
    entries = len(survey.starts) + len(survey.blind)
    unknown = survey.unknown()
    head = (
        f"Traced code: {counted(entries, 'entry point')}, "
        f"{counted(len(survey.functions), 'function')}, {counted(len(survey.calls), 'call')}, "
        f"{len(unknown)} of them unknown ({survey.share:.1%})."
    )
    lines = [head]
    if survey.blind:
        lines.append(f"Entry points of functions that are not known: {len(survey.blind)}.")
    rows = survey.reasons()
    width = max((len(str(number)) for _, number in rows), default=0)
    for reason, number in rows:
        share = f"{number / len(survey.calls):.1%}"
        shown = ", ".join(str(one) for one in _places(survey, reason))
        lines.append(f"  {number:>{width}} {share:>6}  {reason} ({shown})")
    values = survey.unknown_values()
    if values:
        listed = ", ".join(f"{reason} {number}" for reason, number in values[:_MOST_VALUES])
        more = ", ..." if len(values) > _MOST_VALUES else ""
        total = sum(number for _, number in values)
        lines.append(f"Values in traced code that came out unknown: {total} ({listed}{more}).")
    if survey.coverage is not None:
        # The graph of traced code has none.
        from jaxlint.base.surveys.unreached import silence
        from jaxlint.report import reasons

        lines += reasons.lines(silence(survey.coverage))
    return "".join(one_line(line) + "\n" for line in lines)


def totals(survey: Survey) -> dict[str, Any]:
    """The same for machines."""
    unreached: dict[str, Any] = {}
    if survey.coverage is not None:
        from jaxlint.base.surveys.unreached import silence
        from jaxlint.report import reasons

        unreached = {"unreached": reasons.as_rows(silence(survey.coverage))}
    return {
        "entries": len(survey.starts) + len(survey.blind),
        "blind_entries": len(survey.blind),
        "functions": len(survey.functions),
        "calls": len(survey.calls),
        "unknown": len(survey.unknown()),
        "share": round(survey.share, 4),
        "reasons": [
            {
                "reason": reason,
                "count": number,
                "share": round(number / len(survey.calls), 4),
                "examples": [position(one) for one in _places(survey, reason)],
            }
            for reason, number in survey.reasons()
        ],
        "values": [
            {"reason": reason, "count": number} for reason, number in survey.unknown_values()
        ],
        **unreached,
    }


def _places(survey: Survey, reason: str) -> list[Spot]:
    """The first places for a reason."""
    return [one.spot for one in survey.unknown() if one.reason == reason][:_EXAMPLES]

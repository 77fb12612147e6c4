"""Why functions and statements are not reached by tracing, for people and for machines."""

from __future__ import annotations

from typing import Any

from jaxlint.base.surveys.silence import KINDS, Group, Hidden, Silence
from jaxlint.base.wording import counted
from jaxlint.report.positions import position

# How many roots are shown as text, and how many places of each.
_MOST_ROOTS = 6
_EXAMPLES = 3
# Reasons that nobody needs to look into.
_EXPECTED = frozenset({"jaxless", "stub", "test"})


def lines(silence: Silence) -> list[str]:
    """Lines for people, the roots that hide most first."""
    functions, statements = len(silence.functions), len(silence.statements)
    if not functions and not statements:
        return []
    head = (
        f"Not reached by tracing: {functions} of {counted(silence.known, 'function')}, and "
        f"{statements} of {counted(silence.listed, 'statement')} in the others."
    )
    kinds = ", ".join(
        f"{KINDS[kind]} {functions + statements}"
        for kind, functions, statements in silence.totals()
    )
    found = [head, f"Reasons: {kinds}."]
    if silence.supposed:
        number = counted(silence.supposed, "function")
        found.insert(1, f"Reached for arguments of any sort only: {number}.")
    groups = [one for one in silence.groups() if one.root.kind not in _EXPECTED]
    found += map(_row, groups[:_MOST_ROOTS])
    rest = groups[_MOST_ROOTS:]
    if rest:
        more = _amount(
            sum(len(one.functions) for one in rest), sum(len(one.statements) for one in rest)
        )
        found.append(f"  {more}: {counted(len(rest), 'reason')} more")
    return found


def _row(group: Group) -> str:
    shown = ", ".join(map(str, group.spots[:_EXAMPLES]))
    more = ", ..." if len(group.spots) > _EXAMPLES else ""
    places = f" ({shown}{more})" if shown else ""
    return f"  {_amount(len(group.functions), len(group.statements))}: {group.root.text}{places}"


def _amount(functions: int, statements: int) -> str:
    amounts = [counted(functions, "function")] if functions else []
    amounts += [counted(statements, "statement")] if statements else []
    return ", ".join(amounts)


def as_rows(silence: Silence) -> dict[str, Any]:
    """The same for machines, with every place."""
    groups = silence.groups()
    numbers = {group.root: number for number, group in enumerate(groups)}

    def rows(hidden: tuple[Hidden, ...]) -> list[dict[str, Any]]:
        return [_place(one, numbers[one.reason.root]) for one in hidden]

    return {
        "functions": silence.known,
        "supposed": silence.supposed,
        "statements": silence.listed,
        "reasons": [
            {"kind": kind, "reason": KINDS[kind], "functions": functions, "statements": statements}
            for kind, functions, statements in silence.totals()
        ],
        "roots": [
            {
                "kind": group.root.kind,
                "reason": group.root.text,
                "functions": len(group.functions),
                "statements": len(group.statements),
                "places": [position(spot) for spot in group.spots],
            }
            for group in groups
        ],
        "unreached_functions": rows(silence.functions),
        "unreached_statements": rows(silence.statements),
    }


def _place(hidden: Hidden, root: int) -> dict[str, Any]:
    reason = hidden.reason
    through = reason.through
    outer = {} if through is None else {"through": {**position(through.spot), "name": through.name}}
    return {
        **position(hidden.spot),
        "name": hidden.name,
        "kind": reason.kind,
        "reason": reason.text,
        "root": root,
        **outer,
    }

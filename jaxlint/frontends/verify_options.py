"""What the command line says about verification."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class Request:
    """A wish for verdicts.

    `guess` and `execute` unlock invented arguments and what needs XLA. Empty strings and None
    leave the choice to the settings. `lines` names files by absolute path: of their findings
    only those that touch one of the lines are wanted.
    """

    guess: bool = False
    execute: bool = False
    python: str = ""
    timeout: float | None = None
    evidence: str = ""
    drop_refuted: bool = False
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)


def parse_places(places: Sequence[str]) -> tuple[tuple[str, ...], dict[str, frozenset[int]]]:
    """The paths of "PATH" and "PATH:LINE", and the lines by absolute path.

    A file that is also named without a line is wanted whole, and what exists under its whole
    name is a path.
    """
    paths: dict[str, None] = {}
    lines: dict[str, set[int]] = {}
    whole: set[str] = set()
    for place in places:
        path, _, number = place.rpartition(":")
        if path and number.isdecimal() and not os.path.exists(place):
            lines.setdefault(os.path.abspath(path), set()).add(int(number))
        else:
            path = place
            whole.add(os.path.abspath(path))
        paths[path] = None
    wanted = {path: frozenset(them) for path, them in lines.items() if path not in whole}
    return tuple(paths), wanted

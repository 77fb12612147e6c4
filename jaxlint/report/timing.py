"""What a run spent its time on."""

from __future__ import annotations

import os
from collections.abc import Mapping

from jaxlint.base.printable import one_line
from jaxlint.report.links import relative

# Of so many files it is said how long each took.
_MOST = 10


def text(elapsed: float, checked: int, traced: Mapping[str, float]) -> str:
    """The time of a run, the sums, and the files of which tracing took longest. `traced` has what
    tracing took, in all processes, for each file that was not known."""
    lines = [
        f"time: {elapsed:.2f} s",
        f"tracing: {sum(traced.values()):.2f} s, in all processes",
        f"files: {checked} checked, {len(traced)} traced",
    ]
    longest = sorted(traced.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
    here = os.getcwd()
    lines += [f"{seconds:9.2f} s  {one_line(relative(path, here))}" for path, seconds in longest]
    return "".join(f"{line}\n" for line in lines)

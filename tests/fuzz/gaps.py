"""The known gaps: disagreements that are expected, each with its reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compare import Disagreement

PATH = Path(__file__).with_name("gaps.toml")


@dataclass(frozen=True)
class Gap:
    """One entry of `gaps.toml`. An empty `subject` stands for any."""

    kind: str
    construct: str
    reason: str
    subject: str = ""

    def covers(self, one: Disagreement) -> bool:
        """Whether a disagreement is of this sort."""
        return (
            one.kind == self.kind
            and self.subject in ("", one.subject)
            and re.search(self.construct, one.construct) is not None
        )


def read_gaps(path: Path = PATH) -> tuple[Gap, ...]:
    """The known gaps. Raises TypeError for a field that is missing or unknown."""
    gaps = tuple(Gap(**entry) for entry in tomllib.loads(path.read_text("utf-8"))["gap"])
    for gap in gaps:
        re.compile(gap.construct)
    return gaps


def gap_of(one: Disagreement, gaps: Sequence[Gap]) -> Gap | None:
    """The first gap that covers a disagreement."""
    return next((gap for gap in gaps if gap.covers(one)), None)

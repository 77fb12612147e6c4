"""What jaxlint reports: findings, their reasons, and their order."""

from __future__ import annotations

from enum import StrEnum

from jaxlint.base.slotted import slotted
from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict


class Severity(StrEnum):
    """How much a finding promises: an error is always true."""

    ERROR = "error"
    WARNING = "warning"
    PERF = "perf"
    INFO = "info"


class Fix(StrEnum):
    """How far a repair can be trusted.

    `SAFE`: code that worked works as before. `UNSAFE`: it needs to be looked at. `NONE`: there is
    none that can be written without knowing what is meant.
    """

    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"


class Confidence(StrEnum):
    """How sure it is that a finding applies, whatever its severity.

    `HIGH`: the code that is there leads to it. `MEDIUM`: it takes a call that is allowed and that
    nobody is seen to make. `LOW`: it takes something that is not known to be an array.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    def reaches(self, least: Confidence) -> bool:
        """Whether this is at least so sure."""
        order = list(Confidence)
        return order.index(self) <= order.index(least)


@slotted(frozen=True)
class Because:
    """One step of the reason for a finding, at its own place; `filename` is there where that is
    in another file."""

    span: Span
    message: str
    filename: str = ""


@slotted(frozen=True)
class Finding:
    """One diagnostic.

    `because` is the short reason (at most three steps), `trail` the whole one, from the
    offending expression back to the place where tracing starts. `verdict` is there once the
    finding was put to real JAX. `doubt` says, of a finding whose confidence is not high, why not.
    """

    filename: str
    span: Span
    code: str
    name: str
    severity: Severity
    message: str
    help: str = ""
    because: tuple[Because, ...] = ()
    trail: tuple[Because, ...] = ()
    verdict: Verdict | None = None
    confidence: Confidence = Confidence.HIGH
    doubt: Because | None = None

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def column(self) -> int:
        return self.span.column

    @property
    def end_line(self) -> int:
        return self.span.end_line

    @property
    def end_column(self) -> int:
        return self.span.end_column

    def sort_key(self) -> tuple[str, Span, str, str]:
        """Orders findings by file, place, code and message."""
        return (self.filename, self.span, self.code, self.message)

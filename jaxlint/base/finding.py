"""What jaxlint reports: findings, their reasons, and their order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict


class Severity(StrEnum):
    """How much a finding promises: an error is always true."""

    ERROR = "error"
    WARNING = "warning"
    PERF = "perf"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Because:
    """One step of the reason for a finding, at its own place in the same file."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic.

    `because` is the short reason (at most three steps), `trail` the whole one, from the
    offending expression back to the place where tracing starts. `verdict` is there once the
    finding was put to real JAX.
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

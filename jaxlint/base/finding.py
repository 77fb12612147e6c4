"""What jaxlint reports: findings, their reasons, and their order."""

from __future__ import annotations

from enum import StrEnum

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.base.runtime.deprecation import warn_renamed
from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict


class Severity(StrEnum):
    """How much a finding promises: an error is always true."""

    ERROR = "error"
    WARNING = "warning"
    PERF = "perf"
    INFO = "info"


class Applicability(StrEnum):
    """How far a fix can be trusted.

    `SAFE`: code that worked works as before. `UNSAFE`: it needs to be looked at. `NONE`: there is
    none that can be written without knowing what is meant.
    """

    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"


class Tag(StrEnum):
    """How an editor may show what a rule reports, as the language server protocol names it:
    `DEPRECATED` code is struck through, `UNNECESSARY` code faded out.
    """

    DEPRECATED = "deprecated"
    UNNECESSARY = "unnecessary"


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
    in another file, `cell` where the lines of the span are those of a notebook's cell, as those in
    another file always are."""

    span: Span
    message: str
    filename: str = ""
    cell: int = 0


class _FormerMember:
    """A member of `Applicability` by its former name, as an attribute of `Fix`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Applicability:
        warn_renamed(f"Fix.{self._name}", f"Applicability.{self._name}")
        return Applicability[self._name]


@slotted(frozen=True)
class Fix:
    """A change of the source that takes a finding away: what it does, in the imperative, how far
    it can be trusted, and its edits, none of which overlap. `cleanup` are the edits that remove the
    imports that it leaves unused, if no other fix needs them."""

    NONE = _FormerMember()
    SAFE = _FormerMember()
    UNSAFE = _FormerMember()

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]
    cleanup: tuple[Edit, ...] = ()

    @property
    def whole(self) -> tuple[Edit, ...]:
        """All edits of a fix that is carried out by itself."""
        return tuple(sorted((*self.edits, *self.cleanup)))

    @property
    def safety(self) -> Applicability:
        """The former name of `applicability`."""
        warn_renamed("Fix.safety", "Fix.applicability")
        return self.applicability


@slotted(frozen=True)
class Finding:
    """One diagnostic.

    `because` is the short reason (at most three steps), `trail` the whole one, from the
    offending expression back to the place where tracing starts. `verdict` is there once the
    finding was put to real JAX. `doubt` says, of a finding whose confidence is not high, why not.
    `fix` is there where one can be written, in the file that the finding is shown in. `cell` is
    the cell of a notebook in whose lines the span is: `jaxlint.lint` says so, and inside of jaxlint
    spans are in the text of all cells. `minor` says of a finding why it is seldom worth a change:
    it is reported only where its rule is selected. `places` are calls in other files that lead to
    the same place, beside those of the trail.
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
    fix: Fix | None = None
    cell: int = 0
    minor: str = ""
    places: tuple[Because, ...] = ()

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

    @property
    def repair(self) -> Fix | None:
        """The former name of `fix`."""
        warn_renamed("Finding.repair", "Finding.fix")
        return self.fix

    def sort_key(self) -> tuple[str, Span, str, str]:
        """Orders findings by file, place, code and message."""
        return (self.filename, self.span, self.code, self.message)

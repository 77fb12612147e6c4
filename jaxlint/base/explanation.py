"""What the tracer knows of the values at one place, as plain data."""

from __future__ import annotations

from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Because
from jaxlint.base.text import Span

# The kinds of values that tracing is not about: they are left out where others are asked for too.
CALLABLE, MODULE = "callable", "module"


@slotted(frozen=True)
class Answer:
    """What a value was in runs of a function.

    `kind` is "traced", "static", "concrete" (an array that has its value), "container", "object",
    "callable", "module", "mixed" (one of several) or "unknown"; `what` are words for the value.
    `trail` leads from where tracing starts to the value; it is empty on the host. `times` counts
    the runs.
    """

    kind: str
    what: str
    function: str
    trail: tuple[Because, ...] = ()
    is_host: bool = False
    times: int = 1


@slotted(frozen=True)
class Subject:
    """A name or expression with its answers, none where no run reaches it. At least `more` runs
    have other answers, which are left out."""

    text: str
    span: Span
    answers: tuple[Answer, ...] = ()
    more: int = 0

    @property
    def is_traced(self) -> bool:
        """Whether traced code reaches it."""
        return any(not answer.is_host for answer in self.answers)


@slotted(frozen=True)
class Explanation:
    """The answer to the question why values at a place are what they are.

    `reach` is "traced" where traced code comes to the place, "host" where only code does that is
    not traced, and "nowhere".
    """

    filename: str
    line: int
    column: int | None = None
    subjects: tuple[Subject, ...] = field(default=())

    @property
    def reach(self) -> str:
        if any(subject.is_traced for subject in self.subjects):
            return "traced"
        return "host" if any(subject.answers for subject in self.subjects) else "nowhere"


@slotted(frozen=True)
class Mark:
    """What a parameter or an assigned name in traced code is, in few words.

    `state` is "traced", "static", "concrete" (an array that has its value) or "mixed" (traced in
    some runs only), `form` says what kind of value it is, as far as that is short: "float[_, _]".
    `span` is the name's place, `end` the line and the column behind it and its annotation.
    `answer` tells more of one of the runs.
    """

    name: str
    span: Span
    end: tuple[int, int]
    is_annotated: bool
    state: str
    form: str
    answer: Answer

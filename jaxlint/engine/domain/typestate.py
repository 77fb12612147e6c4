"""The ledger: values that may be used once, and where each was used, along each path.

The marks are kept in the environment of the function that runs, so that they part and meet with
its paths as its names do. A mark is about an object of the analysis, found by its identity, or
about whatever a text names (`randomness` names keys so). It says nothing of other values that
the program may hold equal: what joins two values is a value of its own, without marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from jaxlint.base.dataclass import replace, slotted
from jaxlint.engine.domain.circumstances import CONDITIONS, UNSURE
from jaxlint.engine.domain.values import Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from collections.abc import Iterator as Iterates

# No names of Python's, and none that a star import takes. What is marked in a function of its
# own kinds is left to the calls of it.
LEDGER, OWN = "_<ledger>", "_<own ledger>"
OWN_KINDS = frozenset(
    {"key", "fold", "folds", "refold", "variables", "again", "handed", "stream", "stored key"}
)
# An environment with more marks forgets them all.
MOST_MARKS = 400

Subject = Value | str
T = TypeVar("T")


@slotted(frozen=True)
class Mark:
    """What was done to a subject at `node`, on every path that leads here if it is `sure`.

    `loop` is the loop that ran it, `path` the straight path on which it happened, `conditions`
    the number of open tests around it; `detail` is for those who mark. `subject` keeps an object
    alive, lest another one takes its identity. `doubts` counts the alternatives within each other
    of which it is one, where nothing else makes it unsure.
    """

    node: ir.Node
    function: str
    is_sure: bool
    loop: Any
    path: object
    conditions: int
    detail: Any
    subject: Subject
    doubts: int = 0


class Typestate(Value):
    """The marks of an environment, by kind and subject. It is never changed, only replaced.

    `given` is what the function was given that has marks of its own.
    """

    __slots__ = ("given", "marks")

    def __init__(
        self, marks: dict[tuple[str, Any], Mark], given: dict[str, Value] | None = None
    ) -> None:
        self.marks = marks
        self.given: dict[str, Value] = given or {}


EMPTY = Typestate({})
BEGINNING: dict[str, Value] = {LEDGER: EMPTY, OWN: EMPTY}


def joined(a: Value, b: Value) -> Value:
    """The ledger where two paths meet: what is marked on one of them alone is not sure."""
    if a is b or not isinstance(a, Typestate) or not isinstance(b, Typestate):
        return a
    marks: dict[tuple[str, Any], Mark] = {}
    for key in (*a.marks, *(key for key in b.marks if key not in a.marks)):
        one, other = a.marks.get(key), b.marks.get(key)
        known = one or other
        assert known is not None
        sure = one is not None and other is not None and one.is_sure and other.is_sure
        alike = one is not None and other is not None and one.doubts == other.doubts
        doubts = known.doubts if alike else 0
        is_same = known.is_sure is sure and known.doubts == doubts
        marks[key] = known if is_same else replace(known, is_sure=sure, doubts=doubts)
    return Typestate(marks, a.given)


def _key(kind: str, subject: Subject) -> tuple[str, Any]:
    return kind, subject if isinstance(subject, str) else id(subject)


def holder(machine: Any) -> Any:
    """The frame whose environment has the ledger now."""
    return machine.dynamic.frames[-1] if machine.dynamic.frames else machine.dynamic.running


def _book(kind: str) -> str:
    return OWN if kind in OWN_KINDS else LEDGER


def current(machine: Any, book: str = LEDGER) -> Typestate:
    """The marks on the path that runs."""
    found = holder(machine).env.get(book)
    return found if isinstance(found, Typestate) else EMPTY


def mark(
    machine: Any,
    frame: Any,
    kind: str,
    subject: Subject,
    node: ir.Node,
    detail: Any = None,
    sure: bool = True,
) -> Mark:
    """Notes what is done to a subject from here on; it replaces an earlier mark of that kind."""
    book = _book(kind)
    ledger = current(machine, book)
    marks = {} if len(ledger.marks) >= MOST_MARKS else dict(ledger.marks)
    doubts = _unsure_within(machine) if book == OWN else machine.asks(UNSURE).unsure
    sure, doubts = sure and not doubts, doubts if sure else 0
    where = (holder(machine).path, machine.asks(CONDITIONS).conditions)
    made = Mark(node, frame.name, sure, frame.innermost_loop(), *where, detail, subject, doubts)
    marks[_key(kind, subject)] = made
    holder(machine).env[book] = Typestate(marks, ledger.given)
    if book == LEDGER:
        # What is marked may be older than this function: its result is not all that a call of
        # it does.
        machine.dynamic.effects.oldest = 0
    return made


def is_alternative(machine: Any) -> bool:
    """Whether what happens is one of several things that may happen in the running function."""
    return _unsure_within(machine) > 0


def _unsure_within(machine: Any) -> int:
    """How many times one of several things happens in the running function. What it is called for
    is the same for all that it does."""
    return max(0, int(machine.dynamic.unsure - holder(machine).unsure))


def marked(machine: Any, kind: str, subject: Subject) -> Mark | None:
    """What was done to a subject on the paths that lead here."""
    marks = current(machine, _book(kind)).marks
    return marks.get(_key(kind, subject)) if marks else None


def unmark(machine: Any, kind: str, subject: Subject) -> None:
    """Forgets a mark: whether it holds is not known any more."""
    ledger = current(machine, _book(kind))
    if _key(kind, subject) in ledger.marks:
        marks = dict(ledger.marks)
        del marks[_key(kind, subject)]
        holder(machine).env[_book(kind)] = Typestate(marks, ledger.given)


def taken_back(machine: Any, kind: str, node: ir.Node, before: Typestate) -> None:
    """What was marked at a node since the ledger was `before` is again as it was then."""
    ledger = current(machine, _book(kind))
    new = [
        key
        for key, made in ledger.marks.items()
        if key[0] == kind and made.node is node and before.marks.get(key) is not made
    ]
    if new:
        marks = {key: made for key, made in ledger.marks.items() if key not in new}
        marks.update((key, before.marks[key]) for key in new if key in before.marks)
        holder(machine).env[_book(kind)] = Typestate(marks, ledger.given)


def paths(machine: Any, alternatives: Iterable[T], kinds: Container[str] = ()) -> Iterates[T]:
    """Alternatives of which one happens: each begins with the marks from before all of them. Marks
    of these `kinds` that all of them make are sure."""
    before = [(book, current(machine, book)) for book in (LEDGER, OWN)]
    ends: list[Value] = []
    for one in alternatives:
        for book, ledger in before:
            holder(machine).env[book] = ledger
        yield one
        now: list[Value] = [current(machine, book) for book, _ in before]
        ends = now if not ends else [joined(a, b) for a, b in zip(ends, now, strict=True)]
    level = _unsure_within(machine)
    for (book, ledger), end in zip(before, ends, strict=False):
        if kinds and book == OWN and level == 1:
            end = _certain(ledger, end, kinds)
        holder(machine).env[book] = end


def _certain(before: Typestate, end: Value, kinds: Container[str]) -> Value:
    """The marks after alternatives: those of some kinds that stand in all of them are sure."""
    if not isinstance(end, Typestate):
        return end
    old = before.marks
    marks = {
        key: replace(mark, is_sure=True, doubts=0)
        if mark.doubts == 1 and key not in old and key[0] in kinds
        else mark
        for key, mark in end.marks.items()
    }
    return Typestate(marks, end.given)


def handed_in(machine: Any, env: dict[str, Value]) -> None:
    """A function begins with the marks of the code that calls it, but those of its own kinds."""
    env[LEDGER], env[OWN] = current(machine), Typestate({}, dict(env))


def handed_back(machine: Any, frame: Any, falls: bool) -> Typestate:
    """The code that called a function goes on with the marks of all paths out of it; those of
    its own kinds."""
    ends = list(frame.exits)
    if falls or not ends:
        ends.append(frame.env)
    holder(machine).env[LEDGER] = _at(ends, LEDGER)
    return _at(ends, OWN)


def _at(ends: list[dict[str, Value]], book: str) -> Typestate:
    after = ends[0].get(book, EMPTY)
    for env in ends[1:]:
        after = joined(after, env.get(book, EMPTY))
    return after if isinstance(after, Typestate) else EMPTY

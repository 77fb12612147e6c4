"""Lists that a function appends to for a while: what is taken off again is what was put on."""

from __future__ import annotations

from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.balance import ENDS, lent_to
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Method, Sequence, Value
from jaxlint.engine.machine.events import PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.context_managers import content, restore
from jaxlint.syntax import ir

_METHODS = frozenset({*ENDS, *ENDS.values()})


@slotted(eq=False)
class Loan:
    """An element that a running function has put on a list: what the list held `before`, and then
    with it."""

    frame: Frame
    owner: Sequence
    value: Value
    before: tuple[Any, ...]
    held: tuple[Any, ...] = ()


_LOANS: PerRun[list[Loan]] = PerRun(list)


def is_lent(frame: Frame, method: Method) -> bool:
    """Whether the running function appends to a list for a while, and this is a part of that."""
    if method.name not in _METHODS or not isinstance(method.place, ir.Attribute):
        return False
    return dotted_text(method.place.value) in lent_to(frame.home().func)


def lend(machine: Machine, frame: Frame, owner: Sequence, value: Value) -> Loan:
    """An element is about to be put on a list."""
    loan = Loan(frame.home(), owner, value, content(owner))
    _LOANS.of(machine).append(loan)
    return loan


def is_lent_out(loan: Loan, name: str) -> None:
    """The element is on the list, at the end or in front."""
    if name == "append":
        loan.owner.last = loan.value
    loan.held = content(loan.owner)


def take_back(machine: Machine, frame: Frame, owner: Sequence) -> Value | None:
    """The element that the running function has put on a list, and takes off now: the list holds
    what it held before. None where others have changed it since."""
    loans, home = _LOANS.of(machine), frame.home()
    at = len(loans) - 1
    while at >= 0 and loans[at].frame is not home:
        at -= 1
    if at < 0 or loans[at].owner is not owner:
        return None
    loan = loans[at]
    del loans[at:]
    if not _is_same(loan.held, content(owner)):
        return None
    restore(owner, loan.before)
    return loan.value


def _is_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether a list holds the same elements."""
    items, others = one[0], other[0]
    if one[1] is not other[1] or (items is None) is not (others is None):
        return False
    return items is None or (
        len(items) == len(others) and all(a is b for a, b in zip(items, others, strict=True))
    )

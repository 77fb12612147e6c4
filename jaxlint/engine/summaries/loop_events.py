"""What is noted of a loop while it runs, until it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.values import Value
from jaxlint.engine.summaries.cost import Cost
from jaxlint.syntax import ir

How = Literal["update", "read", "compute"]


@slotted(frozen=True)
class Touch:
    """An array (`subject`) is handled at one element for each iteration."""

    node: ir.Node
    how: How
    subject: ir.Node | None
    value: Value


@slotted()
class Turns:
    """One run of a loop over `iterable`, which `place` is, with `body` and the `names` that each
    iteration sets.

    `before` is what had been done until it began, `touched` what was done to elements of arrays,
    and `read` where arrays were waited for in every iteration.
    """

    place: ir.Expr
    iterable: Value | None
    names: frozenset[str]
    body: Any
    before: Cost
    touched: list[Touch] = field(default_factory=list)
    read: list[ir.Node] = field(default_factory=list)
    # Differences to what a clock showed before the loop, and what had been done by then.
    timed: list[tuple[tuple[ir.Node, ir.Node], Cost]] = field(default_factory=list)
    # The path of an iteration from its beginning.
    began: object = None
    # What names held before the loop.
    held: Mapping[str, Value] = field(default_factory=dict)

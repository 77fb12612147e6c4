"""State that outlives a trace: what it stores, what it advances, and what it captured before."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Because
from jaxlint.facts.core import Fact
from jaxlint.syntax import ir


@slotted(eq=False)
class Stored(Fact):
    """Traced code changes something that outlives the trace.

    `place` is "global", "nonlocal", "attribute" or "container"; `target` the changed name,
    attribute or container as written ("count", "self.calls", "seen"); `how` is "assign",
    "augment", "delete", "subscript" or the method ("append"). A traced stored value
    (`is_traced`) is a leak, a static one an effect that happens once per trace. `owner` is the
    text of the thing changed for attributes ("self"); `body` tells that the owner is local to
    an enclosing trace and the code is a body with a trace of its own (`lax.scan`); `once` that a
    function without a result asks the name before, and gives it a constant, as for a message that
    is shown once.
    """

    place: Literal["global", "nonlocal", "attribute", "container"] = "global"
    target: str = ""
    how: str = "assign"
    owner: str = ""
    body: bool = False
    once: bool = False


@slotted(eq=False)
class Advanced(Fact):
    """Traced code advances an iterator that was created outside (`next`, `for`, unpacking)."""

    name: str = ""
    how: str = "next"
    created: ir.Node | None = None


@slotted(eq=False)
class StaleCapture(Fact):
    """Traced code reads (`node`) something that changes after its first call: the value of the
    first trace stays in the compiled function.

    `kind` is "global", "closure", "mutable" (container, array or object changed in place),
    "self" (an attribute of a static or bound `self`) or "loop" (a loop variable captured by a
    function that outlives the iteration). `changed` are the places of the change. It is only
    `possible` where nothing in the file calls the function that makes it, and for a function
    that is called in the iteration that makes it: calls with other shapes trace it again. It
    is not certain either where one call without arguments binds a name again and again, or where
    the arguments of the calls after the change are made of something else. "helper"
    is a function that is rebound. `holder` is the class of the object that is changed in place.
    """

    kind: Literal["global", "closure", "mutable", "self", "loop", "helper"] = "global"
    name: str = ""
    changed: tuple[ir.Node, ...] = field(default=())
    possible: bool = False
    holder: str = ""

    @property
    def is_certain(self) -> bool:
        return not self.possible

    def _uncertainty(self) -> Because:
        message = "there may be no call after the change, or one for which it is traced again"
        return Because(self.span, message)

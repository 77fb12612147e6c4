"""Facts about eager code that compiles again and again."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Eager, Fact


@slotted(eq=False)
class FreshBody(Eager):
    """Control flow outside of `jit` is given a body that is a new function each time.

    `callee` is the control flow as written, `body` what sort of function it is given: "lambda",
    "local function", "partial", "bound method", "transformed function". It repeats `in_loop`, or
    with each call of the function around.
    """

    callee: str = ""
    body: str = ""
    in_loop: bool = False


@slotted(eq=False)
class CacheCleared(Fact):
    """A loop throws away compiled programs (`node`), or asks for others by a setting.

    `kind` is "caches" or "context", `callee` what is called, as written. `timed` tells that a
    clock is read in the same loop: compiling may be what is measured.
    """

    kind: str = "caches"
    callee: str = ""
    detail: str = ""
    timed: bool = False

    @property
    def minor(self) -> str:
        return "a clock is read in this loop" if self.timed else ""

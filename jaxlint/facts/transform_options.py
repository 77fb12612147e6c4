"""Facts about transforms that are applied to what they refuse, or in vain."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact

Fault = Literal[
    "call", "range", "name", "type", "overlap", "method", "operand", "unused", "data", "spelling"
]


@slotted(eq=False)
class InvalidOption(Fact):
    """A transform is applied (`node`) with options, or to something, that it has no use for.

    `kind` is "range" (a number that no positional parameter has), "name" (a name that no
    parameter has), "type" (numbers where names belong, or the other way round), "overlap" (static
    and donated at once), "method" (numbers that leave `self` out of the count), "operand" (no
    function at all), "unused" (a statement of its own), "data" (arguments beside the function, or
    the wrapped function in arithmetic), "spelling" (options by position, or the function by
    name) or "call" (a call, `node`, of the function does not pass by position what is numbered).

    `callee` is the transform as written, `option` the option, `target` the function, `given` what
    it is given, `detail` what else the message needs. An option that is only `accepted` works,
    though not as it reads.
    """

    kind: Fault = "range"
    callee: str = ""
    option: str = ""
    target: str = ""
    given: str = ""
    detail: str = ""
    accepted: bool = False

    @property
    def raises(self) -> frozenset[str]:
        if self.kind == "call":
            return frozenset({"ValueError", "TypeError"})
        if self.kind in ("range", "name", "overlap"):
            return frozenset({"ValueError"})
        return frozenset() if self.kind == "unused" else frozenset({"TypeError"})


@slotted(eq=False)
class UselessTransform(Fact):
    """A transform is given an option that JAX is giving up; `callee` is the transform as written,
    `target` the option."""

    callee: str = ""
    target: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError"}) if self.target == "abstracted_axes" else frozenset()

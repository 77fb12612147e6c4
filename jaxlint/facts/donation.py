"""Facts about buffers that are given away."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Because
from jaxlint.facts.core import Fact
from jaxlint.syntax import ir


@slotted(eq=False)
class Donated(Fact):
    """An array (`node`) is used although the call `given` has its buffer.

    `kind` is "use" (it is read later), "loop" (the same call gets it again, one iteration later),
    "kept" (the attribute `holder` goes on holding it) or "twice" (the call gets it a second time at
    once, by another argument, as a constant of the compiled function, or as the `other` place of a
    container). `target` is the array as
    written, `callee` the function that it was given to. It is only `possible` where nothing says
    that this is an array of JAX: one of NumPy keeps its buffer.
    """

    kind: Literal["use", "loop", "twice", "kept"] = "use"
    target: str = ""
    callee: str = ""
    given: ir.Node | None = None
    possible: bool = False
    holder: str = ""
    other: str = ""

    @property
    def is_certain(self) -> bool:
        return not self.possible and not self.unsure

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"RuntimeError", "ValueError"})

    def _uncertainty(self) -> Because:
        return Because(self.span, "this takes an array of JAX there, on the path that leads here")


@slotted(eq=False)
class UselessDonation(Fact):
    """A donation that nothing comes of: `kind` is "shape" (no result could use the buffer),
    "traced" (the function is only called in traced code) or "name" (the argument goes by a name
    that is not among the donated ones). `target` is the argument, `callee` the function."""

    kind: Literal["shape", "traced", "name"] = "shape"
    target: str = ""
    callee: str = ""

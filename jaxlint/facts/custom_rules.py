"""Facts about functions with differentiation rules of their own."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class CustomRuleClosure(Fact):
    """A function with rules gets a tracer in a way that its rules cannot have.

    `kind` is "captured" (the function and its rules read `name`, a tracer that is being
    differentiated) or "nondiff" (it is passed where `nondiff_argnums` says that there is a Python
    value). `callee` is the function.
    """

    kind: Literal["captured", "nondiff"] = "captured"
    name: str = ""
    callee: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError"})

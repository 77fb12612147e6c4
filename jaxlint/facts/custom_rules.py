"""Facts about functions with differentiation rules of their own."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class CustomRuleClosure(Fact):
    """A function with rules gets a tracer in a way that its rules cannot have.

    `kind` is "captured" (the function and its rules read `name`, a tracer that is being
    differentiated), "nondiff" (it is passed where `nondiff_argnums` says that there is a Python
    value) or "staged" (the same in staged code that is differentiated, after whose trace the rule
    runs). `callee` is the function.
    """

    kind: Literal["captured", "nondiff", "staged"] = "captured"
    name: str = ""
    callee: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError"})

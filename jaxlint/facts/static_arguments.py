"""Facts about the operands of JAX operations: what must not be traced, and what is no array."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class StaticNeeded(Fact):
    """A traced value (`node`) is passed where JAX needs a Python value.

    `need` is "layout" (it rearranges the result: `reshape`, `tile`, `split`, `pad`) or "option"
    (an axis, a flag, a mode, a count). `callee` is the function as written, `dotted` its full
    name, `parameter` the parameter.
    """

    need: Literal["layout", "option"] = "option"
    callee: str = ""
    dotted: str = ""
    parameter: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError", "ValueError"})

"""Facts about functions that JAX refuses: those given to transforms, and what they give back."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class Refused(Fact):
    """JAX raises at `node`, whatever the values are.

    `kind` names the contract, `subject` what is refused, as written, `callee` what refuses it, and
    `detail` what else the message needs.
    """

    kind: str = ""
    subject: str = ""
    callee: str = ""
    detail: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError", "ValueError"})

    @property
    def is_traced(self) -> bool:
        return False

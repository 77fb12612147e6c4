"""Facts about state of the process."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class Ambient(Fact):
    """Traced code reads state of the process, or changes it.

    `kind` is "read" (environment, flags, working directory), "set" (options of JAX) or "assigned"
    (an attribute of `jax.config`, which refuses that); `subject` is what, as written.
    """

    kind: Literal["read", "set", "assigned"] = "read"
    subject: str = ""

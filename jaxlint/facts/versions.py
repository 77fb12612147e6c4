"""Facts about names that JAX has taken away, or is about to."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class Outdated(Fact):
    """Code uses (`node`) a name of JAX that went, or that warns.

    `kind` is "removed" or "deprecated", `target` the full name, `since` the release in which that
    happened, `instead` the name that replaces it, "" where there is none. `renames` are, for an
    import, all names in it that went or that warn, each with the full name that replaces it.
    `settled` tells that the newest JAX of the project has all of these.
    """

    kind: Literal["removed", "deprecated"] = "removed"
    target: str = ""
    since: str = ""
    instead: str = ""
    renames: tuple[tuple[str, str], ...] = ()
    settled: bool = False

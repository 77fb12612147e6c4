"""Facts about arrays where Python or NumPy code takes them for something else."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact


@slotted(eq=False)
class ArrayMismatch(Fact):
    """JAX or Python refuses what is done with an array (`node`), traced or not.

    `kind` names what is done, `subject` is the array or the function as written, and `detail` what
    else the message needs. `errors` are the builtin classes of what is raised; a use that is
    answered, in another way than meant, has none. `masked` tells that the index of an element is a
    traced mask.
    """

    kind: str = ""
    subject: str = ""
    detail: str = ""
    errors: tuple[str, ...] = ("TypeError",)
    masked: bool = False

    @property
    def raises(self) -> frozenset[str]:
        return frozenset(self.errors)


@slotted(eq=False)
class Swallowed(Fact):
    """What tracers raise at `node` is caught: in traced code the handler always runs.

    `handler` is what is caught, as written. `kind` is "raised" for that, and "never" for a handler
    of an error that Python raises and JAX does not: in traced code it never runs. `idle` tells that
    nothing of the result depends on what the `try` does, `answered` that the handler binds `None`,
    or returns from a function that traced code calls: it may be meant to say that a value cannot be
    read.
    """

    kind: str = "raised"
    handler: str = ""
    idle: bool = False
    answered: bool = False

"""Facts about calls of compiled functions: what makes them compile again."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import Span
from jaxlint.facts.core import Eager, Fact
from jaxlint.syntax import ir

Split = Literal["value", "shape", "weak", "kind", "fresh", "style", "structure", "self"]


@slotted(eq=False)
class Retraced(Eager):
    """A compiled function, `callee` as written, is called so that it compiles more than once.

    `kind` says why: a static argument takes a new value ("value") or is a new object ("fresh")
    each time; the shape of an argument changes ("shape"); a carry starts as a Python number
    ("weak"); one parameter gets numbers of different types ("kind"); one signature is called in
    several styles ("style") or with containers of different structure ("structure"); programs
    are kept for each `self` ("self"). `parameter` is the parameter, if its name is known,
    `detail` what the kind needs to say more, and `other` the place to compare with.
    """

    kind: Split = "value"
    callee: str = ""
    parameter: str = ""
    detail: str = ""
    other: ir.Node | None = None


@slotted(eq=False)
class Unhashable(Fact):
    """A static argument of a compiled function has no hash, so that no program can be found.

    `kind` is "traced-static" (a tracer), "array-static" (an element of an array that a loop goes
    through), "static-value" (a list, a dict, an array) or "static-class" (an object whose class
    has no hash). `subject` is the parameter, `callee` the function, `detail` what is passed.

    For "equality", it has a hash, but `node` is an `__eq__` that does not look at `detail`, which
    the function reads.
    """

    kind: str = ""
    subject: str = ""
    detail: str = ""
    callee: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset() if self.kind == "equality" else frozenset({"ValueError"})


@slotted(eq=False)
class Refusal(Fact):
    """An argument that is not static is no array, and no pytree of arrays: `detail` says what it
    is ("a string"), `subject` for which parameter of `callee`, and `unhashable` what keeps it
    from being a static argument ("a list"). `by` is the transform, or the function of control
    flow, that takes it, "" where it is compiled."""

    kind: str = ""
    subject: str = ""
    detail: str = ""
    callee: str = ""
    unhashable: str = ""
    by: str = ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError"})


@slotted(eq=False)
class ShouldBeStatic(Fact):
    """A parameter (`node`) of a compiled function is a Python value by its use, and not static.

    `use` is where its value is needed ("value"), the argument that JAX does not take ("call") or
    a test of the parameter alone, in a function that nobody is seen to call ("test").
    """

    kind: Literal["value", "call", "test"] = "value"
    parameter: str = ""
    use: ir.Node | None = None

    def subjects(self) -> frozenset[tuple[str, Span]]:
        found = Fact.subjects(self)
        if self.use is None:
            return found
        owner = self._sources.owner(self.use, self.module)
        return found | {(owner.file, owner.locate(self.use))}

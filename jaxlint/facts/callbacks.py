"""Facts about host callbacks and `jax.debug.print`."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact
from jaxlint.syntax import ir


@slotted(eq=False)
class DebugFormat(Fact):
    """The format of `jax.debug.print` does not do what its author wants.

    `kind` is "eager" (a tracer is formatted into the text: `traced`), "unused" (an argument that
    the format does not name: `subject`, or a printf-style format) or "missing" (a field without
    an argument: `subject`). `operands` are the tracers that are formatted.
    """

    kind: Literal["eager", "unused", "missing"] = "eager"
    subject: str = ""
    callee: str = ""
    operands: tuple[ir.Expr, ...] = ()

    @property
    def raises(self) -> frozenset[str]:
        of_kind = {"unused": {"ValueError"}, "missing": {"IndexError", "KeyError", "LookupError"}}
        return frozenset(of_kind.get(self.kind, ()))


@slotted(eq=False)
class HostCallback(Fact):
    """A callback on the host is not what it should be.

    `kind` is "captures" (the function has the tracer `name` from around it), "called" (the
    function is called instead of passed: `name` is what is passed), "unused" (nobody reads what a
    pure callback gives) or "impure" (a pure callback has the effect `name`). `callee` is the
    function that takes the callback, as written.
    """

    kind: Literal["captures", "called", "unused", "impure"] = "captures"
    name: str = ""
    callee: str = ""
    place: ir.Node | None = None

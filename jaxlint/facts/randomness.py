"""Facts about random keys."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Because
from jaxlint.facts.core import Fact
from jaxlint.syntax import ir

KeyKind = Literal[
    "reuse",
    "loop",
    "captured",
    "unmapped",
    "replicated",
    "spread",
    "discarded",
    "array",
    "constant",
    "collision",
    "refolded",
    "arithmetic",
    "number",
    "default",
    "legacy",
    "unpacked",
]


@slotted(eq=False)
class KeyUsed(Fact):
    """A random key is used (`node`) so that numbers come out that are not independent, or none.

    `kind` is "reuse" (consumed before, at `first`), "loop" (consumed by each iteration),
    "captured" (consumed by each run of a body that captures it), "unmapped" (by each run of a
    function that is mapped over other arguments), "replicated" (by each device, for its part of an
    array), "spread" (the keys of an object, as by a mapped function), "discarded" (what `split` or
    `fold_in` gives is dropped), "array" (several keys where one is needed), "constant" (made of
    a constant by each run), "collision" (`split` and `fold_in`, or two `split`, of one key),
    "refolded" (two `fold_in` of one key with the same data), "arithmetic" (`key + 1`), "number"
    (a Python value for a key), "default" (the default of a parameter), "legacy" (`PRNGKey`) or
    "unpacked" (a number of keys is unpacked into another number of names).
    `subject` is the key as written, `callee` what uses it. `possible` tells that it happens on
    some paths only, `fails` that it raises, `matching` that a function of the project is called
    twice, with different arguments: the numbers may be meant to match. `unread` tells that
    nothing reads what the first use gave, and `own` that both uses are calls of functions of the
    project.
    """

    kind: KeyKind = "reuse"
    subject: str = ""
    callee: str = ""
    first: ir.Node | None = None
    possible: bool = False
    fails: bool = False
    matching: bool = False
    unread: bool = False
    own: bool = False

    @property
    def minor(self) -> str:
        if self.matching and self.kind == "reuse":
            return f"`{self.callee}` may be meant to draw the same numbers for other arguments"
        if self.unread:
            return f"nothing reads what is drawn at {self.earlier}"
        if self.kind == "loop" and self.in_tests:
            return "the data of a test may be alike"
        if self.own and self.kind == "collision" and self.in_tests:
            return "a test may compare what two functions make of one key"
        return ""

    @property
    def raises(self) -> frozenset[str]:
        return frozenset({"TypeError", "ValueError"}) if self.fails else frozenset()

    @property
    def is_certain(self) -> bool:
        return not self.unsure and not self.possible and not self.matching

    @property
    def earlier(self) -> str:
        """Where the key was used before: "line 12"."""
        return "" if self.first is None else self.line_of(self.first)

    def _uncertainty(self) -> Because:
        if self.matching and not self.possible:
            message = f"`{self.callee}` may be meant to draw the same numbers for other arguments"
            return Because(self.span, message)
        return Because(self.span, "this depends on the path that is taken")

"""Facts about code that is right, and slow: what it repeats, and what it measures."""

from __future__ import annotations

from typing import Final, Literal

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Eager, Fact
from jaxlint.syntax import ir

# As many iterations or elements are many: fewer cost less than rewriting the loop.
MANY: Final = 64


def _few(count: int | None) -> str:
    """Why a loop of traced code that runs so often may stay, None for a number that is not seen."""
    if count is None:
        return "how many elements there are is not seen"
    return f"there are only {count} of them" if count < MANY else ""


@slotted(eq=False)
class Unrolled(Fact):
    """A Python loop of traced code (`node` is what it runs over) repeats JAX operations in the
    traced program, once for each iteration.

    `count` is how often it runs, None where that is the length of an array's axis.
    `comprehension` tells that it is no statement. `steady` are the names that an iteration binds
    and that hold an array of the same rank and dtype before the loop and after an iteration.
    """

    count: int | None = None
    comprehension: bool = False
    steady: frozenset[str] = frozenset()

    @property
    def minor(self) -> str:
        return _few(self.count)


@slotted(eq=False)
class ArrayIterated(Fact):
    """Traced code iterates over an array (`node`): each element is a slice of its own.

    `how` is "for", "zip", "enumerate", "unpacking", or the function that iterates; `count` the
    number of elements where it is known.
    """

    how: str = "for"
    count: int | None = None

    @property
    def minor(self) -> str:
        return _few(self.count)


@slotted(eq=False)
class ElementwiseLoop(Eager):
    """Host code handles an array element by element in a loop: each time an operation is sent to
    the device, and awaited if it is read.

    `how` is "update" (`x.at[i].set(...)`), "read" (`x[i]`) or "iterate" (`for v in x`).
    `count` is how often the loop runs, where it is known, `subject` the array as written.
    """

    how: Literal["update", "read", "iterate"] = "update"
    count: int | None = None
    subject: str = ""


@slotted(eq=False)
class Timed(Eager):
    """The `difference` of two readings of a clock in host code.

    `kind` is "unblocked" (JAX was called in between, and nothing waited for it: `node` is the
    second reading) or "cold" (a compiled function was called there for the first time, `subject`:
    `node` is the difference).
    """

    kind: Literal["unblocked", "cold"] = "unblocked"
    subject: str = ""
    difference: ir.Node | None = None


@slotted(eq=False)
class ListArgument(Eager):
    """Host code gives JAX a list of numbers (`node`).

    `kind` is "passed" (to the compiled function `subject`: each number is a parameter of the
    program) or "gathered" (arrays of one number each become one array; `subject` is the list, if
    it has a name). `count` is how many there are, where it is known. `computed` tells that a
    compiled function is called for each: that takes most of the time.
    """

    kind: Literal["passed", "gathered"] = "passed"
    count: int | None = None
    subject: str = ""
    computed: bool = False

    @property
    def minor(self) -> str:
        return "a compiled function computes each of them" if self.computed else ""


@slotted(eq=False)
class LoopCost(Eager):
    """Host code does something in a loop (`node`) that costs each time.

    `kind` is "grow" (an array is concatenated with itself: `subject`), "sync" (the result of a
    compiled function is read), "gradient" (a function that a transform made is called, and not
    compiled: `subject`). `brief` tells of an array that grows that the loop calls no compiled
    function and is not known to be long.
    """

    kind: Literal["grow", "sync", "gradient"] = "grow"
    subject: str = ""
    detail: str = ""
    brief: bool = False

    @property
    def minor(self) -> str:
        return "the loop may be short, and calls no compiled function" if self.brief else ""

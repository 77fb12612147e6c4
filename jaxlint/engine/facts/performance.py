"""Facts about code that is right, and slow: what it repeats, and what it measures."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.slotted import slotted
from jaxlint.engine.facts.core import Eager, Fact


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


@slotted(eq=False)
class Sliced(Fact):
    """Traced code iterates over an array (`node`): each element is a slice of its own.

    `how` is "for", "zip", "enumerate", "unpacking", or the function that iterates; `count` the
    number of elements where it is known.
    """

    how: str = "for"
    count: int | None = None


@slotted(eq=False)
class Piecemeal(Eager):
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
    """The difference of two readings of a clock (`node`) in host code.

    `kind` is "unblocked" (JAX was called in between, and nothing waited for it) or "cold" (a
    compiled function was called there for the first time, `subject`).
    """

    kind: Literal["unblocked", "cold"] = "unblocked"
    subject: str = ""


@slotted(eq=False)
class Listed(Eager):
    """Host code gives JAX a list of numbers (`node`).

    `kind` is "passed" (to the compiled function `subject`: each number is a parameter of the
    program) or "gathered" (arrays of one number each become one array; `subject` is the list, if
    it has a name). `count` is how many there are, where it is known.
    """

    kind: Literal["passed", "gathered"] = "passed"
    count: int | None = None
    subject: str = ""


@slotted(eq=False)
class Repeated(Eager):
    """Host code does something in a loop (`node`) that costs each time.

    `kind` is "grow" (an array is concatenated with itself: `subject`), "sync" (the result of a
    compiled function is read), "gradient" (a function that a transform made is called, and not
    compiled: `subject`).
    """

    kind: Literal["grow", "sync", "gradient"] = "grow"
    subject: str = ""
    detail: str = ""

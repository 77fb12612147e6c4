"""What calls are charged with: the runs of functions and loops that they took.

A run that is remembered is charged to each analysis that makes use of it, and once to each: what an
analysis may still run does not depend on what others ran before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator


class Charge:
    """One run of a function or loop, named by the identity of its node, and those that it led to.
    There are to be at most so many runs of it."""

    __slots__ = ("inner", "most", "node")

    def __init__(self, node: int, most: int) -> None:
        self.node, self.most = node, most
        self.inner: list[Charge] = []

    def reached(self, known: Collection[Charge], depth: int) -> Iterator[Charge]:
        """This run and those that it led to, each once and so many calls deep, but for those that
        are known and what they led to."""
        level = [] if self in known else [self]
        seen = {self}
        while level and depth > 0:
            depth -= 1
            yield from level
            below = [inner for one in level for inner in one.inner if inner not in known]
            level = [*dict.fromkeys(one for one in below if one not in seen)]
            seen.update(level)

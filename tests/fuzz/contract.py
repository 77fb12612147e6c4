"""What the parts of the differential test tell each other: programs, and what JAX says of them.

Lines count from 1 and columns count UTF-8 bytes from 0, as in `ast`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A complete module: imports, definitions, and statements that call entry points.

    To stage a program is to execute its module.
    """

    seed: int
    source: str


@dataclass(frozen=True)
class Site:
    """A place that asks a tracer for its value, and how it asks.

    Kinds: bool int index float complex array item tolist hash format mask slice shape, and iter
    for a loop over a tracer. `guarded` tells that the program handles the error.
    """

    kind: str
    line: int
    column: int
    end_line: int
    end_column: int
    guarded: bool


@dataclass(frozen=True)
class Label:
    """What a local name held on entry to a statement, whenever it ran under trace.

    `first` is the line of the `def` (not of its decorators) or of the lambda, whose `function` is
    "<lambda>"; `line` is where the statement starts. `kind` is "traced", "static", "may" (traced
    at times) or "opaque" (it cannot be looked into: iterators).
    """

    function: str
    first: int
    line: int
    name: str
    kind: str


@dataclass(frozen=True)
class Effect:
    """What a statement did to the world outside while JAX traced.

    Kinds: "print" (of a tracer, or a text of one), "output" (a print of nothing traced), "log",
    "clock", "rng", "io", "container" (one made outside this trace changed), "iterator" (one made
    outside advanced), "global" (a module global was rebound), "nonlocal" (a variable of a function
    that runs outside this trace was rebound) and "attribute".
    `line` is where the statement starts. `staged` tells that JAX wrote the program down, so that a
    later call need not repeat the effect; it is false under nothing but an eager vmap or grad.
    """

    kind: str
    line: int
    staged: bool = True


@dataclass(frozen=True)
class Labels:
    """What JAX says of one program.

    `executed` are the lines where statements started under trace. `endings` are the errors that
    ended a run before the end of the module, and `exhausted` tells that a limit cut the
    exploration short: what is missing then is unknown. `loops` are the loops over tracers, of
    kind "iter".
    """

    sites: tuple[Site, ...]
    names: tuple[Label, ...]
    effects: tuple[Effect, ...]
    executed: frozenset[int]
    endings: tuple[str, ...]
    exhausted: bool
    loops: tuple[Site, ...] = ()

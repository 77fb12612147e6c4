"""Checks: detection that subscribes to the events of a run.

One check is one value in one module. The interpreter emits events and knows no check by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir


class Operand(Protocol):
    """What the engine knows of one value.

    `kind` is "traced" for a tracer, "array" for an array with a value, "static" for a value of
    Python that is neither, "container" for one that holds other values, "unknown" otherwise.
    `constant` is the value of a static operand where `is_known` says that it is one. `provenance`
    says why a traced operand is traced.
    """

    @property
    def kind(self) -> str: ...
    @property
    def is_known(self) -> bool: ...
    @property
    def constant(self) -> Any: ...
    @property
    def provenance(self) -> Provenance | None: ...


class Event(Protocol):
    """What happens at one place of the code that runs.

    `function` is the name of the function around, `entry` the place where its trace starts, None
    in host code.
    """

    @property
    def node(self) -> ir.Node: ...
    @property
    def module(self) -> ir.Module: ...
    @property
    def function(self) -> str: ...
    @property
    def entry(self) -> TraceEntry | None: ...

    def emit(self, fact: Fact) -> None:
        """Adds a fact, which the rules that listen to its kind judge."""


class Call(Event, Protocol):
    """A function of a library is called; `dotted` is its canonical name."""

    @property
    def dotted(self) -> str: ...

    def argument(self, position: int, name: str) -> Operand | None:
        """The argument at a position or with a name, None where none is seen."""


@slotted(frozen=True, eq=False)
class Check:
    """One check, with the events that it listens to.

    `on_call` hears calls of the library functions in `calls`, by their canonical names. `on_finish`
    hears once that the whole file has run. `state` makes the check's own state of one run, which
    `state_of` of the machine gives.
    """

    name: str
    calls: frozenset[str] = frozenset()
    on_call: Callable[[Any], None] | None = None
    on_finish: Callable[[Any], None] | None = None
    state: Callable[[], Any] | None = None

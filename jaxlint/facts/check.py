"""Detection that a plugin brings: checks listen to events of the abstract tracer and emit facts.

A check sees values as `Operand`, which is stable; the abstract values of the engine are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.facts.core import Fact
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir


class Operand(Protocol):
    """What the tracer knows of one value.

    `kind` is "traced" for a tracer, "array" for an array that has a value, "static" for a Python
    value that is no container, "container" for one that holds others, and "unknown" otherwise.
    `constant` is the Python value of a static operand where `is_known` says that it is known.
    `dtype` is "bool", "int", "float" or "complex" where it is known of a number or array, `rank`
    the number of dimensions of an array. `provenance` says why a traced operand is traced.
    """

    @property
    def kind(self) -> str: ...
    @property
    def is_known(self) -> bool: ...
    @property
    def constant(self) -> Any: ...
    @property
    def dtype(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def provenance(self) -> Provenance | None: ...


class Event(Protocol):
    """Something that happens at a place of the code that runs.

    `function` is the name of the function around the place, `entry` says how its code comes to be
    traced, and is None in host code. `in_loop` tells whether a Python loop of that function runs
    it. `state` is what the check's own `state` has made for this file.
    """

    @property
    def node(self) -> ir.Node: ...
    @property
    def module(self) -> ir.Module: ...
    @property
    def function(self) -> str: ...
    @property
    def entry(self) -> TraceEntry | None: ...
    @property
    def in_loop(self) -> bool: ...
    @property
    def state(self) -> Any: ...

    def emit(self, kind: type[Fact], operand: Operand | None = None, **fields: Any) -> None:
        """Adds a fact of a kind at this place, for rules that listen to it. `operand` is the value
        that it is about, `fields` are those that the kind adds to `Fact`."""


class Call(Event, Protocol):
    """A call of a library's function; `dotted` is the name that the check has asked for."""

    @property
    def dotted(self) -> str: ...

    def argument(self, position: int, name: str) -> Operand | None:
        """The argument at a position or of a name, None where the call shows none."""


class Operation(Event, Protocol):
    """A binary operator with an array on one side at least."""

    @property
    def operator(self) -> str: ...
    @property
    def left(self) -> Operand: ...
    @property
    def right(self) -> Operand: ...


class TraceEnd(Event, Protocol):
    """The end of a function that JAX traces; `result` is what it returns."""

    @property
    def result(self) -> Operand: ...


@slotted(frozen=True, eq=False)
class Check:
    """One check, with the events that it listens to.

    `on_call` hears the calls of the library functions that `calls` names, by the names that a
    program imports. `on_operation`, `on_trace_end` and, once the whole file has run, `on_finish`
    hear all of theirs; the node of the last is the file's first statement. A handler returns
    nothing; an exception that it raises is reported as a crash of the file's examination. A
    function may run several times, for several arguments: equal facts are reported once.
    """

    name: str
    calls: frozenset[str] = frozenset()
    on_call: Callable[[Call], None] | None = None
    on_operation: Callable[[Operation], None] | None = None
    on_trace_end: Callable[[TraceEnd], None] | None = None
    on_finish: Callable[[Event], None] | None = None
    state: Callable[[], Any] | None = None

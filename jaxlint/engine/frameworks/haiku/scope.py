"""Where a function that Haiku transformed runs, and what must not happen there.

What Haiku keeps (parameters, state, keys) outlives the traces of JAX inside: what is made in one
of them is a tracer that leaks. Haiku documentation, "Limitations of nesting JAX functions and
Haiku modules"; google-deepmind/dm-haiku#176, google-deepmind/dm-haiku#214.
"""

from __future__ import annotations

from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Traced, Value
from jaxlint.engine.frameworks.inner_traces import outlives, staged_inside
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# Transforms that Haiku lifts.
_LIFTED = "hk."
_KIND = "hk-jax-transform"


@slotted(eq=False)
class Scope:
    """One run of a transformed function, in `trace`.

    `params` are the parameters that `apply` was given. While it `initialises`, parameters are
    made: `made` are the places that have made theirs. `keyed` is a trace in which a key was
    drawn, so that the sequence of keys holds a tracer.
    """

    trace: Trace
    initialises: bool | None
    params: list[Value] = field(default_factory=list)
    made: set[int] = field(default_factory=set)
    keyed: Trace | None = None


def current(machine: Machine) -> Scope | None:
    """The innermost run of a transformed function."""
    found = machine.dynamic.scopes[-1] if machine.dynamic.scopes else None
    if not isinstance(found, Scope):
        return None
    # What is asked of the run, and what it keeps, changes as it goes on.
    machine.dynamic.effects.private = True
    return found


def makes_parameters(machine: Machine, frame: Frame, node: ir.Node | None, callee: str) -> None:
    """Parameters are made at `node`, the first time that it runs."""
    scope = current(machine)
    if scope is None or node is None:
        return
    trace = staged_inside(frame, scope.trace, _LIFTED)
    if trace is None:
        scope.made.add(id(node))
        draws_key(machine, frame)
    elif scope.initialises and id(node) not in scope.made:
        outlives(machine, trace, _KIND, callee, "makes its parameters")


def draws_key(machine: Machine, frame: Frame) -> None:
    """The next key is taken from the sequence, which is a tracer's after a draw in a trace."""
    scope = current(machine)
    if scope is None:
        return
    trace = staged_inside(frame, scope.trace, _LIFTED)
    if trace is not None:
        scope.keyed = scope.keyed or trace
    elif scope.keyed is not None:
        outlives(machine, scope.keyed, _KIND, "hk.next_rng_key", "draws a key")
        scope.keyed = None


def sets_state(machine: Machine, frame: Frame, value: Traced | None) -> None:
    """State is set to a value that is, or holds, a tracer."""
    scope = current(machine)
    trace = None if scope is None else staged_inside(frame, scope.trace, _LIFTED)
    if trace is not None and value is not None:
        outlives(machine, trace, _KIND, "hk.set_state", "sets state")

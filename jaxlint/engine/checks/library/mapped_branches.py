"""Effects in the branches of a `lax.cond` or `lax.switch` that `vmap` maps by its predicate: all
branches run then, for all rows, and a selection is made of their results.

Source: JAX documentation of `jax.lax.cond` and `jax.lax.switch`; jax-ml/jax#19314.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.library.callback_rules import mapped
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, LibraryName, Sequence, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge.host.callbacks import MAPPED_BRANCHES
from jaxlint.syntax import ir

# Functions that branches call are followed so far.
_DEPTH = 3


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A branch is selected."""
    chooses = args.get(0, "pred" if dotted.endswith("cond") else "index")
    found = None if chooses is None else mapped(machine, frame, [chooses])
    if found is None or not found.trail.is_certain():
        return
    for branch in _branches(args):
        effect = next(_effects(machine, branch, _DEPTH), None)
        if effect is None:
            continue
        call, name = effect
        kind = MAPPED_BRANCHES[name]
        if kind != "branch-refused" or is_uncaught(machine):
            callee = callee_of(call, name)
            misused(machine, frame, call, kind, callee, callee_of(node, dotted), found.trail)


def _branches(args: Args) -> Iterator[Value]:
    for value in args.values():
        for one in value.items or () if isinstance(value, Sequence) else (value,):
            if plain_function(one) is not None:
                yield one


def _effects(machine: Machine, value: Value, depth: int) -> Iterator[tuple[ir.Call, str]]:
    """The calls of a function, and of those that it calls, that have an effect when they run."""
    func = plain_function(value)
    if not isinstance(func, Function) or not depth:
        return
    for call in walk(func.node.body, (ir.Lambda, ir.FunctionDef)):
        if not isinstance(call, ir.Call) or not is_chain(call.func):
            continue
        if dotted_text(call.func).partition(".")[0] in func.node.bound:
            continue
        target = peek(machine, func.frame, call.func)
        if isinstance(target, LibraryName):
            if target.dotted in MAPPED_BRANCHES:
                yield call, target.dotted
        elif isinstance(target, Function):
            yield from _effects(machine, target, depth - 1)


CHECK = Check(
    "mapped-branches", on_library_call=(Named(called, ("jax.lax.cond", "jax.lax.switch")),)
)

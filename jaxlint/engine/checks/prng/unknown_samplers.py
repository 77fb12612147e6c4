"""Keys that go to functions of which nothing is known but that they draw: `proposal.sample(key)`,
and, where a loop of JAX gives each turn the same key, any that is called with one."""

from __future__ import annotations

from typing import Final

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.prng.exclusive_uses import DRAWING
from jaxlint.engine.checks.prng.key_reuse import Use, spend
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import named
from jaxlint.engine.domain.values import Unknown, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.transforms import LOOPS
from jaxlint.syntax import ir

# What keys are called, and the ends of such names.
_KEYS: Final = ("key", "rng", "seed")
# What runs a network takes a key that it may not need; what is told to set something up draws once.
_RUNNING: Final = ("apply", "apply_fn", "forward", "init", "loss", "reset")
_LOOPS: Final = frozenset(name.removeprefix("jax.") for name in LOOPS)


def called(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    """Something is called of which nothing is known."""
    if not isinstance(func, Unknown) or not isinstance(node, ir.Call):
        return
    callee = dotted_text(node.func).rpartition(".")[2]
    draws = isinstance(node.func, ir.Attribute) and callee in DRAWING
    if not draws and (callee.endswith(_RUNNING) or not _is_turn(frame)):
        return
    for value, place in args.pairs():
        if not isinstance(place, ir.Name) or not place.id.lower().endswith(_KEYS):
            continue
        key = named(machine, frame, value, place)
        if key is None or key.many is not None:
            continue
        if draws or key.root.trace is not frame.trace:
            use = Use("draw", callee, callee, presumed=True)
            spend(machine, frame, node, place, key, use)


def _is_turn(frame: Frame) -> bool:
    """Whether the code is the body of a loop of JAX."""
    entry = frame.trace.entry
    return entry is not None and entry.application.transform in _LOOPS


CHECK = Check("unknown-samplers", on_call=called)

"""Calls that one makes to look into a program, and forgets to take out."""

from __future__ import annotations

import os

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.values import Static
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.host.costs import DEBUGGING, DEBUGGING_CONTEXTS, DEBUGGING_OPTIONS
from jaxlint.syntax import ir

_WORDS = ("debug", "verbose")


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A call for debugging is made, or an option of JAX set."""
    what = DEBUGGING.get(dotted, "")
    if dotted == "jax.config.update":
        name, value = args.get(0, "name"), args.get(1, "val")
        what = (
            DEBUGGING_OPTIONS.get(name.const, "") if isinstance(name, Static) and name.known else ""
        )
        if not what or not _is_on(value):
            return
    elif dotted in DEBUGGING_CONTEXTS and args.positional and _is_off(args.positional[0]):
        return
    if in_test(frame) or _is_apart(machine) or not isinstance(node, ir.Call):
        return
    if any(word in name.lower() for name in machine.dynamic.tested for word in _WORDS):
        return
    misused(machine, frame, node, "debug-leftover", dotted_text(node.func), what)


def _is_off(value: object) -> bool:
    return isinstance(value, Static) and value.known and not value.const


def _is_on(value: object) -> bool:
    return isinstance(value, Static) and value.known and bool(value.const)


def _is_apart(machine: Machine) -> bool:
    """Whether the file is for tests, or for looking into programs."""
    name = os.path.splitext(os.path.basename(machine.module.source.path))[0]
    return name.startswith("test_") or name.endswith("_test") or name in ("conftest", "debug")


CHECK = Check(
    "debug-calls",
    on_library_call=(Named(called, {*DEBUGGING, "jax.config.update"}),),
)

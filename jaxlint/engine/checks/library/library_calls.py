"""Calls of library functions that are noticed wherever they are made, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from jaxlint.engine.checks.eager import list_arguments
from jaxlint.engine.checks.library import debug_calls, device_setup
from jaxlint.engine.checks.numerics import host_arithmetic
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.host.costs import DEBUGGING, NAMESAKES
from jaxlint.syntax import ir

Notice = Callable[[Machine, Frame, ir.Expr, str, Args], None]


def _both(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    device_setup.called(machine, frame, node, dotted, args)
    debug_calls.called(machine, frame, node, dotted, args)


NOTICES: Final[Mapping[str, Notice]] = {
    **dict.fromkeys(NAMESAKES, host_arithmetic.called),
    **dict.fromkeys(DEBUGGING, debug_calls.called),
    **dict.fromkeys(list_arguments.ARRAYS, list_arguments.gathered),
    **dict.fromkeys(device_setup.SETUPS, device_setup.called),
    "jax.config.update": _both,
}

"""Calls of library functions that are noticed wherever they are made, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from jaxlint.engine import arithmetic, leftovers, listed, startup
from jaxlint.engine.arguments import Args
from jaxlint.engine.machine import Machine
from jaxlint.engine.state import Frame
from jaxlint.knowledge.dispatch import DEBUGGING, NAMESAKES
from jaxlint.syntax import ir

Notice = Callable[[Machine, Frame, ir.Expr, str, Args], None]


def _both(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    startup.called(machine, frame, node, dotted, args)
    leftovers.called(machine, frame, node, dotted, args)


NOTICES: Final[Mapping[str, Notice]] = {
    **dict.fromkeys(NAMESAKES, arithmetic.called),
    **dict.fromkeys(DEBUGGING, leftovers.called),
    **dict.fromkeys(listed.ARRAYS, listed.gathered),
    **dict.fromkeys(startup.SETUPS, startup.called),
    "jax.config.update": _both,
}

"""How often code runs: seen to be called in a loop, or timed.

What is slow or careless is worth a change only where it matters how often it happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.dataflow.names import called_names

if TYPE_CHECKING:
    from jaxlint.engine.domain.environment import Frame
    from jaxlint.syntax import ir

_CLOCKS = frozenset(
    {"block_until_ready", "monotonic", "perf_counter", "process_time", "time", "timeit"}
)


def is_hot(machine: Any, func: ir.FunctionDef) -> bool:
    """Whether a loop of this file is seen to call a host function, or one that calls it."""
    seen, wanted = set[int](), [id(func)]
    while wanted:
        one = wanted.pop()
        if one in machine.program.looped:
            return True
        if one not in seen:
            seen.add(one)
            wanted += machine.program.callers.get(one, ())
    return False


def reads_clock(frame: Frame) -> bool:
    """Whether the function around measures how long something takes, or the module's own code."""
    home = frame.home()
    around = home.func if home.func is not None else home.root.module
    return around is not None and not _CLOCKS.isdisjoint(called_names(around.body))

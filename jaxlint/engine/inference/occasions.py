"""How often code runs: seen to be called in a loop, or timed.

What is slow or careless is worth a change only where it matters how often it happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import called_names, dotted_text, walk
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.domain.environment import Frame

_BLOCK = ("__enter__", "__exit__")
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


@answered_once
def measures(code: ir.FunctionDef | ir.ClassDef) -> bool:
    """Whether what `with` runs reads a clock in front of the block and behind it, and waits for
    nothing: a class with `__enter__` and `__exit__`, or a function that yields in between."""
    if "block_until_ready" in called_names(code.body):
        return False
    if isinstance(code, ir.FunctionDef):
        calls = [one for one in walk(code.body) if isinstance(one, ir.Call)]
        return sum(dotted_text(one.func).rpartition(".")[2] in _CLOCKS for one in calls) > 1
    both = [one for one in code.body if isinstance(one, ir.FunctionDef) and one.name in _BLOCK]
    return len(both) > 1 and not any(_CLOCKS.isdisjoint(called_names(it.body)) for it in both)


def reads_clock(frame: Frame) -> bool:
    """Whether the function around measures how long something takes, or the module's own code."""
    home = frame.home()
    around = home.func if home.func is not None else home.root.module
    return around is not None and not _CLOCKS.isdisjoint(called_names(around.body))

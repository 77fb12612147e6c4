"""Functions that are made anew each time that code takes one: what a call of a maker gives."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

_CACHES = frozenset({"cache", "lru_cache", "cached_property", "fixture", "memoize"})


def is_given_anew(func: Function, record: TransformUse) -> bool:
    """Whether a call in the iteration that transforms a function gives it: a new one each time,
    unless the one that makes it remembers what it gave."""
    maker = func.frame.home().func
    node = record.node
    argument = node.args[0].value if isinstance(node, ir.Call) and node.args else None
    if isinstance(argument, ir.Name) and record.loop is not None:
        bound = argument.id in record.loop.names
        argument = term(record.frame, argument).resolved().node if bound else None
    if maker is None or keeps_results(maker) or not isinstance(argument, ir.Call):
        return False
    if is_inside(record.frame, func.frame.home()):
        return False
    return bool(dotted_text(argument.func).rpartition(".")[2] == maker.name)


def is_inside(frame: Frame | None, home: Frame) -> bool:
    """Whether code stands in a function, or in one inside it."""
    while frame is not None:
        if frame.home() is home:
            return True
        frame = frame.parent
    return False


def keeps_results(func: ir.FunctionDef) -> bool:
    """Whether decorators remember what a function gives."""
    decorators = {dotted_text(d).rpartition(".")[2] for d in func.decorators}
    return bool(decorators & _CACHES) or any("fixture" in d or "cache" in d for d in decorators)

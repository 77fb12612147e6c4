"""Functions that are made anew each time that code takes one: what a call of a maker gives."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function
from jaxlint.engine.inference.definitions import bindings, body_of, term
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

_CACHES = frozenset({"cache", "lru_cache", "cached_property", "fixture", "memoize"})


def is_given_anew(func: Function, record: TransformUse) -> bool:
    """Whether a call in the iteration that transforms a function gives it: a new one each time,
    unless the one that makes it remembers what it gave."""
    home, node = func.frame.home(), record.node
    argument = node.args[0].value if isinstance(node, ir.Call) and node.args else None
    if isinstance(argument, ir.Name) and record.loop is not None:
        bound = argument.id in record.loop.names
        argument = term(record.frame, argument).resolved().node if bound else None
    if home.func is None or keeps_results(home) or not isinstance(argument, ir.Call):
        return False
    if is_inside(record.frame, home):
        return False
    return bool(dotted_text(argument.func).rpartition(".")[2] == home.func.name)


def is_inside(frame: Frame | None, home: Frame) -> bool:
    """Whether code stands in a function, or in one inside it."""
    while frame is not None:
        if frame.home() is home:
            return True
        frame = frame.parent
    return False


def keeps_results(home: Frame) -> bool:
    """Whether what decorates the function of a frame remembers what it gives, behind an `@` or in
    an assignment: `made = functools.cache(made)`."""
    func, around = home.func, home.enclosing()
    if func is None:
        return False
    applied: list[ir.Expr] = list(func.decorators)
    if around is not None and around is home.parent:
        for value in bindings(body_of(around)).get(func.name, ()):
            given = value.args if isinstance(value, ir.Call) else ()
            if isinstance(value, ir.Call) and given and dotted_text(given[0].value) == func.name:
                applied.append(value.func)
    names = {dotted_text(one).rpartition(".")[2] for one in applied}
    return bool(names & _CACHES) or any("fixture" in one or "cache" in one for one in names)

"""Changes of what another module keeps, between two calls of what that module compiles.

A script sets `settings.rate = 0.1` before anything is compiled, or after it. Where it calls the
same thing in front of the change and behind it, or a loop does both, the call behind it is to see
the change.
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.memo import answered_once, answered_once_of
from jaxlint.dataflow.names import (
    CONSTRUCTORS,
    bound_names,
    dotted_text,
    each_assigned,
    leading_to,
    walk,
)
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)
# What makes compiled functions forget their programs.
_FORGETS = frozenset({"clear_cache", "clear_caches"})


@slotted(frozen=True, eq=False)
class _Calls:
    """What a body calls under each text, in its order, and what its names are made by."""

    by_text: dict[str, list[ir.Call]]
    made: dict[str, str]
    loops: list[ir.Stmt]
    forgets: bool


@slotted(frozen=True)
class Running:
    """What runs a compiled function: the names of functions, or what functions of these names
    have `made`."""

    called: frozenset[str]
    made: frozenset[str]


def running(record: TransformUse, compiling: ir.Module) -> Running:
    """What runs a compiled function, by the names that its module defines."""
    maker = record.frame.home().func
    if maker is None:
        return Running(_mentioning(compiling, function_name(record.func)), frozenset())
    if maker.name in CONSTRUCTORS:
        return Running(_mentioning(compiling, ""), frozenset())
    return Running(frozenset(), _mentioning(compiling, maker.name))


def is_between(
    body: tuple[ir.Stmt, ...], params: tuple[ir.Param, ...], node: ir.Node, runs: Running
) -> bool:
    """Whether a body runs a compiled function in front of a change and behind it. A parameter
    stands for its default."""
    found = _calls(body)
    meant = {one.name: dotted_text(one.default) for one in params if one.default is not None}
    if found.forgets:
        return False
    at = ir.number(node)
    for text, calls in found.by_text.items():
        made = found.made.get(text, "")
        is_run = meant.get(made, made).rpartition(".")[2] in runs.made
        if not is_run and meant.get(text, text).rpartition(".")[2] not in runs.called:
            continue
        numbers = [ir.number(one) for one in calls]
        if min(numbers) < at < max(numbers):
            return True
        for loop in found.loops:
            inside = {id(one) for one in walk((loop,))}
            repeats = id(node) in inside and any(id(one) in inside for one in calls)
            if repeats and not _binds(loop, text):
                return True
    return False


def _binds(loop: ir.Stmt, text: str) -> bool:
    """Whether each iteration of a loop makes anew what it calls."""
    root = text.partition(".")[0]
    return any(root in bound_names(one) for one in walk((loop,)))


@answered_once_of
def _calls(body: tuple[ir.Stmt, ...]) -> _Calls:
    by_text: dict[str, list[ir.Call]] = {}
    made: dict[str, str] = {}
    loops: list[ir.Stmt] = []
    forgets = False
    for one in walk(body, (ir.FunctionDef, ir.ClassDef)):
        if isinstance(one, ir.Call) and isinstance(one.func, (ir.Attribute, ir.Name)):
            by_text.setdefault(dotted_text(one.func), []).append(one)
            forgets |= dotted_text(one.func).rpartition(".")[2] in _FORGETS
        elif isinstance(one, _LOOPS):
            loops.append(one)
        for target, value in each_assigned(one):
            if isinstance(value, ir.Call) and isinstance(target, (ir.Attribute, ir.Name)):
                made[dotted_text(target)] = dotted_text(value.func)
    return _Calls(by_text, made, loops, forgets)


@answered_once
def _mentioning(module: ir.Module, name: str) -> frozenset[str]:
    """A name, and those of the functions and methods of a module that may lead to it; all of them
    for no name."""
    if name:
        return leading_to(module, frozenset((name,)))
    functions = (one for one in walk(module.body) if isinstance(one, ir.FunctionDef))
    return frozenset(one.name for one in functions if one.name not in CONSTRUCTORS)

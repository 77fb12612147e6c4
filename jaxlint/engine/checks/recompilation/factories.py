"""Factories of compiled functions that a loop calls: each call gives another one to compile."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.loop_variance import Around
from jaxlint.dataflow.names import dotted_text, free_in
from jaxlint.dataflow.structure import Part, Turn, names_of
from jaxlint.engine.checks.recompilation.call_sites import Site
from jaxlint.engine.checks.recompilation.rejit import compiles_anew, keeps_results
from jaxlint.engine.inference.definitions import bindings, returns_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.syntax import ir


def remade(
    machine: Machine, record: TransformUse, site: Site, at: Around
) -> Iterator[facts.FreshJit]:
    """A call, in the loop whose iterations each make the function that it calls, all of the same
    arguments."""
    maker = record.frame.home().func
    call = site.node
    if maker is None or not at.turns or not isinstance(call, ir.Call):
        return
    turn = at.turns[0]
    made = _made_in(turn, call.func)
    if made is None or dotted_text(made.func).rpartition(".")[2] != maker.name:
        return
    is_fixed = free_in(made).isdisjoint(_rebound(turn))
    if not is_fixed or keeps_results(maker) or not compiles_anew(record):
        return
    if _gives(maker, record):
        callee, target = dotted_text(made.func), function_name(record.func)
        fact = facts.FreshJit(machine.module, made, site.frame.name, cause="factory")
        fact.callee, fact.target = callee, target
        yield fact


def _made_in(turn: Turn, func: ir.Expr) -> ir.Call | None:
    """The call that gives a function in each iteration of a loop, where nothing else does."""
    bound = turn.bound.get(func.id, []) if isinstance(func, ir.Name) else []
    if len(bound) != 1 or not bound[0][1]:
        return None
    value = bound[0][0]
    made = value.value if isinstance(value, Part) else value
    return made if isinstance(made, ir.Call) else None


def _rebound(turn: Turn) -> set[str]:
    """The names that an iteration gives other values."""
    targets = (names_of(target) for target, _ in turn.targets)
    changed = {*turn.bound, *turn.grown, *turn.shrunk}
    return {name.partition(".")[0] for name in changed}.union(*targets)


def _gives(maker: ir.FunctionDef, record: TransformUse) -> bool:
    """Whether whatever a function returns is, or contains, the function that it compiled."""
    known = bindings(maker.body)
    names = {name for name, values in known.items() if values == [record.node]}
    if record.definition is not None:
        names.add(record.definition.name)

    def is_it(value: ir.Expr | None) -> bool:
        if isinstance(value, ir.Sequence):
            return any(is_it(one) for one in value.items)
        return value is record.node or (isinstance(value, ir.Name) and value.id in names)

    returns = returns_of(maker)
    return bool(returns) and all(is_it(one.value) for one in returns)

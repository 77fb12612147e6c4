"""Factories of compiled functions that a loop calls: each call gives another one to compile."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.loop_variance import Around
from jaxlint.dataflow.names import dotted_text, free_in, walk
from jaxlint.dataflow.structure import Part, Turn, names_of
from jaxlint.engine.checks.recompilation.call_sites import Site
from jaxlint.engine.checks.recompilation.rejit import compiles_anew
from jaxlint.engine.inference.definitions import bindings, returns_of
from jaxlint.engine.inference.fresh_functions import keeps_results
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.syntax import ir


def maker_of(record: TransformUse) -> ir.FunctionDef | None:
    """The function that compiles another one whenever it is called and returns it, None where
    there is none."""
    home = record.frame.home()
    maker = home.func
    if maker is None or keeps_results(home) or not compiles_anew(record):
        return None
    return maker if _gives(maker, record) else None


def remade(
    machine: Machine, record: TransformUse, maker: ir.FunctionDef, site: Site, at: Around
) -> Iterator[facts.FreshJit]:
    """A call in a loop whose iterations each make the function that it calls, all with the same
    arguments."""
    call = site.node
    made = (
        _made_in(at.turns[0], call.func, maker) if at.turns and isinstance(call, ir.Call) else None
    )
    if made is None or maker.name not in _mentioned(made):
        return
    if free_in(made).isdisjoint(_rebound(at.turns[0])):
        fact = facts.FreshJit(machine.module, made, site.frame.name, cause="factory")
        fact.callee, fact.target = maker.name, function_name(record.func)
        yield fact


def _mentioned(node: ir.Expr) -> set[str]:
    """The last parts of the names in an expression."""
    names = (one for one in walk(node) if isinstance(one, (ir.Name, ir.Attribute)))
    return {one.id if isinstance(one, ir.Name) else one.attr for one in names}


def _made_in(turn: Turn, func: ir.Expr, maker: ir.FunctionDef) -> ir.Expr | None:
    """The call that gives a function in each iteration of a loop, where nothing else does, or the
    attribute, if that is a property."""
    if isinstance(func, ir.Call):
        return func
    if isinstance(func, ir.Attribute):
        return func if any(dotted_text(one) == "property" for one in maker.decorators) else None
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

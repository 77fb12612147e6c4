"""Compiled methods with a static `self`: JAX keeps a program, and the object, for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.loop_variance import is_short
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import walk
from jaxlint.dataflow.structure import Layout, names_of
from jaxlint.engine.checks.recompilation.call_sites import Site
from jaxlint.engine.checks.recompilation.hash_equality import compares
from jaxlint.engine.domain.values import Class, Concrete, Function, Instance, options
from jaxlint.engine.inference.constant_names import dotted, number
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir


def retained(
    machine: Machine, layout: Layout, record: TransformUse, sites: list[Site]
) -> Iterator[facts.Retraced]:
    """A method of a class whose objects are compared by identity, which come and go."""
    func = record.func
    if not isinstance(func, Function) or func.owner is None or record.definition is None:
        return
    first = func.node.params[0].name if func.node.params else ""
    owners = [
        one.value
        for site in sites
        for one in site.given[:1]
        if one.fixed and one.name == first and isinstance(one.value, Instance)
    ]
    for cls in dict.fromkeys(owner.cls for owner in owners):
        if cls.tree or compares(cls) != "identity":
            continue
        looped = _made_in_loop(layout, cls, sites)
        is_kept = looped is None and _comes_and_goes(layout, cls)
        arrays = _array_of(cls, owners) if is_kept else None
        if looped is None and arrays is None:
            continue
        module = machine.sources.owner(record.definition, machine.module)
        made = facts.Retraced(module, record.definition, record.frame.name, kind="self")
        made.callee = f"{cls.name}.{func.node.name}"
        made.parameter, made.detail, made.other = first, arrays or "", looped
        yield made
        return


def _made_in_loop(layout: Layout, cls: Class, sites: list[Site]) -> ir.Node | None:
    """Where a loop makes an object of the class, and calls the method of it."""
    frame = sites[0].frame

    def is_long(node: Any) -> bool:
        turns = layout.turns(node)
        return any(
            not is_short(turn, partial(dotted, frame), partial(number, frame), 1) for turn in turns
        )

    for call in layout.calls_of(cls.name):
        if (
            isinstance(call.func, (ir.Attribute, ir.Name))
            and is_long(call)
            and any(is_long(site.node) for site in sites)
        ):
            return call
    return None


def _comes_and_goes(layout: Layout, cls: Class) -> bool:
    """Whether objects of the class are made in functions, made several times, or deleted."""
    made = layout.calls_of(cls.name)
    if len(made) > 1 or any(layout.function_of(call) is not None for call in made):
        return True
    names = {
        name
        for call in made
        if isinstance(statement := layout.around(call), ir.Assign)
        for name in names_of(statement.targets)
    }
    return not names.isdisjoint(_deleted(layout.body))


@answered_once_of
def _deleted(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """The names in the targets of all `del` statements."""
    deleted = (one.targets for one in walk(body) if isinstance(one, ir.Delete))
    return frozenset(name for targets in deleted for name in names_of(targets))


def _array_of(cls: Class, owners: list[Instance]) -> str | None:
    """An attribute that holds a JAX array, of the objects of a class among these, or of any."""
    own = [owner for owner in owners if owner.cls == cls]
    for made in own if cls.generic is None else (*own, cls.generic):
        for name, value in made.fields.items():
            if any(isinstance(one, Concrete) for one in options(value)):
                return name
    return None

"""Containers in attributes that compiled methods read, and that change in place after it.

`self.options["rate"] = 2.0` in a method, where a compiled one reads `self.options["rate"]`: a
change counts where both name the same key.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import targets_of, walk
from jaxlint.engine.checks.captures.staleness import fact_of, is_made_per_call
from jaxlint.engine.domain.values import Function, Instance, Mapping, Value
from jaxlint.engine.inference.construction import INITIALISERS, sets_up
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.syntax import ir


def of_contents(
    machine: Machine,
    record: TransformUse,
    owner: Instance,
    name: str,
    node: ir.Node,
    value: Value | None,
    spans: list[tuple[int, int]],
) -> Iterator[facts.StaleCapture]:
    """The changes of a dict that an attribute of `self` holds, by methods of the class."""
    plain = plain_function(record.func)
    if not isinstance(value, Mapping) or plain is None or is_made_per_call(record):
        return
    read = {key for key, _, is_stored in _parts(plain.node, name) if not is_stored}
    if not read or any(owner.cls.find(one) is not None for one in ("__hash__", "__eq__")):
        return
    found: list[ir.Node] = []
    certain = False
    for method in _methods(machine, owner):
        if method is plain.node:
            continue  # What compiled code stores itself is another hazard.
        parts = _parts(method, name)
        places = [one for key, one, is_stored in parts if is_stored and key in read]
        found += places
        ticks = [tick for tick, place in value.changes if any(place is one for one in places)]
        certain |= any(start < tick < end for tick in ticks for start, end in spans)
    if found:
        yield fact_of(machine, record, node, "mutable", name, tuple(found), possible=not certain)


def _methods(machine: Machine, owner: Instance) -> Iterator[ir.FunctionDef]:
    """The methods that may run after an object was set up."""
    for cls in owner.cls.lineage:
        for one in cls.namespace.values():
            func = one.node if isinstance(one, Function) else None
            if func is None or func.name in INITIALISERS or not func.params:
                continue
            if not sets_up(machine, func):
                yield func


def _parts(function: ir.FunctionDef, name: str) -> Iterator[tuple[object, ir.Subscript, bool]]:
    """The constant keys under which a method uses an attribute of its object, with the place and
    whether something is stored there."""
    owner = function.params[0].name if function.params else ""
    stored = {id(target) for one in walk(function.body) for target in targets_of(one)}
    for one in walk(function.body):
        if not isinstance(one, ir.Subscript) or not isinstance(one.index, ir.Const):
            continue
        if attribute_of(one.value, owner) == name:
            yield one.index.value, one, id(one) in stored

"""What traced code reads only to keep it in an object, where no traced code looks at it."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import dotted_text, parents, walk
from jaxlint.engine.domain.values import Function
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir


def only_kept(machine: Machine, record: TransformUse, place: tuple[Any, str]) -> bool:
    """Whether no compiled program depends on a name that it reads: each read is an argument that a
    constructor puts into an attribute, which nothing reads that is traced, or is kept to be put
    back."""
    reads = record.reads.get(place, {})
    left = [read for read in reads.values() if not _is_put_back(machine, read)]
    if reads and not left:
        return True
    kept: set[str] = set()
    for read in left:
        around = parents(machine.sources.owner(read, machine.module).body)
        argument: Any = around.get(id(read))
        call = None if argument is None else around.get(id(argument))
        if not isinstance(call, ir.Call) or argument is call.func or argument.star:
            return False
        at = next(at for at, one in enumerate(call.args) if one is argument)
        field = _field(machine, call, argument.keyword or at)
        if not field:
            return False
        kept.add(field)
    return bool(kept) and kept.isdisjoint(_looked_at(machine))


def _is_put_back(machine: Machine, read: ir.Node) -> bool:
    """Whether a read is kept under a name whose only use is to set again what was read."""
    around = parents(machine.sources.owner(read, machine.module).body)
    kept: Any = around.get(id(read))
    if not isinstance(kept, ir.Assign) or not isinstance(kept.targets[0], ir.Name):
        return False
    function: Any = kept
    while function is not None and not isinstance(function, ir.FunctionDef):
        function = around.get(id(function))
    if kept.value is not read or function is None:
        return False
    inside = list(walk(function.body))
    held = dotted_text(kept.value)
    back = {
        id(one.value)
        for one in inside
        if isinstance(one, ir.Assign) and any(dotted_text(t) == held for t in one.targets)
    }
    old = kept.targets[0]
    uses = [
        id(one)
        for one in inside
        if isinstance(one, ir.Name) and one.id == old.id and one is not old
    ]
    return bool(uses) and back.issuperset(uses)


def looked_at(machine: Machine, changes: tuple[ir.Node, ...]) -> tuple[ir.Node, ...]:
    """Those changes of a class whose attribute traced code reads, or Python itself."""
    read = _looked_at(machine)
    return tuple(
        node
        for node in changes
        if not isinstance(node, ir.Attribute) or node.attr in read or node.attr.startswith("__")
    )


def _field(machine: Machine, call: ir.Call, given: str | int) -> str:
    """The attribute that a constructor makes of an argument without looking at it."""
    name = dotted_text(call.func).rpartition(".")[2]
    named = [cls for cls in machine.classes() if cls.name == name]
    init = named[0].find("__init__") if len(named) == 1 and not named[0].tree else None
    if not isinstance(init, Function) or not init.node.params:
        return ""
    params = [p.name for p in init.node.params if p.kind != "keyword" or p.name == given]
    if isinstance(given, int):
        given = params[given + 1] if given + 1 < len(params) else ""
    read = [n for n in walk(init.node.body) if isinstance(n, ir.Name) and n.id == given]
    fields = [
        n.targets[0].attr
        for n in walk(init.node.body)
        if isinstance(n, ir.Assign)
        and any(n.value is one for one in read)
        and len(n.targets) == 1
        and isinstance(n.targets[0], ir.Attribute)
        and dotted_text(n.targets[0].value) == params[0]
    ]
    return fields[0] if given in params and len(read) == len(fields) == 1 else ""


def _looked_at(machine: Machine) -> set[str]:
    """The attributes that functions read which ran traced."""
    found: set[str] = set()
    for func in walk(tuple(module.body for module in machine.sources.modules)):
        if isinstance(func, ir.FunctionDef) and id(func) in machine.program.traced:
            stored = {id(t) for n in walk(func.body) if isinstance(n, ir.Assign) for t in n.targets}
            read = (n for n in walk(func.body) if isinstance(n, ir.Attribute))
            found.update(n.attr for n in read if id(n) not in stored)
    return found

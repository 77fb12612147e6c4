"""What becomes of changes when a transformed function has run: those of arguments are lost, under
transforms of JAX, unless the function gives them back.

Source: flax documentation, "NNX Transformations", and `tests/frameworks/test_flax.py`.
"""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import known, walk_values
from jaxlint.engine.domain.values import Instance, Mapping, Sequence, Union, Value
from jaxlint.engine.frameworks.flax.nnx_state import StatePassed, handed_of, root
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.syntax import ir


def ran(
    machine: Machine, trace: Trace, node: ir.Expr, func: Value, args: Args, result: Value
) -> None:
    """A function has run in a trace: changes of its arguments are lost unless it gives them."""
    values = args.values()
    for handed in {id(h): h for h in _all_handed(values, trace)}.values():
        lost, handed.lost = handed.lost, []
        if lost and not handed.read and not _gives(result, handed) and not _names(func, handed):
            for fact in lost:
                machine.emit(fact)
        if handed.spread and handed.drawn:
            _alike(machine, trace, handed)


def _alike(machine: Machine, trace: Trace, handed: StatePassed) -> None:
    """Each run of a mapped function draws the same numbers."""
    assert trace.entry is not None
    node = trace.entry.node
    if isinstance(node, ir.FunctionDef):
        node = next((one for one in node.decorators if isinstance(one, ir.Call)), node)
    module = machine.sources.owner(node, machine.module)
    machine.emit(
        facts.KeyUsed(
            module,
            node,
            trace.entry.function,
            kind="spread",
            subject=handed.name,
            callee=trace.entry.function,
            possible=True,
        )
    )


def _all_handed(values: list[Value], trace: Trace, depth: int = 3) -> list[StatePassed]:
    held = (handed_of(one) for value in values for one in walk_values(value, known, depth))
    return [handed for handed in held if handed is not None and handed.trace is trace]


def _gives(result: Value, handed: StatePassed, depth: int = 5) -> bool:
    """Whether a result holds the argument or a part of it."""
    if handed_of(result) is handed or depth == 0:
        return True
    inner: list[Value] = []
    if isinstance(result, Sequence):
        inner = [*(result.items or []), *([] if result.element is None else [result.element])]
    elif isinstance(result, Mapping):
        inner = list(result.items.values())
    elif isinstance(result, Union):
        inner = list(result.options)
    elif isinstance(result, Instance):
        inner = list(result.fields.values())
    return any(_gives(one, handed, depth - 1) for one in inner)


def _names(func: Value, handed: StatePassed) -> bool:
    """Whether what a function returns names the argument, other than to call it."""
    plain = plain_function(func)
    if plain is None or not handed.name:
        return plain is None
    for statement in walk(plain.node.body):
        if isinstance(statement, ir.Return) and statement.value is not None:
            inside = list(walk(statement.value))
            called = {id(root(n.func)) for n in inside if isinstance(n, ir.Call)}
            names = [n for n in inside if isinstance(n, ir.Name) and n.id == handed.name]
            if any(id(n) not in called for n in names):
                return True
    return False

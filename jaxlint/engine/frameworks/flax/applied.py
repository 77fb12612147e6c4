"""`jax.jit(model.apply)` that no visible call runs: a module for arguments of any sort."""

from __future__ import annotations

from jaxlint.dataflow.names import array_parameters
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Instance,
    LibraryName,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.frameworks.flax.linen import ENTRIES
from jaxlint.engine.inference.parameters import annotated_value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, entry_of
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir


def entry(machine: Machine, record: TransformUse) -> None:
    """Runs `apply`, `init` or `init_with_output` of a module in a trace of its own."""
    func = record.func
    if record.wrapper.kind != "jit" or record.runs or not isinstance(func, Bound):
        return
    owner, name = func.owner, func.func.dotted if isinstance(func.func, LibraryName) else ""
    if name not in ENTRIES or not isinstance(owner, Instance):
        return
    method = owner.cls.find("__call__")
    if not isinstance(method, Function) or record.numbers is None or record.names is None:
        return
    if "method" in record.names:
        return
    made = entry_of(record.definition or record.node, record.wrapper.application, func)
    trace = Trace("jit", machine.host, made, staged=True)
    first = Traced(Provenance(record.node, None, made, "", "apply"), leaf=False)
    args = Args([first], nodes=[record.node])
    arrays = array_parameters(method.node)
    for param in method.node.params[1:]:
        value = _argument(machine, record, trace, method, param, args, param.name in arrays)
        if value is None:
            break
        if param.kind == "keyword":
            args.keywords[param.name] = value
            args.keyword_nodes[param.name] = record.node
        else:
            args.positional.append(value)
            args.nodes.append(record.node)
    run_in(machine, trace, record.node, func, args)


def _argument(
    machine: Machine,
    record: TransformUse,
    trace: Trace,
    method: Function,
    param: ir.Param,
    args: Args,
    is_array: bool,
) -> Value | None:
    """What is passed for a parameter; None from the first on that is left to its default."""
    if param.kind in ("vararg", "kwarg") or param.default is not None:
        return None
    numbers, names = record.numbers or frozenset(), record.names or frozenset()
    if len(args.positional) in numbers or param.name in names:
        return Static()
    assert trace.entry is not None
    trail = Provenance(param, None, trace.entry, param.name, method.node.name)
    return annotated_value(machine, method, param, Traced(trail, leaf=is_array), trace)

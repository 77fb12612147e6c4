"""Methods of frameworks' modules that no visible code runs traced: somebody else's program will.

A library of layers has no call of `apply`. Where the user asks for it, each method of such a class
runs as compiled code would call it: what it is given is traced, flags are not.
"""

from __future__ import annotations

from jaxlint.dataflow.names import array_parameters
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Bound, Class, Function, Static, Traced, Value, is_none
from jaxlint.engine.inference.parameters import annotated_value, object_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge import lookup
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir

# Methods that a framework runs for itself, or that take shapes.
_EARLY = frozenset({"initialize_carry", "setup"})


def run_methods(machine: Machine) -> None:
    """Runs the methods of the analysed file that nothing reached in a trace."""
    for cls in list(machine.program.classes):
        if cls.home is machine.globals and any(map(lookup.is_module_base, cls.externals())):
            for func in list(cls.namespace.values()):
                if isinstance(func, Function) and _is_candidate(machine, func):
                    _run(machine, cls, func)


def _is_candidate(machine: Machine, func: Function) -> bool:
    name = func.node.name
    public = name == "__call__" or not name.startswith("_")
    return (
        public
        and name not in _EARLY
        and func.owner is not None
        and id(func.node) not in machine.program.traced
        and len(func.node.params) > 1
    )


def _run(machine: Machine, cls: Class, func: Function) -> None:
    entry = TraceEntry(func.node, Application(EntryKind.SUPPOSED), func.node.name)
    trace = Trace("jit", machine.host, entry, staged=True)
    frame = Frame("function", machine.globals, trace)
    place = ir.Name(func.node.origin, func.node.name)
    first = func.node.params[0]
    leaves = Traced(Provenance(first, None, entry, first.name, func.node.name), leaf=False)
    with machine.within(supposed=machine.dynamic.supposed + 1):
        owner = machine.frameworks.ask("receiver", cls, machine, frame, place, cls, leaves)
        if owner is None:
            owner = object_of(machine, cls, leaves, trace)
        machine.call(frame, place, Bound(func, owner), _arguments(machine, func, trace, place))


def _arguments(machine: Machine, func: Function, trace: Trace, place: ir.Expr) -> Args:
    arrays = array_parameters(func.node)
    args = Args()
    for param in func.node.params[1:]:
        value = _argument(machine, func, param, trace, param.name in arrays)
        if param.kind == "vararg":
            args.rest = value
        elif param.kind == "kwarg":
            args.more = value
        elif param.kind == "keyword":
            args.keywords[param.name] = value
            args.keyword_nodes[param.name] = place
        else:
            args.positional.append(value)
            args.nodes.append(place)
    return args


def _argument(
    machine: Machine, func: Function, param: ir.Param, trace: Trace, is_array: bool
) -> Value:
    """What a caller passes: arrays, but for numbers, flags and whatever has a default."""
    default = func.defaults.get(param.name)
    if default is not None:
        return machine.unknown("argument with a default") if is_none(default) else widened(default)
    assert trace.entry is not None
    trail = Provenance(param, None, trace.entry, param.name, func.node.name)
    made = annotated_value(machine, func, param, Traced(trail, leaf=is_array), trace)
    return Static(kind=made.dtype) if isinstance(made, Traced) and made.weak else made

"""Functions of Pallas that kernels call, and the maps of their blocks.

Source: JAX documentation, "Pallas Quickstart" and "Grids and BlockSpecs".
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.immutability import references
from jaxlint.engine.checks.immutability.references import KernelRef
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.special_values import At
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    STATIC,
    Concrete,
    Function,
    LibraryName,
    NumPy,
    Partial,
    Ref,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import callbacks
from jaxlint.engine.summaries.transformed import entry_of, function_name, plain_function
from jaxlint.engine.transforms.bodies import body_trace
from jaxlint.engine.transforms.trace_boundary import leave, run_in
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.applications import EntryKind
from jaxlint.syntax import ir

_HOME = "jax.experimental.pallas."
BLOCKS = f"{_HOME}BlockSpec"
WHEN = f"{_HOME}when(...)"
LOOP = f"{_HOME}loop(...)"
Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def is_array(value: Value | None) -> bool:
    """Whether a value is certainly one array."""
    return isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf)


def _index(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`pl.program_id(axis)`."""
    return machine.operation(frame, node, [], "int", 0)


def _number(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`pl.num_programs(axis)`: a Python number unless the grid is dynamic."""
    return (
        INT if references.kernel_of(frame.trace) is not None else machine.unknown("size of a grid")
    )


def _quotient(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`pl.cdiv(a, b)` and kin: Python numbers give one."""
    if all(isinstance(value, Static) for value in args.values()):
        return INT
    if any(is_array(value) for value in args.values()):
        return machine.operation(frame, node, args.values(), "int")
    return machine.unknown("number of blocks")


def _span(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`pl.ds(start, size)`: a slice for references, whose start may be traced."""
    return STATIC


def _load(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """What a kernel reads through a reference, or a view of one."""
    ref = args.get(0, "ref")
    ref = ref.array if isinstance(ref, At) else ref
    if isinstance(ref, Ref):
        return Traced(Provenance(node, ref.trail, ref.trail.entry))
    if references.kernel_of(frame.trace) is None:
        return machine.unknown("load")
    return machine.operation(frame, node, [])


def _of_arrays(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """Functions that make one array of several."""
    return machine.operation(frame, node, args.values())


def _store(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return NONE


def _when(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    condition = args.get(0, "condition") or machine.unknown("condition")
    return Partial(LibraryName(WHEN), (condition,), {}, frame.loop)


def _run_when(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The decorated function runs where it stands, as the branch of a `lax.cond`."""
    condition, func = args.get(0, ""), args.get(1, "")
    if func is None or condition is None:
        return machine.unknown("condition")
    if isinstance(condition, Static) and condition.known:
        if condition.const:
            machine.call(frame, node, func, Args())
        return NONE
    trace = body_trace(machine, frame, node, "pl.when", func)
    with machine.quiet(isinstance(condition, Unknown)):
        run_in(machine, trace, node, func, Args())
    return NONE


def _loop(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if "init_carry" in args.keywords:
        return machine.unknown("loop with a carry")
    return Partial(LibraryName(LOOP), (), {}, frame.loop)


def _run_loop(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`@pl.loop(0, n)`: the decorated function runs at once, its index traced."""
    func = args.get(0, "")
    if func is None:
        return machine.unknown("loop")
    trace = body_trace(machine, frame, node, "pl.loop", func)
    index = machine.operation(Frame("function", frame, trace), node, [], "int", 0)
    run_in(machine, trace, node, func, Args([index], nodes=[node]))
    return NONE


def _run_scoped(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The function runs at once on references to scratch buffers."""
    func = args.get(0, "f")
    entry = frame.trace.entry
    if func is None or entry is None or args.rest is not None:
        return machine.unknown("scoped buffers")
    names = [p.name for p in signature(func)]
    name = function_name(func)
    given: list[Value] = []
    for at in range(len(args.positional) - 1):
        label = names[at] if at < len(names) else ""
        given.append(KernelRef(Provenance(args.nodes[at + 1], None, entry, label, name), label))
    keywords: dict[str, Value] = {
        key: KernelRef(Provenance(node, None, entry, key, name), key)
        for key in args.keywords
        if key != "collective_axes"
    }
    trace = body_trace(machine, frame, node, "pl.run_scoped", func)
    places = dict.fromkeys(keywords, node)
    result = run_in(
        machine,
        trace,
        node,
        func,
        Args(given, keywords, nodes=[node] * len(given), keyword_nodes=places),
    )
    return leave(machine, frame, node, result, [])


def _block_spec(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The index map runs on traced indices of the grid, and what it is given before them."""
    func = args.get(1, "index_map")
    plain = None if func is None else plain_function(func)
    if func is not None and plain is not None:
        _run_index_map(machine, frame, node, func, plain)
    return FrameworkObject(BLOCKS, args, node, frame.trace)


def _run_index_map(
    machine: Machine, frame: Frame, node: ir.Expr, func: Value, plain: Function
) -> None:
    entry = entry_of(node, EntryKind.INDEX_MAP.by("pl.BlockSpec"), func)
    trace = Trace("staged", frame.trace, entry, staged=True, binds=None)
    params = [p for p in signature(func) if p.kind in ("plain", "positional") and p.default is None]
    given: list[Value] = [
        Traced(Provenance(p, None, entry, p.name, plain.node.name), "abstract") for p in params
    ]
    run_in(machine, trace, node, func, Args(given, nodes=[node] * len(given)))


def _like(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """Functions that give an array like the one that they take."""
    return map_leaves(
        args.get(0, "x") or machine.unknown("array"),
        lambda one: machine.operation(frame, node, [one]),
        frame.trace,
    )


def _nothing(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return NONE


def _printed(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    callbacks.debug_print(machine, frame, node, args, fields=False)
    return NONE


TABLE: dict[str, Handler] = {
    WHEN: _run_when,
    LOOP: _run_loop,
    **{f"{_HOME}{name}": handler for name, handler in (
        ("program_id", _index),
        ("num_programs", _number),
        ("cdiv", _quotient),
        ("align_to", _quotient),
        ("next_power_of_2", _quotient),
        ("ds", _span),
        ("dslice", _span),
        ("load", _load),
        ("store", _store),
        ("when", _when),
        ("loop", _loop),
        ("run_scoped", _run_scoped),
        ("BlockSpec", _block_spec),
        ("reciprocal", _like),
        ("multiple_of", _like),
        ("debug_print", _printed),
        ("debug_check", _nothing),
    )},
    "jax.ds": _span,
    "jax.experimental.pallas.tpu.load": _load,
    "jax.experimental.pallas.tpu.store": _store,
    **{f"{_HOME}triton.{name}": handler for name, handler in (
        ("load", _load),
        ("store", _store),
        ("dot", _of_arrays),
        ("approx_tanh", _like),
        ("max_contiguous", _like),
        ("debug_barrier", _nothing),
    )},
    **{
        f"{_HOME}triton.atomic_{name}": _load
        for name in ("add", "and", "cas", "max", "min", "or", "xchg", "xor")
    },
}  # fmt: skip

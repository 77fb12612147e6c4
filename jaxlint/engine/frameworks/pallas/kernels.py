"""Pallas: kernels run on references.

A kernel gets a reference for each input, output and scratch buffer, is traced when its
`pallas_call` is called, and gives nothing back. Source: JAX documentation, "Pallas Quickstart"
and "Grids and BlockSpecs".
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import assigned, free_names, is_none_literal, walk
from jaxlint.engine.checks.immutability import references
from jaxlint.engine.checks.immutability.references import KERNEL, KernelRef, Watch
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    STATIC,
    Concrete,
    Function,
    LibraryName,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.engine.frameworks.pallas.kernel_functions import BLOCKS, TABLE, is_array
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import entry_of, plain_function
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.applications import EntryKind
from jaxlint.syntax import ir

CALL = "jax.experimental.pallas.pallas_call"


@slotted(frozen=True)
class Layout:
    """What the options of a `pallas_call` say of its kernel's parameters.

    Numbers are None where they cannot be read; `outputs` is 1 for a single array, too.
    """

    outputs: int | None
    scratch: int | None
    inputs: int | None
    aliased: bool


def layout(args: Args) -> Layout:
    """Reads the options of a call of `pallas_call`."""
    shape = args.get(1, "out_shape")
    outputs = _count(shape)
    loose = "grid_spec" in args.keywords or args.more is not None
    scratch = args.keywords.get("scratch_shapes")
    buffers = 0 if scratch is None else _length(scratch)
    specs = args.keywords.get("in_specs")
    inputs = None if specs is None or loose else _length(specs)
    if (
        isinstance(specs, Sequence)
        and inputs is not None
        and not all(map(_is_spec, specs.items or []))
    ):
        inputs = None
    return Layout(
        outputs=outputs,
        scratch=None if loose else buffers,
        inputs=inputs,
        aliased="input_output_aliases" in args.keywords or args.more is not None,
    )


def _length(value: Value) -> int | None:
    if isinstance(value, Sequence) and value.items is not None:
        return len(value.items)
    return None


def _count(shape: Value | None) -> int | None:
    """How many outputs there are: shapes that are plain, one or a sequence of them."""
    if _is_shape(shape):
        return 1
    if isinstance(shape, Sequence) and shape.items is not None:
        return len(shape.items) if all(map(_is_shape, shape.items)) else None
    return None


def _is_shape(value: Value | None) -> bool:
    # The engine makes this very object of `jax.ShapeDtypeStruct(...)`, and others elsewhere.
    return value is STATIC or is_array(value)


def _is_spec(value: Value) -> bool:
    return isinstance(value, FrameworkObject) and value.dotted == BLOCKS


# -- kernels -----------------------------------------------------------------------------------


def _pallas_call(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The kernel runs at once, on as many references as it has parameters."""
    if args.get(0, "kernel") is None:
        return Partial(LibraryName(CALL), (), dict(args.keywords), frame.loop)
    made = FrameworkObject(CALL, args, node, frame.trace)
    kernel = args.get(0, "kernel") or NONE
    found = layout(args)
    params = [p for p in signature(kernel) if p.kind in ("plain", "positional")]
    required = [p for p in params if p.default is None]
    # In a test, what a call raises may be expected where the call is.
    if plain_function(kernel) is not None and params and not in_test(frame):
        outside = (found.outputs or 0) + (found.scratch or 0)
        inputs = found.inputs if found.inputs is not None else max(len(required) - outside, 0)
        sure = [found.inputs is not None] * inputs
        _run_kernel(machine, frame, node, kernel, found, sure)
    return made


def _called(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args
) -> Value:
    """What `pallas_call` gave is called with the kernel's inputs."""
    found = layout(made.args or Args())
    kernel = made.given(0, "kernel") or NONE
    measured = _measured(frame)
    sure = [
        is_array(value) or getattr(place, "id", "") in measured
        for value, place in zip(args.positional, args.nodes, strict=False)
    ]
    if args.rest is None and plain_function(kernel) is not None and not machine.expects_errors:
        _run_kernel(machine, frame, made.made or node, kernel, found, sure)
    results = [machine.operation(frame, node, args.values()) for _ in range(found.outputs or 0)]
    if found.outputs is None:
        return machine.unknown("results of a kernel")
    shape = made.given(1, "out_shape")
    if isinstance(shape, Sequence):
        return Sequence(shape.kind, results, frame.trace, None, frame.path)
    return results[0]


def _measured(frame: Frame) -> set[str]:
    """The variables whose shape or dtype the code around reads: they are single arrays."""
    home = frame.home().func
    if home is None:
        return set()
    return {
        node.value.id
        for node in walk(home.body)
        if isinstance(node, ir.Attribute)
        and isinstance(node.value, ir.Name)
        and node.attr in ("shape", "dtype", "ndim")
    }


def _run_kernel(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    kernel: Value,
    found: Layout,
    sure: list[bool],
) -> None:
    """Runs a kernel on references to its inputs, outputs and scratch buffers."""
    plain = plain_function(kernel)
    assert plain is not None
    entry = entry_of(node, EntryKind.KERNEL.by("pl.pallas_call"), kernel)
    trace = Trace(KERNEL, frame.trace, entry, staged=True, binds=None)
    params = [p for p in signature(kernel) if p.kind in ("plain", "positional")]
    known = found.outputs is not None and found.scratch is not None
    count = len(sure) + (found.outputs or 0) + (found.scratch or 0)
    if not known:
        count = len(params)
    certain = [*sure, *[known] * max(count - len(sure), 0)][:count]
    given: list[Value] = []
    for at in range(count):
        param = params[at] if at < len(params) else None
        name = "" if param is None else param.name
        trail = Provenance(param or plain.node, None, entry, name, plain.node.name)
        given.append(KernelRef(trail, name, certain[at]))
    args = Args(given, nodes=[node] * len(given))
    with machine.within(watch=Watch(machine, _captured(plain, kernel))):
        result = run_in(machine, trace, node, kernel, args)
    _check_result(machine, trace, plain, result)
    if known and not found.aliased:
        end = len(sure) + (found.outputs or 0)
        for ref in given[len(sure) : end]:
            assert isinstance(ref, KernelRef)
            _check_written(machine, trace, plain, ref)


def _captured(plain: Function, kernel: Value) -> list[Value]:
    """The tracers of the code around that a kernel sees by name or is bound to."""
    found: list[Value] = []
    for name in free_names(plain.node):
        scope: Frame | None = plain.frame
        while scope is not None and name not in scope.env:
            scope = scope.enclosing()
        if scope is not None:
            found.append(scope.env[name])
    while isinstance(kernel, Partial):
        found += [*kernel.args, *kernel.keywords.values()]
        kernel = kernel.func
    return [value for value in found if isinstance(value, Traced) and value.leaf]


def _check_result(machine: Machine, trace: Trace, plain: Function, result: Value) -> None:
    """A kernel gives nothing back."""
    some = isinstance(result, (Traced, Concrete, NumPy, Sequence)) or (
        isinstance(result, Static) and result.known and not is_none(result)
    )
    if not some:
        return
    inner = {id(one) for made in _functions(plain) for one in walk(made.body)}
    for node in walk(plain.node.body):
        own = isinstance(node, ir.Return) and id(node) not in inner
        if own and node.value is not None and not is_none_literal(node.value):
            place = node.value if plain.node.is_lambda else node
            _misused(machine, trace, plain, place, "kernel-returns", node.value)
            return


def _functions(plain: Function) -> list[ir.FunctionDef]:
    """The functions that a function defines."""
    return [one for one in walk(plain.node.body) if isinstance(one, ir.FunctionDef)]


def _check_written(machine: Machine, trace: Trace, plain: Function, ref: KernelRef) -> None:
    """An output whose name was given to an array has not been written."""
    for node in ref.rebound:
        before, after = _mentions(plain, ref.name, node)
        # Either the reference was never used, or the array never is.
        if not before or not after:
            _misused(machine, trace, plain, node, "ref-rebound", node)
            return


def _mentions(plain: Function, name: str, binding: ir.Node) -> tuple[int, int]:
    """How often a kernel mentions a parameter before and after a place that binds the name, in
    the order of evaluation; places that bind it do not count."""
    bound: set[int] = set()
    found: list[ir.Node] = []
    at = 0
    for node in walk(plain.node.body):
        bound |= {id(target) for target in assigned(node)[0]}
        if node is binding:
            at = len(found)
        elif isinstance(node, ir.Name) and node.id == name and id(node) not in bound:
            found.append(node)
    statements = map(assigned, walk(plain.node.body))
    own = next((value for targets, value in statements if any(t is binding for t in targets)), None)
    inside = set() if own is None else {id(node) for node in walk(own)}
    after = sum(id(node) not in inside for node in found[at:])
    return len(found) - after, after


def _misused(
    machine: Machine, trace: Trace, plain: Function, node: ir.Node, kind: str, subject: ir.Node
) -> None:
    text = machine.sources.owner(node, machine.module).text_of(subject)
    misused(machine, (plain.node.name, trace.entry), node, kind, text)


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """Functions of Pallas, and functions of JAX that get references."""
    if dotted == CALL:
        return _pallas_call(machine, frame, node, args)
    handler = TABLE.get(dotted)
    if handler is not None:
        return handler(machine, frame, node, args)
    return None if frame.trace.is_host else references.called(machine, frame, dotted, args)


def invoke(machine: Machine, frame: Frame, node: ir.Expr, made: Value, args: Args) -> Value | None:
    """A compiled kernel is called."""
    if isinstance(made, FrameworkObject) and made.dotted == CALL:
        return _called(machine, frame, node, made, args)
    return None


HOOKS = Hooks(library="jax", call=call, invoke=invoke)

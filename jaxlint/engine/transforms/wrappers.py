"""The contracts of transforms: what each makes traced, and when it runs the function."""

from __future__ import annotations

from copy import copy

from jaxlint.engine.checks.recompilation import call_sites
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import renewed
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    COMPILED,
    NONE,
    Instance,
    LibraryName,
    Partial,
    Sequence,
    Traced,
    Transformed,
    Unknown,
    Value,
    join_all,
)
from jaxlint.engine.inference.lengths import form_of
from jaxlint.engine.inference.options import read_options, static_names
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import presumptions
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.engine.summaries.known import anew
from jaxlint.engine.summaries.transformed import TransformUse, method_called
from jaxlint.engine.transforms import eager_autodiff, filtered
from jaxlint.engine.transforms.contracts import examine_call, run_transformed
from jaxlint.engine.transforms.control_flow import IMMEDIATE, PULLBACK, pull_back, run_immediate
from jaxlint.engine.transforms.custom_derivatives import RULE_METHODS, note_rules, run_rules
from jaxlint.engine.transforms.mapped import examine_axes
from jaxlint.engine.transforms.passed_arguments import arguments, is_told, worth_running
from jaxlint.engine.transforms.reverse_mode import forget_loops
from jaxlint.engine.transforms.trace_boundary import leave
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

# How many traces inside each other are followed.
MOST_TRACES = 64


def is_transform(dotted: str) -> bool:
    wraps = lookup.wrapper(dotted) is not None or lookup.is_opaque_wrapper(dotted)
    return wraps or dotted == PULLBACK or dotted in IMMEDIATE


def call_transform(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A transform is called: it wraps its function, or runs it at once."""
    if dotted == PULLBACK:
        return pull_back(machine, frame, node, dotted, args)
    if dotted in IMMEDIATE:
        return run_immediate(machine, frame, node, dotted, args)
    wrapper = lookup.wrapper(dotted)
    if wrapper is None:
        release(machine, args)
        return (
            machine.unknown(f"{dotted} without a model") if args.positional else LibraryName(dotted)
        )
    func = args.get(0, wrapper.function)
    if func is None:
        for heard in machine.checks.postponed_transform:
            heard(machine, frame, node, dotted, args)
        return Partial(LibraryName(dotted), (), dict(args.keywords))
    given, func = func, method_called(func) or func
    record = TransformUse(wrapper, dotted, node, func, frame)
    record.given, record.since = given, machine.counters.tick
    if isinstance(func, Transformed):
        machine.borrow(func.record)
        func.record.wrapped = True
    read_options(machine, record, args)
    examine_axes(machine, frame, node, record)
    for heard in machine.checks.transform:
        heard(machine, frame, record, args)
    machine.program.records.append(record)
    machine.dynamic.effects.transforms |= frame.trace.is_host
    machine.dynamic.effects.compiles |= wrapper.compiles
    return Transformed(func, record)


def release(machine: Machine, args: Args) -> None:
    """Transformed functions that go where they cannot be followed may be called there."""
    for value in args.values():
        inner = value
        while isinstance(inner, Partial):
            inner = inner.func
        if isinstance(inner, Transformed):
            machine.borrow(inner.record)
            inner.record.escaped = True


# -- calls of wrapped functions ------------------------------------------------------------------


def call_transformed(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> Value:
    """A wrapped function is called with these arguments."""
    record: TransformUse = func.record
    if isinstance(record.func, (Unknown, Traced)) and not frame.trace.is_host:
        found = _of_presumed(machine, frame, node, record, args)
        if found:
            return join_all(found)
    wrapper: Wrapper = record.wrapper
    machine.borrow(record)
    if not record.calls:
        for heard in machine.checks.first_call:
            heard(machine, frame, record)
    machine.note_call(record, frame.loop, frame)
    if args.rest is None and args.more is None:
        record.forms[machine.counters.tick] = form_of(args)
        if isinstance(node, ir.Call) and record.node in (node.func, getattr(node.func, "value", 0)):
            record.spot = len(args.positional), frozenset(args.keywords)
    if machine.expects_errors or machine.dynamic.eager:
        record.expected |= frame.trace.is_host
        if machine.dynamic.eager:
            return machine.unknown("eager call")
    machine.frameworks.ask("called", record.dotted, machine, frame, node, record, args)
    examine_call(machine, frame, node, record, args)
    if wrapper.compiles and not record.refused:
        args = call_sites.observe(machine, frame, node, record, args, static_names(record))
        for heard in machine.checks.compiled_call:
            heard(machine, frame, node, record, args)
    elif wrapper.kind == "remat":
        call_sites.note_passed(frame, record, args, static_names(record))
    if wrapper.kind in ("plain", "custom"):
        for heard in machine.checks.plain_call:
            heard(machine, frame, node, record, args)
        result = _run_plain(machine, frame, node, func, args)
        return machine.unknown("checked result") if wrapper.result == "pair" else result
    if frame.trace.is_host and not (
        is_told(args) if machine.dynamic.idle else worth_running(machine, func, args)
    ):
        if any(isinstance(value, (Instance, FrameworkObject)) for value in args.values()):
            arguments(machine, frame, node, record, args)
        return machine.unknown(COMPILED)
    if frame.trace.depth >= MOST_TRACES:
        return machine.unknown("call inside too many transforms")
    inner = arguments(machine, frame, node, record, args)
    if inner is None:
        return machine.unknown("call that cannot be matched")
    return _run_traced(machine, frame, node, record, args, *inner)


def _of_presumed(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> list[Value]:
    """What the modules give that an unknown object may be which is wrapped: `jax.vmap(model)`."""
    made = record.node
    if not isinstance(made, ir.Call) or not made.args:
        return []
    place = made.args[0].value
    objects = presumptions.callees(machine, record.frame, place, record.func, args)
    found = []
    left = max(0, machine.dynamic.presuming - 1)
    with machine.within(unsure=machine.dynamic.unsure + 1, presuming=left):
        for method in filter(None, map(method_called, objects)):
            one = copy(record)
            one.func = method
            found.append(call_transformed(machine, frame, node, Transformed(method, one), args))
    return [value for value in found if not isinstance(value, Unknown)]


def _run_plain(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> Value:
    """The result of a function that is called as it is, perhaps with rules of derivatives."""
    record: TransformUse = func.record
    if record.wrapper.kind != "custom":
        return machine.call(frame, node, func.func, args)
    staged = machine.is_staged(frame)
    if record.rules and not staged:
        result = machine.call(frame, node, func.func, eager_autodiff.primals(frame, args))
        result = eager_autodiff.derived(frame, node, args, result)
    elif record.rules and "differentiated" in frame.trace.ways:
        # JAX differentiates by the rules, and runs the function for its value alone.
        trace = Trace("primal", frame.trace, frame.trace.entry, staged)
        inner = Frame("function", machine.globals, trace)
        result = machine.call(inner, node, func.func, args)
    else:
        result = machine.call(frame, node, func.func, args)
    if record.rules:
        forget_loops(result)
    if staged:
        run_rules(machine, frame, node, record, args, result)
        return result
    if record.rules and "differentiated" in frame.trace.ways:
        run_rules(machine, frame, node, record, args, result)
    return eager_autodiff.through_rules(frame, node, record.dotted, result)


def _run_traced(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    args: Args,
    trace: Trace,
    inside: Args,
) -> Value:
    """The result of a function that is traced. In host code it is remembered for the arguments."""
    identity = None
    if frame.trace.is_host:
        identity = (
            tuple(map(shape_key, inside.positional)),
            tuple((k, shape_key(v)) for k, v in inside.keywords.items()),
        )
        if identity in record.runs:
            return renewed(record.runs[identity], 0, frame.path, leaf=anew)
    result = run_transformed(machine, record, trace, node, inside)
    given = _given_back(machine, frame, node, record, args, result)
    if identity is not None:
        for heard in machine.checks.traced_result:
            heard(machine, frame, node, record, args, given)
        record.runs[identity] = given
        record.held.append(inside)
    return given


def _given_back(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, result: Value
) -> Value:
    """What the wrapped function's result is outside its trace."""
    operands = args.values()
    kind = record.wrapper.result
    if kind == "unknown":
        return machine.unknown("program text")
    passage = filtered.leave_arrays if record.wrapper.lenient else leave
    if kind == "same":
        return passage(machine, frame, node, result, operands)
    if record.has_aux is None:
        return machine.unknown("has_aux that cannot be read")
    value, aux = result, None
    if record.has_aux:
        pair = result.items if isinstance(result, Sequence) else None
        if pair is None or len(pair) != 2:
            return machine.unknown("value and aux")
        value, aux = pair
    aux = None if aux is None else passage(machine, frame, node, aux, operands)
    if kind == "matrix":
        matrix = eager_autodiff.jacobian(machine, frame, node, record.argnums, args, value)
        return matrix if aux is None else Sequence("tuple", [matrix, aux], frame.trace)
    value = leave(machine, frame, node, value, operands)
    grads = _gradients(machine, frame, node, record, args, value)
    if kind == "value_and_grad":
        first = value if aux is None else Sequence("tuple", [value, aux], frame.trace)
        return Sequence("tuple", [first, grads], frame.trace)
    return grads if aux is None else Sequence("tuple", [grads, aux], frame.trace)


def _gradients(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, value: Value
) -> Value:
    numbers = record.argnums
    if numbers is None or not all(0 <= n < len(args.positional) for n in numbers):
        return machine.unknown("gradients")
    if record.wrapper.lenient:
        return filtered.gradient(machine, frame, node, args.positional[0])
    parts = [
        eager_autodiff.gradient(frame, node, args.positional[n], args, value)
        for n in sorted(numbers)
    ]
    if frame.trace.is_host or frame.trace.staged:
        parts = [
            leave(machine, frame, node, args.positional[n], args.values()) for n in sorted(numbers)
        ]
        if frame.trace.staged:
            parts = [eager_autodiff.staged(frame, node, part) for part in parts]
    return parts[0] if len(parts) == 1 else Sequence("tuple", parts, frame.trace)


def call_method(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, name: str, args: Args
) -> Value:
    """Methods of wrapped functions: rules are noted, lowering traces."""
    record: TransformUse = func.record
    machine.borrow(record)
    if name in RULE_METHODS:
        return note_rules(machine, record, name, args)
    if name in ("lower", "trace", "eval_shape"):
        method = node.func if isinstance(node, ir.Call) else None
        made_here = isinstance(method, ir.Attribute) and isinstance(method.value, ir.Call)
        record.traced_only |= made_here
        machine.note_call(record, frame.loop, frame)
        record.escaped = True
        call_transformed(machine, frame, node, func, args)
        return machine.unknown("lowered function")
    if name == "clear_cache":
        machine.happened(record.cleared, record.frame.age, node, int)
        return NONE
    return machine.unknown("method of a transformed function")

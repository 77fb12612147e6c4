"""The contracts of transforms: what each makes traced, and when it runs the function."""

from __future__ import annotations

from math import inf

from jaxlint.dataflow.names import array_parameters
from jaxlint.engine.checks.captures import custom_rule_closures
from jaxlint.engine.checks.donation import use_after_donation, useless_donation
from jaxlint.engine.checks.immutability.references import REFERENCE
from jaxlint.engine.checks.library import transform_options
from jaxlint.engine.checks.recompilation import call_sites
from jaxlint.engine.checks.recompilation.non_arrays import refused
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, Trace
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.pytrees import renewed
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Method,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
    join,
    options,
)
from jaxlint.engine.inference.lengths import form_of
from jaxlint.engine.inference.options import named_statics, read_options, static_names
from jaxlint.engine.inference.parameters import annotated_value, shown_by, signature
from jaxlint.engine.machine.classes import generic_instance
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.engine.summaries.summary import anew
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    entry_of,
    function_name,
    innermost,
    plain_function,
)
from jaxlint.engine.transforms import eager_autodiff, filtered
from jaxlint.engine.transforms.contracts import examine_call, run_transformed
from jaxlint.engine.transforms.control_flow import IMMEDIATE, PULLBACK, pull_back, run_immediate
from jaxlint.engine.transforms.custom_derivatives import RULE_METHODS, note_rules, run_rules
from jaxlint.engine.transforms.reverse_mode import forget_loops
from jaxlint.engine.transforms.trace_boundary import announce, enter, kept, leave
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

_OBJECTS = (Instance, FrameworkObject, Function, Bound, Partial, Transformed, Class)
# How many traces inside each other are followed.
MOST_TRACES = 64
_TRACE_KIND = {"vmap": "batch", "shard": "batch", "ad": "ad"}


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
        release(args)
        return (
            machine.unknown(f"{dotted} without a model") if args.positional else LibraryName(dotted)
        )
    func = args.get(0, wrapper.function)
    if func is None:
        transform_options.postponed(machine, frame, node, dotted, args)
        return Partial(LibraryName(dotted), (), dict(args.keywords))
    given = func
    if isinstance(func, Instance):
        method = func.cls.find("__call__")
        func = func if method is None else Bound(method, func)
    record = TransformUse(wrapper, dotted, node, func, frame)
    record.given, record.since = given, machine.counters.tick
    if isinstance(func, Transformed):
        func.record.wrapped = True
    read_options(record, args)
    transform_options.examine(machine, frame, record, args)
    machine.program.records.append(record)
    return Transformed(func, record)


def release(args: Args) -> None:
    """Transformed functions that go where they cannot be followed may be called there."""
    for value in args.values():
        inner = value
        while isinstance(inner, Partial):
            inner = inner.func
        if isinstance(inner, Transformed):
            inner.record.escaped = True


# -- entries: transforms whose function runs for any arguments ----------------------------------


def run_entry(machine: Machine, record: TransformUse) -> None:
    """Runs a wrapped function for the arguments that its contract allows."""
    wrapper = record.wrapper
    if record.expected or wrapper.kind in ("plain", "custom") or not record.trace.is_host:
        return
    transform_options.after(machine, record)
    func = record.func
    plain = plain_function(func)
    if plain is None:
        machine.frameworks.ask("entry", _object_of(func), machine, record)
        return
    if wrapper.kind != "jit" and (record.wrapped or (record.calls and record.runs)):
        return
    entry = entry_of(record.definition or record.node, wrapper.phrase, func)
    trace = Trace(
        wrapper.kind,
        machine.host,
        entry,
        staged=wrapper.kind in ("jit", "remat"),
        compiled=record if wrapper.compiles and not record.traced_only else None,
    )
    record.entered = trace
    args = generic_args(machine, record, trace)
    if args is not None:
        maker = record.frame if record.frame.func is not None else None
        supposed = machine.dynamic.supposed + bool(record.runs)
        with machine.within(supposed=supposed, maker=maker):
            for each in filtered.alternatives(machine, record.wrapper, plain, trace, args):
                run_transformed(machine, record, trace, record.node, each)


def _object_of(func: Value) -> Value:
    """The object that is called, or whose method is, under all transforms."""
    while isinstance(func, (Transformed, Partial)):
        func = func.func
    return func.owner if isinstance(func, (Bound, Method)) else func


def generic_args(machine: Machine, record: TransformUse, trace: Trace) -> Args | None:
    """Arguments of every sort that callers may pass."""
    statics = static_names(record)
    params = signature(record.func)
    plain = plain_function(record.func)
    assert plain is not None
    shown = shown_by(plain) if plain is record.func else None
    if shown is not None and statics is not None:
        plain, params = shown, list(shown.node.params)
        statics = named_statics(record, params)
    arrays = array_parameters(plain.node)
    args = Args()
    most = min(_axes_given(record), _most_positional(record.func))
    at = 0
    for param in params:
        value = _generic(machine, record, trace, param, at, statics, plain, param.name in arrays)
        if most < inf and _is_left(plain, param, at, most):
            value = None
        at += 1
        if param.kind == "vararg":
            args.rest = value
        elif param.kind == "kwarg":
            args.more = value
        elif value is None:
            continue
        elif param.kind == "keyword" or len(args.positional) < at - 1 or at > most:
            args.keywords[param.name] = value
            args.keyword_nodes[param.name] = record.node
        else:
            args.positional.append(value)
            args.nodes.append(record.node)
    return args


def _most_positional(func: Value) -> float:
    """How many arguments a function takes by position: `vmap` has an axis for each of them."""
    most = inf
    while isinstance(func, Transformed):
        most = min(most, _axes_given(func.record))
        func = func.func
    return most


def _axes_given(record: TransformUse) -> float:
    """For how many arguments `in_axes` has an axis."""
    axes = record.axes if record.dotted in ("jax.vmap", "jax.pmap") else None
    if isinstance(axes, Sequence) and axes.kind in ("tuple", "list") and axes.items is not None:
        return len(axes.items)
    return inf


def _is_left(plain: Function, param: ir.Param, at: int, most: float) -> bool:
    """Whether `in_axes` has no axis for a parameter, which is left to its default then."""
    named = param.kind == "keyword" or at >= most
    return named and param.kind not in ("vararg", "kwarg") and param.name in plain.defaults


def _generic(
    machine: Machine,
    record: TransformUse,
    trace: Trace,
    param: ir.Param,
    at: int,
    statics: frozenset[str] | None,
    plain: Function,
    is_array: bool,
) -> Value | None:
    """One argument, None where it is left to its default."""
    default = plain.defaults.get(param.name)
    first = at == 0 and plain.owner is not None and plain is _bare(record.func)
    if first and param.name in ("self", "cls"):
        return _self_argument(machine, record, plain, param, trace, statics)
    if statics is None or record.may_fix(param, at, plain.node.params):
        return machine.unknown("static arguments that cannot be read")
    if param.name in statics:
        return Static() if default is None or default is NONE else join(default, Static())
    traced = _traced_argument(machine, record, trace, param, at, plain, is_array)
    if isinstance(traced, Unknown) or default is None or param.kind in ("vararg", "kwarg"):
        return traced
    if isinstance(default, Static) and default.kind in ("str", "bytes"):
        return None
    if record.leaves(param.name, at):
        return None
    if isinstance(default, (Function, Class, LibraryName, Bound, Transformed)):
        return None
    for one in options(traced):
        if isinstance(one, Traced):
            one.trail.optional = True
    return join(default, traced)


def _bare(func: Value) -> Function | None:
    func = innermost(func)
    return func if isinstance(func, Function) else None


def _self_argument(
    machine: Machine,
    record: TransformUse,
    plain: Function,
    param: ir.Param,
    trace: Trace,
    statics: frozenset[str] | None,
) -> Value:
    owner = plain.owner
    assert owner is not None
    if statics is not None and param.name in statics:
        return generic_instance(machine, owner)
    if owner.tree and trace.entry is not None:
        leaves = Traced(
            Provenance(param, None, trace.entry, param.name, plain.node.name), leaf=False
        )
        if record.wrapper.lenient:
            leaves.kind = _TRACE_KIND.get(record.wrapper.kind, "abstract")
            return filtered.own_object(machine, owner, leaves, trace)
        answer = machine.frameworks.ask("parameter", owner, machine, trace, owner, leaves)
        if answer is not None:
            return answer
        made = Instance(owner, trace)
        made.tree = leaves
        return made
    return machine.unknown("self of a jitted method")


def _traced_argument(
    machine: Machine,
    record: TransformUse,
    trace: Trace,
    param: ir.Param,
    at: int,
    plain: Function,
    is_array: bool,
) -> Value:
    wrapper = record.wrapper
    differentiated = record.argnums is not None and at in record.argnums
    if wrapper.kind == "ad" and not differentiated:
        return machine.unknown("argument that is not differentiated")
    if wrapper.kind == "vmap" and not _mapped_axis(record, at):
        return machine.unknown("argument that may not be mapped")
    if wrapper.kind in ("jit", "shard") and _left_out(record, at):
        return machine.unknown("argument without a sharding")
    assert trace.entry is not None
    kind = _TRACE_KIND.get(wrapper.kind, "abstract")
    trail = Provenance(param, None, trace.entry, param.name, plain.node.name)
    made = Traced(trail, kind, leaf=is_array)
    if wrapper.lenient:
        return filtered.argument(machine, plain, param, made, trace)
    return annotated_value(machine, plain, param, made, trace)


def _left_out(record: TransformUse, at: int) -> bool:
    """Whether an argument has None for its axis or sharding: it may be no array at all."""
    axes = record.axes
    if isinstance(axes, Sequence) and axes.items is not None and at < len(axes.items):
        return is_none(axes.items[at])
    return axes is not None and is_none(axes)


def _mapped_axis(record: TransformUse, at: int) -> bool:
    axes = record.axes
    if axes is None:
        return True
    if isinstance(axes, Sequence) and axes.items is not None and at < len(axes.items):
        axes = axes.items[at]
    return isinstance(axes, Static) and isinstance(axes.const, int)


# -- calls of wrapped functions ------------------------------------------------------------------


def call_transformed(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> Value:
    """A wrapped function is called with these arguments."""
    record: TransformUse = func.record
    wrapper: Wrapper = record.wrapper
    if not record.calls:
        transform_options.first_called(machine, frame, record)
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
        if (record.donates or machine.gifts is not None) and frame.trace.is_host:
            use_after_donation.observe(machine, frame, node, record, args)
    if wrapper.kind in ("plain", "custom"):
        custom_rule_closures.check(machine, frame, node, record, args)
        if wrapper.kind == "custom" and record.rules and not machine.is_staged(frame):
            result = machine.call(frame, node, func.func, eager_autodiff.primals(frame, args))
            result = eager_autodiff.derived(frame, node, args, result)
        else:
            result = machine.call(frame, node, func.func, args)
        if wrapper.kind == "custom" and record.rules:
            forget_loops(result)
        if wrapper.kind == "custom" and machine.is_staged(frame):
            run_rules(machine, frame, node, record, args, result)
        elif wrapper.kind == "custom":
            result = eager_autodiff.through_rules(frame, node, record.dotted, result)
        return machine.unknown("checked result") if wrapper.result == "pair" else result
    if frame.trace.is_host and (machine.dynamic.idle or not _worth_running(args)):
        if any(isinstance(value, (Instance, FrameworkObject)) for value in args.values()):
            _arguments(machine, frame, node, record, args)
        return machine.unknown("result of a transformed function")
    if frame.trace.depth >= MOST_TRACES:
        return machine.unknown("call inside too many transforms")
    inner = _arguments(machine, frame, node, record, args)
    if inner is None:
        return machine.unknown("call that cannot be matched")
    trace, inside = inner
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
    if identity is not None and record.donates:
        useless_donation.compare(machine, frame, node, record, args, given)
    if identity is not None:
        record.runs[identity] = given
        record.held.append(inside)
    return given


def _worth_running(args: Args) -> bool:
    """Whether the arguments of a host call say more than the contract does: all of them are known,
    or there are objects and functions among them."""
    if args.rest is not None:
        return False
    if all(is_made(v) or not isinstance(v, (Unknown, Union)) for v in args.values()):
        return True
    return any(isinstance(v, _OBJECTS) for v in args.values())


def _arguments(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> tuple[Trace, Args] | None:
    """The trace of this call and what the arguments become in it."""
    wrapper = record.wrapper
    statics = static_names(record)
    if statics is None:
        return None
    entry = entry_of(record.definition or record.node, wrapper.phrase, record.func)
    staged = wrapper.kind in ("jit", "remat")
    compiled = record if wrapper.compiles and not record.traced_only else None
    trace = Trace(wrapper.kind, frame.trace, entry, staged, compiled)
    every = signature(record.func)
    params = [p for p in every if p.kind in ("plain", "positional")]
    inside = Args(
        rest=args.rest, more=args.more, nodes=args.nodes, keyword_nodes=args.keyword_nodes
    )
    numbers = record.numbers or frozenset()
    for at, value in enumerate(args.positional):
        param = params[at] if at < len(params) else None
        fixed = (
            (param is not None and param.name in statics)
            or (param is None and not {at, at - len(args.positional)}.isdisjoint(numbers))
            or _is_self(machine, record, at, value)
        )
        inside.positional.append(
            value if fixed else _passed(machine, frame, node, record, trace, param, at, value)
        )
    for name, value in args.keywords.items():
        param = next((p for p in every if p.name == name and p.kind != "kwarg"), None)
        fixed = name in statics
        at = -1 if wrapper.kind != "ad" else 99
        inside.keywords[name] = (
            value if fixed else _passed(machine, frame, node, record, trace, param, at, value)
        )
    return trace, inside


def _is_self(machine: Machine, record: TransformUse, at: int, value: Value) -> bool:
    return at == 0 and isinstance(value, Instance) and not value.cls.tree


# Transforms that look at what is passed before they trace.
_CHECKING = ("jax.", "haiku.")


def _passed(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    trace: Trace,
    param: ir.Param | None,
    at: int,
    value: Value,
) -> Value:
    """What one argument is inside the trace."""
    wrapper = record.wrapper
    if wrapper.kind == "ad" and (record.argnums is None or at not in record.argnums):
        return kept(machine, record.dotted, value)
    if wrapper.kind == "vmap" and at >= 0 and not _mapped_axis(record, at):
        axis = record.axes
        if isinstance(axis, Sequence) and axis.items is not None and at < len(axis.items):
            axis = axis.items[at]
        name = function_name(record.func)
        along = _along(machine, trace, param or node, name, value, axis)
        return kept(machine, record.dotted, value) if along is value else along
    if wrapper.kind in ("jit", "shard") and at >= 0 and _left_out(record, at):
        return kept(machine, record.dotted, value)
    announce(machine, frame, node, record.dotted, value)
    if record.dotted.startswith(_CHECKING) and refused(machine, frame, value, None):
        return machine.unknown("argument that JAX rejects before it traces")
    if param is not None and isinstance(value, Unknown) and value.reason != REFERENCE:
        found = _any_given(machine, record, trace, param)
        if found is not None:
            return found
    kind = _TRACE_KIND.get(wrapper.kind, "abstract")
    name = function_name(record.func)
    passage = filtered.enter_arrays if wrapper.lenient else enter
    return passage(
        machine,
        trace,
        param or node,
        param.name if param else "",
        name,
        value,
        kind,
        drop_axis=wrapper.kind == "vmap" or record.dotted.endswith("pmap"),
    )


def _any_given(
    machine: Machine, record: TransformUse, trace: Trace, param: ir.Param
) -> Value | None:
    """What a parameter that is given a value of which nothing is known is inside, None where it is
    a tracer: JAX takes no objects of a host type, and None for a default None stays None."""
    plain = plain_function(record.func)
    if plain is None or record.wrapper.lenient or param not in plain.node.params:
        return None
    assert trace.entry is not None
    trail = Provenance(param, None, trace.entry, param.name, plain.node.name)
    made = Traced(trail, _TRACE_KIND.get(record.wrapper.kind, "abstract"), leaf=False)
    if isinstance(annotated_value(machine, plain, param, made, trace), Unknown):
        return machine.unknown("argument of a host type")
    default = plain.defaults.get(param.name)
    return join(NONE, made) if default is not None and is_none(default) else None


def _along(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    value: Value,
    axis: Value | None,
) -> Value:
    """An argument whose leaves are mapped along axes of their own, None for those that are not."""
    if axis is not None and is_none(axis):
        return value
    if isinstance(axis, Static) and isinstance(axis.const, int):
        return enter(machine, trace, place, "", name, value, "batch", drop_axis=True)
    if isinstance(axis, Mapping) and isinstance(value, Mapping) and not (axis.open or value.open):
        known = {
            k: _along(machine, trace, place, name, v, axis.items.get(k))
            for k, v in value.items.items()
        }
        return Mapping(known, trace)
    if isinstance(axis, Sequence) and isinstance(value, Sequence) and axis.kind == value.kind:
        axes, items = axis.items or [], value.items or []
        if items and len(axes) == len(items):
            pairs = zip(items, axes, strict=True)
            parts = [_along(machine, trace, place, name, v, a) for v, a in pairs]
            return Sequence(value.kind, parts, trace)
    return machine.unknown("argument that may not be mapped")


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
    return parts[0] if len(parts) == 1 else Sequence("tuple", parts, frame.trace)


def call_method(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, name: str, args: Args
) -> Value:
    """Methods of wrapped functions: rules are noted, lowering traces."""
    record: TransformUse = func.record
    if name in RULE_METHODS:
        return note_rules(record, name, args)
    if name in ("lower", "trace", "eval_shape"):
        made_here = node.func.value if isinstance(node, ir.Call) else None  # type: ignore[attr-defined]
        record.traced_only |= isinstance(made_here, ir.Call)
        machine.note_call(record, frame.loop, frame)
        record.escaped = True
        call_transformed(machine, frame, node, func, args)
        return machine.unknown("lowered function")
    if name == "clear_cache":
        machine.happened(record.cleared, record.frame.age, node, int)
        return NONE
    return machine.unknown("method of a transformed function")

"""Entries: transforms whose function runs for any arguments that its contract allows."""

from __future__ import annotations

from copy import copy
from itertools import chain
from math import inf

from jaxlint.dataflow.array_evidence import array_names
from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.recompilation.call_sites import Given
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.kinds.array_values import TRACER_KINDS
from jaxlint.engine.domain.possibilities import Candidates
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    NUMBERS,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Method,
    NumPy,
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
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.inference.options import named_statics, static_names
from jaxlint.engine.inference.parameters import annotated_value, shown_by, signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import presumptions, registries
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    entry_of,
    innermost,
    method_called,
    plain_function,
)
from jaxlint.engine.transforms import filtered
from jaxlint.engine.transforms.contracts import run_transformed
from jaxlint.engine.transforms.custom_derivatives import suppose_rules
from jaxlint.engine.transforms.passed_arguments import left_out, mapped_axis, maps_devices
from jaxlint.engine.transforms.sharded import laid_out
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.applications import EntryKind
from jaxlint.syntax import ir

# Arguments that are containers, or may be.
_NO_ARRAYS = (Instance, Mapping, Sequence, Union)


def run_entry(machine: Machine, record: TransformUse) -> None:
    """Runs a wrapped function for the arguments that its contract allows."""
    if isinstance(record.func, (Union, Candidates)):
        _run_each(machine, record, record.func)
        return
    _run_one(machine, record)
    _run_beside(machine, record)


def _run_one(machine: Machine, record: TransformUse) -> None:
    wrapper = record.wrapper
    if wrapper.kind == "custom" and not record.expected:
        suppose_rules(machine, record)
    if record.expected or wrapper.kind in ("plain", "custom") or not record.trace.is_host:
        return
    for heard in machine.checks.entry:
        heard(machine, record)
    func = record.func
    plain = plain_function(func)
    if plain is None:
        if isinstance(func, Unknown):
            _run_presumed(machine, record)
        else:
            machine.frameworks.ask("entry", _object_of(func), machine, record)
        return
    if wrapper.kind != "jit" and (record.wrapped or (record.calls and record.runs)):
        return
    entry = entry_of(record.definition or record.node, wrapper.application, func)
    trace = Trace(
        wrapper.kind,
        machine.host,
        entry,
        staged=wrapper.kind in ("jit", "remat"),
        compiled=record if wrapper.compiles and not record.traced_only else None,
        binds=record.binds,
        is_outermost=maps_devices(record),
        checks=record.checks,
    )
    record.entered = trace
    args = generic_args(machine, record, trace)
    if args is not None:
        maker = record.frame if record.frame.func is not None else None
        is_supposed = bool(record.runs) or wrapper.application.kind is EntryKind.SUPPOSED
        supposed = machine.dynamic.supposed + is_supposed
        unsure = machine.dynamic.unsure + _may_be_left(machine, record)
        with machine.within(supposed=supposed, maker=maker, unsure=unsure):
            for each in filtered.alternatives(machine, record.wrapper, plain, trace, args):
                run_transformed(machine, record, trace, record.node, each)


def _run_beside(machine: Machine, record: TransformUse) -> None:
    """Runs what another key would have chosen from the registry that the wrapped function is of."""
    wrapped = _wrapped_in(record.node)
    others = [] if wrapped is None else registries.beside(record.func, wrapped)
    with machine.doubting():
        for other in others:
            one = copy(record)
            one.func, one.calls = other, []
            _run_one(machine, one)


def _wrapped_in(node: ir.Node) -> ir.Expr | None:
    """What a call of a transform wraps, None where that is not its first argument."""
    is_first = isinstance(node, ir.Call) and node.args and node.args[0].keyword is None
    return node.args[0].value if isinstance(node, ir.Call) and is_first else None


def _run_presumed(machine: Machine, record: TransformUse) -> None:
    """Runs the methods that may be meant where one of an unknown object is wrapped."""
    wrapped = _wrapped_in(record.node)
    if wrapped is None:
        return
    found = presumptions.methods(machine, record.frame, wrapped, record.func)
    if found:
        with machine.within(unsure=machine.dynamic.unsure + 1):
            _run_each(machine, record, Candidates("method of an unknown object", tuple(found)))


def _may_be_left(machine: Machine, record: TransformUse) -> bool:
    """Whether a function is only wrapped if a test says so, and called as it is otherwise:
    `if compiled: step = jax.jit(step)`."""
    module = machine.sources.owner(record.node, machine.module)
    places = layout(module.body)
    statement = places.statement_of(record.node)
    if not isinstance(statement, ir.Assign) or not isinstance(places.around(statement), ir.If):
        return False
    given: ir.Expr = record.node
    while isinstance(given, ir.Call) and given.args:
        given = given.args[0].value
    name = dotted_text(given)
    return bool(name) and name in map(dotted_text, statement.targets)


def _run_each(machine: Machine, record: TransformUse, func: Union | Candidates) -> None:
    """Runs each of the functions of which one is wrapped. A decorator that may be called without
    its function gives itself with its options then, which nobody wraps."""
    found = [one for one in map(_called, func.options) if one is not None]
    if isinstance(func, Union):
        found = [one for one in found if not isinstance(one, Partial)] or found
    with machine.doubting():
        for option in found:
            one = copy(record)
            one.func = option
            run_entry(machine, one)


def _called(value: Value) -> Value | None:
    """What runs where a value is called, None for what is no function."""
    is_function = isinstance(value, (Bound, Function, Partial, Transformed))
    return value if is_function else method_called(value)


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
    given = _given_arrays(record)
    arrays = array_names(plain.node, plain.frame.root.module) | given
    args = Args()
    most = min(_axes_given(record), _most_positional(record.func))
    at = 0
    for param in params:
        about = param.name in arrays, param.name in given
        value = _generic(machine, record, trace, param, at, statics, plain, *about)
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


def _given_arrays(record: TransformUse) -> frozenset[str]:
    """The parameters that the calls which were seen give arrays and numbers alone."""
    every = chain(record.passed, *(site.given for site in record.sites))
    given = [one for one in every if one.fixed is False]
    others = {one.name for one in given if isinstance(one.value, _NO_ARRAYS) or is_none(one.value)}
    return frozenset(one.name for one in given if _is_array_or_number(one)) - others


def _is_array_or_number(given: Given) -> bool:
    """Whether an argument is certainly an array or a number: a comparison gives one of them."""
    value = given.value
    if isinstance(value, (Concrete, NumPy)) or is_made(value):
        return True
    if isinstance(value, Static):
        return value.kind in NUMBERS
    is_negation = isinstance(given.node, ir.UnaryOp) and given.node.op == "not"
    return isinstance(value, Unknown) and (is_negation or isinstance(given.node, ir.Compare))


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
    is_given: bool,
) -> Value | None:
    """One argument, None where it is left to its default; `is_given` tells that a call passes an
    array or a number."""
    default = plain.defaults.get(param.name)
    first = at == 0 and plain.owner is not None and plain is _bare(record.func)
    if first and param.name in ("self", "cls"):
        return _self_argument(machine, record, plain, param, trace, statics)
    if statics is None or record.may_fix(param, at, plain.node.params):
        return machine.unknown("static arguments that cannot be read")
    if param.name in statics:
        return Static() if default is None or default is NONE else join(default, Static())
    traced = _traced_argument(machine, record, trace, param, at, plain, is_array)
    if default is None or param.kind in ("vararg", "kwarg"):
        return traced
    if record.leaves(param.name, at):
        return None
    if isinstance(traced, Unknown):
        return traced
    if isinstance(default, Static) and default.kind in ("str", "bytes"):
        return None
    if isinstance(default, (Function, Class, LibraryName, Bound, Transformed)):
        return None
    if is_given and isinstance(default, Static) and default.kind in NUMBERS:
        return traced  # A call that passes a number runs like one that passes the default.
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
            leaves.kind = TRACER_KINDS.get(record.wrapper.kind, "abstract")
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
    if wrapper.kind == "vmap" and not mapped_axis(record, at):
        return machine.unknown("argument that may not be mapped")
    if wrapper.kind == "shard" and left_out(record, at):
        return machine.unknown("argument without a sharding")
    assert trace.entry is not None
    kind = TRACER_KINDS.get(wrapper.kind, "abstract")
    trail = Provenance(param, None, trace.entry, param.name, plain.node.name)
    made = Traced(trail, kind, leaf=is_array or wrapper.scalars)
    if wrapper.lenient:
        return filtered.argument(machine, plain, param, made, trace)
    return laid_out(record, trace, at, annotated_value(machine, plain, param, made, trace))

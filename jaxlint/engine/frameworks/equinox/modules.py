"""What Equinox does with its modules and layers, and with the functions that it transforms."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.recompilation.non_arrays import is_leaf_class
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.kinds.array_values import TracerKind
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.traces import Trace, TraceKind
from jaxlint.engine.domain.values import (
    STATIC,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.classes import bind_fields, convert_fields
from jaxlint.engine.frameworks.equinox import checks as misuse
from jaxlint.engine.frameworks.equinox import layers as layers
from jaxlint.engine.frameworks.equinox import omega as omega
from jaxlint.engine.frameworks.equinox.pytrees import TABLE as TREES
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib.data_classes import passed_as
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.engine.transforms.bodies import body_trace
from jaxlint.engine.transforms.control_flow import PULLBACK, run_like
from jaxlint.engine.transforms.filtered import enter_arrays, leave_arrays, own_object
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
MODULE = "equinox.Module"
WITH_STATE = "equinox.nn.make_with_state(...)"


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A function or class of Equinox is called."""
    handler = _TABLE.get(dotted)
    if handler is not None:
        return handler(machine, frame, node, args)
    return layers.make(machine, frame, node, dotted, args)


# -- transforms that run their function at once ----------------------------------------------------


def _run(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    func: Value,
    values: list[Value],
    kind: TraceKind = "staged",
) -> Value:
    trace = body_trace(machine, frame, node, dotted, func, kind)
    name = function_name(func)
    entered: TracerKind = "ad" if kind == "ad" else "abstract"
    inside = [enter_arrays(machine, trace, node, "", name, v, entered) for v in values]
    result = run_in(machine, trace, node, func, Args(inside, nodes=[node] * len(inside)))
    return leave_arrays(machine, frame, node, result, values)


def _loop(dotted: str) -> Handler:
    """A loop of `equinox.internal`, by that of JAX which it does as."""

    def loop(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        name = dotted.replace("jax.lax.", "eqxi.")
        return run_like(machine, frame, node, dotted, name, args)

    return loop


def _jvp(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, primals = args.get(0, "fn"), args.get(1, "primals")
    if func is None or not isinstance(primals, Sequence) or primals.items is None:
        return machine.unknown("filter_jvp")
    value = _run(machine, frame, node, "eqx.filter_jvp", func, list(primals.items), "ad")
    return Sequence("tuple", [value, machine.unknown("tangents")], frame.trace)


def _vjp(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "fun")
    if func is None or args.rest is not None or "has_aux" in args.keywords:
        return machine.unknown("filter_vjp")
    primals = args.positional[1:]
    value = _run(machine, frame, node, "eqx.filter_vjp", func, primals, "ad")
    pullback = Partial(LibraryName(PULLBACK), tuple(primals), {})
    return Sequence("tuple", [value, pullback], frame.trace)


def _eval_shape(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "fun")
    if func is None or args.rest is not None or args.more is not None or args.keywords:
        return machine.unknown("shapes")
    made = _run(machine, frame, node, "eqx.filter_eval_shape", func, args.positional[1:])

    def leaf(one: Value) -> Value:
        if isinstance(one, FrameworkObject) or (isinstance(one, Traced) and not one.leaf):
            return machine.unknown("shapes")
        return Static(kind="struct") if isinstance(one, (Traced, Concrete, NumPy)) else one

    return map_leaves(made, leaf, frame.trace, is_leaf=is_leaf_class)


def _closure_convert(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "fn")
    if func is None:
        return machine.unknown("filter_closure_convert")
    if args.rest is None and args.more is None and not args.keywords:
        _run(machine, frame, node, "eqx.filter_closure_convert", func, args.positional[1:])
    return func


def _callback(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if frame.trace.is_host:
        return machine.unknown("callback")
    return machine.operation(frame, node, args.positional[1:])


# -- primitives ------------------------------------------------------------------------------------

_PRIMITIVE = Wrapper(
    "custom", EntryKind.RULED.by("eqxi.create_vprim"), statics=("", ""), lenient=True
)


def _primitive(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`create_vprim(name, impl, abstract_eval, jvp, transpose)`: a function with a rule."""
    func, rule = args.get(1, "impl"), args.get(3, "jvp")
    if func is None or args.rest is not None:
        return machine.unknown("primitive")
    record = TransformUse(_PRIMITIVE, "equinox.internal.create_vprim", node, func, frame)
    record.numbers, record.names = frozenset(), frozenset()
    record.rules = [] if rule is None or is_none(rule) else [rule]
    machine.program.records.append(record)
    return Transformed(func, record)


def _bind(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`filter_primitive_bind(primitive, *args)`."""
    if not args.positional or not isinstance(args.positional[0], Transformed):
        return machine.unknown("primitive")
    primitive, *given = args.positional
    return machine.call(frame, node, primitive, Args(given, rest=args.rest, nodes=args.nodes[1:]))


# -- objects ---------------------------------------------------------------------------------------


def _with_state(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls = args.get(0, "make_model")
    return (
        machine.unknown("make_with_state")
        if cls is None
        else Partial(LibraryName(WITH_STATE), (cls,), {})
    )


def _made_with_state(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls, *given = args.positional
    inside = Args(given, args.keywords, args.rest, args.more, args.nodes[1:], args.keyword_nodes)
    model = machine.call(frame, node, cls, inside)
    state = FrameworkObject(layers.STATE, None, node, frame.trace)
    return Sequence("tuple", [model, state], frame.trace)


def _if_array(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.get(0, "axis") or STATIC


def _static_field(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    default, factory = args.keywords.get("default"), args.keywords.get("default_factory")
    return passed_as(FieldSpec(True, default, factory), args)


def _first(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else machine.unknown("pytree")


def _static_leaf(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`eqxi.Static(value)`: a module whose one field is static."""
    made = Instance(_STATIC_LEAF, frame.trace, path=frame.path)
    made.fields["value"] = args.get(0, "value") or machine.unknown("field not passed")
    return made


_STATIC_LEAF = Class("Static", None, (LibraryName(MODULE),))
_STATIC_LEAF.tree, _STATIC_LEAF.meta = "leaves", {"value"}
_STATIC_LEAF.fields = {"value": (None, None)}


def _without_leaves(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`eqxi.str2jax(...)`: an object of a module class of its own, which has no fields."""
    cls = Class("str2jax", None, (LibraryName(MODULE),))
    cls.tree = "leaves"
    return Instance(cls, frame.trace, path=frame.path)


def _clear_caches(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    machine.happened(machine.program.cleared, 0, node, int)
    return Static(None)


_TABLE: dict[str, Handler] = {
    **TREES,
    omega.OMEGA: omega.make,
    omega.CALL: omega.call,
    "equinox.internal.scan": _loop("jax.lax.scan"),
    "equinox.internal.while_loop": _loop("jax.lax.while_loop"),
    "equinox.filter_jvp": _jvp,
    "equinox.filter_vjp": _vjp,
    "equinox.filter_eval_shape": _eval_shape,
    "equinox.filter_closure_convert": _closure_convert,
    "equinox.filter_pure_callback": _callback,
    "equinox.nn.make_with_state": _with_state,
    WITH_STATE: _made_with_state,
    "equinox.nn.delete_init_state": _first,
    "equinox.tree_inference": _first,
    "equinox.internal.create_vprim": _primitive,
    "equinox.internal.filter_primitive_bind": _bind,
    "equinox.internal.noinline": _first,
    "equinox.internal.str2jax": _without_leaves,
    "equinox.internal.Static": _static_leaf,
    "equinox.internal.nondifferentiable": _first,
    "equinox.internal.nondifferentiable_backward": _first,
    "equinox.internal.nontraceable": _first,
    "equinox.if_array": _if_array,
    "equinox.static_field": _static_field,
    "equinox.clear_caches": _clear_caches,
}


def build(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> Value | None:
    """A module is made: fields, then converters, then `__check_init__` of each class."""
    if MODULE not in cls.externals():
        return None
    made = Instance(cls, frame.trace, path=frame.path)
    caller = None if frame.trace.is_host else frame
    init = cls.find("__init__")
    if isinstance(init, Function):
        inside = Args([made, *args.positional], dict(args.keywords), args.rest, args.more)
        machine.invoke(init, inside, frame.trace, node, caller)
    elif init is not None:
        unknown = machine.unknown("field that an unknown `__init__` sets")
        made.fields = dict.fromkeys(cls.fields, unknown)
    else:
        bind_fields(machine, frame, node, made, cls, args)
        post = cls.find("__post_init__")
        if isinstance(post, Function):
            machine.call(frame, node, post, Args([made]))
    convert_fields(machine, frame, node, made)
    misuse.made(machine, frame, node, made)
    for one in cls.lineage:
        check = one.namespace.get("__check_init__")
        if isinstance(check, Function):
            machine.call(frame, node, check, Args([made], nodes=[node]))
    return made


def enter(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    owner: Value,
) -> Value | None:
    """A layer that is passed into a trace."""
    if not isinstance(owner, FrameworkObject):
        return None
    return layers.enter_trace(machine, trace, place, name, function, owner)


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """An attribute of a layer."""
    if not isinstance(owner, FrameworkObject):
        return None
    return layers.attribute(machine, frame, node, owner, attr)


def invoke(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value | None:
    """A layer is called."""
    if not isinstance(owner, FrameworkObject):
        return None
    return layers.invoke(machine, frame, node, owner, args)


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """A method of a state is called."""
    if not isinstance(owner, FrameworkObject):
        return None
    return layers.method(machine, frame, node, owner, name, args)


def receiver(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, made: Traced) -> Value:
    """`self` of a method that some filtered transformation runs."""
    return own_object(machine, cls, made, frame.trace)


HOOKS = Hooks(
    library="equinox",
    call=call,
    attribute=attribute,
    method=method,
    invoke=invoke,
    store=misuse.store,
    build=build,
    enter=enter,
    leave=layers.leave_trace,
    wrap=misuse.wrap,
    passed=misuse.passed,
    called=misuse.called,
    receiver=receiver,
    arithmetic=omega.arithmetic,
)

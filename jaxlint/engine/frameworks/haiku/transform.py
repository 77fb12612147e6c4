"""What Haiku does with the functions that it transforms: `init` and `apply` run them."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.dataflow.names import array_parameters
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    COMPILED,
    NONE,
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
    Value,
)
from jaxlint.engine.frameworks.haiku import modules as modules
from jaxlint.engine.frameworks.haiku.scope import Scope
from jaxlint.engine.inference.extents import examples
from jaxlint.engine.inference.parameters import annotated_value, signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    entry_of,
    function_name,
    plain_function,
)
from jaxlint.engine.transforms.control_flow import run_like
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.knowledge.ecosystems.haiku import LIFTED
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
TRANSFORMED = "haiku.Transformed"
MULTIPLE = "haiku.multi_transform(...)"
# The function that a Haiku transform is given runs when `init` or `apply` is called.
_WRAPPER = Wrapper("haiku", Application(EntryKind.HAIKU), function="f")


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A function or class of Haiku is called."""
    handler = _TABLE.get(dotted)
    if handler is not None:
        return handler(machine, frame, node, args)
    if dotted in LIFTED:
        name = dotted.replace("haiku.", "hk.")
        return run_like(machine, frame, node, LIFTED[dotted], name, args)
    return modules.make(frame, node, dotted, args)


# -- transforms ------------------------------------------------------------------------------------


def _transform(stateful: bool, multiple: bool = False) -> Handler:
    def transform(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        func = args.get(0, "f")
        if func is None:
            return machine.unknown("transform")
        made = FrameworkObject(TRANSFORMED, args, node, frame.trace)
        made.state = {"func": func, "rng": True, "stateful": stateful, "multiple": multiple}
        record = TransformUse(_WRAPPER, TRANSFORMED, node, made, frame)
        record.imported = machine.dynamic.idle
        made.state["record"] = record
        machine.program.records.append(record)
        return _pair(machine, frame, node, made)

    return transform


def _pair(machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject) -> Instance:
    """A `hk.Transformed`: a named tuple of two functions."""
    cls = Class("Transformed", None, (LibraryName("typing.NamedTuple"),))
    cls.fields = {"init": (None, None), "apply": (None, None)}
    cls.tree = "leaves"
    cls.compares = True
    pair = Instance(cls, frame.trace, path=frame.path)
    pair.fields["init"] = Method(made, "init")
    pair.fields["apply"] = (
        _several(machine, frame, node, made) if made.state["multiple"] else Method(made, "apply")
    )
    return pair


def _product(value: Value | None) -> FrameworkObject | None:
    """What a `hk.Transformed` was made of."""
    init = value.fields.get("init") if isinstance(value, Instance) else None
    owner = init.owner if isinstance(init, Method) else None
    return owner if isinstance(owner, FrameworkObject) and owner.dotted == TRANSFORMED else None


def _without(option: str, value: bool) -> Handler:
    """`hk.without_apply_rng(transformed)` and kin."""

    def change(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        old = _product(args.get(0, "f"))
        if old is None:
            return machine.unknown("transformed function")
        made = FrameworkObject(TRANSFORMED, old.args, node, frame.trace)
        made.state = {**old.state, option: value}
        return _pair(machine, frame, node, made)

    return change


def _several(machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject) -> Value:
    """The `apply` of a multi-transform: a function for each that the template gives."""
    found = _template(machine, frame, node, made, Scope(frame.trace, None))

    def applied(value: Value) -> Value:
        if isinstance(value, Function):
            return Partial(LibraryName(MULTIPLE), (made, value), {})
        if isinstance(value, Sequence) and value.items is not None:
            return Sequence(value.kind, list(map(applied, value.items)), frame.trace)
        if isinstance(value, Mapping):
            return Mapping({k: applied(v) for k, v in value.items.items()}, frame.trace)
        if isinstance(value, Instance) and value.cls.tree == "leaves":
            copy = Instance(value.cls, frame.trace, path=frame.path)
            copy.fields = {k: applied(v) for k, v in value.fields.items()}
            return copy
        return machine.unknown("apply functions")

    return machine.unknown("apply functions") if found is None else applied(found[1])


def _template(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, scope: Scope
) -> list[Value] | None:
    """What the function of a multi-transform gives: one to initialise with, several to apply."""
    result = _run(machine, frame, node, scope, made.state["func"], Args())
    pair = result.items if isinstance(result, Sequence) else None
    return pair if pair is not None and len(pair) == 2 else None


def _run(
    machine: Machine, frame: Frame, node: ir.Expr, scope: Scope, func: Value, args: Args
) -> Value:
    """Runs a transformed function."""
    with machine.within(scopes=(*machine.dynamic.scopes, scope)):
        return machine.call(Frame("function", frame, scope.trace), node, func, args)


def _trace(machine: Machine, frame: Frame, node: ir.Expr, func: Value) -> Trace:
    """The trace of a run: that of the code around, or in host code one of its own."""
    if not frame.trace.is_host:
        return frame.trace
    return Trace("haiku", machine.host, entry_of(node, _WRAPPER.application, func), staged=False)


# -- init and apply --------------------------------------------------------------------------------


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """`transformed.init(...)` or `transformed.apply(...)`, or a method of a module."""
    if not isinstance(owner, FrameworkObject):
        return None
    if owner.dotted != TRANSFORMED:
        return modules.method(machine, frame, node, owner, name, args)
    if name == "init":
        return _init(machine, frame, node, owner, args)
    return _apply(machine, frame, node, owner, owner.state["func"], args)


def _rest(args: Args, count: int) -> Args | None:
    """The arguments after the first ones, which the function itself is called with."""
    if args.rest is not None and len(args.positional) < count:
        return None
    names = ("params", "state", "rng")
    keywords = {k: v for k, v in args.keywords.items() if k not in names}
    taken = count - sum(name in args.keywords for name in names)
    return Args(
        args.positional[max(taken, 0) :],
        keywords,
        args.rest,
        args.more,
        args.nodes[max(taken, 0) :],
        args.keyword_nodes,
    )


def _init(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value:
    func: Value | None = owner.state["func"]
    owner.state["record"].runs["init"] = NONE
    inside = _rest(args, 1)
    if inside is None or func is None:
        return machine.unknown("parameters")
    inside = examples(machine, inside)
    scope = Scope(_trace(machine, frame, node, func), True)
    if owner.state["multiple"]:
        found = _template(machine, frame, node, owner, scope)
        func = None if found is None else found[0]
    if func is not None:
        _run(machine, frame, node, scope, func, inside)
    params = _parameters(machine, frame, node)
    if not owner.state["stateful"]:
        return params
    return Sequence("tuple", [params, _parameters(machine, frame, node)], frame.trace)


def _parameters(machine: Machine, frame: Frame, node: ir.Expr) -> Value:
    """Parameters by the names of modules and their own."""
    leaf = machine.operation(frame, node, [], "float")
    module = Mapping({}, frame.trace, leaf, open=True)
    return Mapping({}, frame.trace, module, open=True)


def _apply(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, func: Value, args: Args
) -> Value:
    stateful = bool(owner.state["stateful"])
    inside = _rest(args, 1 + stateful + bool(owner.state["rng"]))
    if inside is None:
        return machine.unknown(COMPILED)
    scope = Scope(_trace(machine, frame, node, func), False)
    given = [args.get(0, "params"), *([args.get(1, "state")] if stateful else [])]
    scope.params = [value for value in given if value is not None]
    result = _run(machine, frame, node, scope, func, inside)
    if not stateful:
        return result
    state = args.get(1, "state") or machine.unknown("state")
    return Sequence("tuple", [result, state], frame.trace)


def _apply_one(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """One of the `apply` functions of a multi-transform is called."""
    owner, func = args.positional[:2]
    inside = args.behind(2)
    if not isinstance(owner, FrameworkObject):
        return machine.unknown("apply function")
    return _apply(machine, frame, node, owner, func, inside)


# -- any caller ------------------------------------------------------------------------------------


def entry(machine: Machine, record: TransformUse) -> Value | None:
    """Runs what nothing in sight initialises, and what `jax.jit(transformed.apply)` traces."""
    func = record.func
    if isinstance(func, FrameworkObject) and func.dotted == TRANSFORMED:
        _initialise(machine, record, func)
        return None
    applies = isinstance(func, Method) and func.name == "apply" and record.wrapper.kind == "jit"
    if (
        isinstance(func, Method)
        and isinstance(func.owner, FrameworkObject)
        and applies
        and not record.runs
    ):
        _apply_generic(machine, record, func.owner)
    return None


def _initialise(machine: Machine, record: TransformUse, owner: FrameworkObject) -> None:
    plain = plain_function(owner.state["func"])
    if record.runs or plain is None or owner.state["multiple"]:
        return
    unknown = machine.unknown("argument of a transformed function")
    args = Args([machine.unknown("key")], rest=unknown, more=unknown)
    _init(machine, Frame("function", record.frame.root, machine.host), record.node, owner, args)


def _apply_generic(machine: Machine, record: TransformUse, owner: FrameworkObject) -> None:
    """`jax.jit(transformed.apply)`, for any arguments."""
    func = owner.state["func"]
    plain = plain_function(func)
    if plain is None or record.numbers is None or record.names is None or owner.state["multiple"]:
        return
    before = 1 + bool(owner.state["stateful"]) + bool(owner.state["rng"])
    entered = entry_of(record.node, record.wrapper.application, func)
    trace = Trace("jit", machine.host, entered, staged=True, compiled=record)
    name, arrays = function_name(func), array_parameters(plain.node)
    args = Args()
    for at, param in enumerate(signature(func)):
        if param.kind not in ("plain", "positional") or plain.defaults.get(param.name) is not None:
            continue
        if at + before in record.numbers or param.name in record.names:
            value: Value = Static()
        else:
            trail = Provenance(param, None, entered, param.name, name)
            made = Traced(trail, leaf=param.name in arrays)
            value = annotated_value(machine, plain, param, made, trace)
        args.positional.append(value)
        args.nodes.append(record.node)
    leaves = Traced(Provenance(record.node, None, entered, "params", name), leaf=False)
    scope = Scope(trace, False, [leaves])
    frame = Frame("function", record.frame.root, trace)
    _run(machine, frame, record.node, scope, func, args)


_TABLE: dict[str, Handler] = {
    "haiku.transform": _transform(False),
    "haiku.transform_with_state": _transform(True),
    "haiku.multi_transform": _transform(False, True),
    "haiku.multi_transform_with_state": _transform(True, True),
    "haiku.without_apply_rng": _without("rng", False),
    "haiku.with_rng": _without("rng", True),
    "haiku.without_state": _without("stateful", False),
    "haiku.with_empty_state": _without("stateful", True),
    MULTIPLE: _apply_one,
    "haiku.get_parameter": modules.get_parameter,
    "haiku.get_state": modules.get_state,
    "haiku.set_state": modules.set_state,
    "haiku.next_rng_key": modules.next_key,
    "haiku.next_rng_keys": modules.next_keys,
    "haiku.maybe_next_rng_key": modules.maybe_next_key,
    "haiku.running_init": modules.running_init,
    "haiku.dynamic_unroll": modules.dynamic_unroll,
}


def invoke(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value | None:
    """A module of Haiku is called."""
    if not isinstance(owner, FrameworkObject) or owner.dotted == TRANSFORMED:
        return None
    return modules.invoke(machine, frame, node, owner, args)


HOOKS = Hooks(
    library="haiku",
    call=call,
    attribute=modules.attribute,
    method=method,
    invoke=invoke,
    entry=entry,
)

"""Linen's lifted transforms of module classes: `nn.remat(Block)`, `nn.scan(Cell, ...)`.

What they make is used as the class is; `__call__` runs in a trace. Source: flax documentation,
"Lifted transformations". Numbers of static arguments count `self`, as those of methods do.
"""

from __future__ import annotations

from typing import Literal

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.kinds.array_values import TracerKind
from jaxlint.engine.domain.traces import NO_AXES, Trace, TraceKind
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Instance,
    LibraryName,
    Partial,
    Sequence,
    Static,
    Value,
    is_none,
)
from jaxlint.engine.frameworks.flax import linen_layers
from jaxlint.engine.frameworks.flax.linen_scopes import Scope, bound, scope_of
from jaxlint.engine.inference.options import read_options
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.engine.transforms.control_flow import run_like
from jaxlint.engine.transforms.slices import element
from jaxlint.engine.transforms.trace_boundary import enter, leave, run_in
from jaxlint.facts.provenance import TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

LIFTED = "flax.linen.transforms.lifted(...)"
LIFT = "<lift>"
_BROADCAST = "flax.linen.broadcast"
LiftKind = Literal["jit", "remat", "scan", "vmap", ""]
# By the transform: the kind of its trace, "" for those that change variables alone.
KINDS: dict[str, LiftKind] = {
    "flax.linen.jit": "jit",
    "flax.linen.remat": "remat",
    "flax.linen.scan": "scan",
    "flax.linen.vmap": "vmap",
    "flax.linen.map_variables": "",
    "flax.linen.add_metadata_axis": "",
    "flax.linen.fold_rngs": "",
}
_CONTROL = {
    "flax.linen.cond": ("jax.lax.cond", 1, 2, 3),
    "flax.linen.while_loop": ("jax.lax.while_loop", 0, 2, 2),
}


class Lift(Value):
    """How a class was lifted; `inner` is how it was before."""

    __slots__ = ("application", "axes", "inner", "kind", "names", "numbers")

    def __init__(self, kind: LiftKind, application: Application) -> None:
        self.kind = kind
        self.application = application
        self.numbers: frozenset[int] | None = frozenset()
        self.names: frozenset[str] | None = frozenset()
        self.axes: Value | None = None
        self.inner: Lift | None = None


def lift_of(owner: Value) -> Lift | None:
    """How the class of a module was lifted."""
    if isinstance(owner, FrameworkObject):
        held = owner.state.get(LIFT)
    else:
        held = owner.fields.get(LIFT) if isinstance(owner, Instance) else None
    return held if isinstance(held, Lift) else None


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A lifted transform is called, or a class that one made."""
    if dotted == LIFTED:
        return _construct(machine, frame, node, args)
    if dotted in _CONTROL:
        return _control(machine, frame, node, dotted, args)
    if dotted not in KINDS:
        return None
    target = args.get(0, "target")
    if target is None:
        return Partial(LibraryName(dotted), (), dict(args.keywords))
    if not isinstance(target, (Class, LibraryName, Partial)) or isinstance(target, Function):
        return None
    lift = Lift(KINDS[dotted], EntryKind.LIFTED.by(f"nn.{dotted.rpartition('.')[2]}"))
    if lift.kind in ("jit", "remat"):
        wrapper = Wrapper("jit", lift.application)
        record = TransformUse(wrapper, dotted, node, target, frame)
        read_options(machine, record, args)
        lift.numbers, lift.names = record.numbers, record.names
    lift.axes = args.keywords.get("in_axes")
    if args.more is not None:
        lift.numbers = lift.names = None
    return Partial(LibraryName(LIFTED), (target, lift), {}, frame.loop)


def _construct(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    target, lift = args.positional[:2]
    made = machine.call(frame, node, target, args.behind(2))
    assert isinstance(lift, Lift)
    held = Lift(lift.kind, lift.application)
    held.numbers, held.names, held.axes = lift.numbers, lift.names, lift.axes
    held.inner = lift_of(made)
    if isinstance(made, FrameworkObject):
        made.state[LIFT] = held
    elif isinstance(made, Instance):
        made.fields[LIFT] = held
    else:
        return machine.unknown("lifted module")
    return made


# -- calls ------------------------------------------------------------------------------------


def run(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, lift: Lift, args: Args
) -> Value:
    """`__call__` of a lifted module: its arguments and variables enter a trace."""
    if not lift.kind:
        return _plain(machine, frame, node, _without(owner, lift), args)
    if lift.numbers is None or lift.names is None or args.rest is not None:
        return machine.unknown("lifted module")
    name = owner.cls.name if isinstance(owner, Instance) else "module"
    staged = lift.kind != "vmap"
    kind: TraceKind = "staged" if lift.kind == "scan" else lift.kind
    entry = TraceEntry(node, lift.application, name)
    binds = None if lift.kind == "vmap" else NO_AXES
    trace = Trace(kind, frame.trace, entry, staged=staged, binds=binds)
    module = _inside(machine, trace, node, _without(owner, lift))
    inside = Args(more=args.more, nodes=args.nodes, keyword_nodes=args.keyword_nodes)
    for at, value in enumerate(args.positional):
        fixed = at + 1 in lift.numbers
        entered = value if fixed else _entered(machine, trace, node, name, lift, at, value)
        inside.positional.append(entered)
    for key, value in args.keywords.items():
        inside.keywords[key] = (
            value if key in lift.names else _entered(machine, trace, node, name, lift, 99, value)
        )
    result = _run_in(machine, trace, node, module, inside)
    return leave(machine, frame, node, result, args.values())


def _entered(
    machine: Machine, trace: Trace, node: ir.Expr, name: str, lift: Lift, at: int, value: Value
) -> Value:
    axes: Value | None = lift.axes
    carried = lift.kind == "scan" and at == 0
    at = at - 1 if lift.kind == "scan" else at
    if isinstance(axes, Sequence) and axes.items is not None and 0 <= at < len(axes.items):
        axes = axes.items[at]
    if isinstance(axes, (LibraryName, Class)) or (axes is not None and is_none(axes)):
        return value  # `nn.broadcast`: passed on as it is.
    if axes is not None and not isinstance(axes, Static):
        return machine.unknown("argument that may not be mapped")
    if lift.kind == "scan" and not carried:
        value = element(machine, value, trace)
    kind: TracerKind = "batch" if lift.kind == "vmap" else "abstract"
    return enter(machine, trace, node, "", name, value, kind, drop_axis=lift.kind == "vmap")


def _without(owner: Value, lift: Lift) -> Value:
    """The module as it was before it was lifted."""
    if isinstance(owner, FrameworkObject):
        made = FrameworkObject(owner.dotted, owner.args, owner.made, owner.born)
        made.state = {**owner.state, LIFT: lift.inner}
        return made
    assert isinstance(owner, Instance)
    copy = Instance(owner.cls, owner.born, path=owner.path)
    copy.fields = {k: v for k, v in owner.fields.items() if k != LIFT}
    if lift.inner is not None:
        copy.fields[LIFT] = lift.inner
    return copy


def _inside(machine: Machine, trace: Trace, node: ir.Expr, owner: Value) -> Value:
    """The module in the trace: bound to what its variables are there."""
    scope = scope_of(owner)
    if scope is None:
        return owner
    variables = scope.variables
    if variables is not None:
        variables = enter(machine, trace, node, "", "", variables)
    frame = Frame("function", machine.globals, trace)
    held = Scope(variables, scope.mutable, scope.rngs, scope.initialization)
    return bound(machine, frame, node, owner, held)


def _run_in(machine: Machine, trace: Trace, node: ir.Expr, module: Value, args: Args) -> Value:
    lift = lift_of(module)
    if lift is not None or isinstance(module, FrameworkObject):
        frame = Frame("function", machine.globals, trace)
        return _plain(machine, frame, node, module, args)
    found = module.cls.find("__call__") if isinstance(module, Instance) else None
    if not isinstance(found, Function):
        return machine.unknown("lifted module")
    inside = Args(
        [module, *args.positional],
        args.keywords,
        args.rest,
        args.more,
        [node, *args.nodes],
        args.keyword_nodes,
    )
    flagged = linen_layers.flagged(found, inside)
    return run_in(machine, trace, node, found, flagged)


def _plain(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    return machine.call(frame, node, owner, args)


# -- control flow -------------------------------------------------------------------------------


def _control(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """`nn.cond(pred, f, g, module, *xs)`: the functions take the module first."""
    plain, first, last, module = _CONTROL[dotted]
    if args.rest is not None or len(args.positional) <= module:
        return machine.unknown("lifted control flow")
    mdl = args.positional[module]
    values = [
        Bound(v, mdl) if first <= at < last or (at == last and last < module) else v
        for at, v in enumerate(args.positional)
        if at != module
    ]
    inside = Args(values, nodes=[node] * len(values))
    return run_like(machine, frame, node, plain, dotted.replace("flax.linen.", "nn."), inside)

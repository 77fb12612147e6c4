"""Wrappers that trace arrays alone: what is no array passes through them as it is.

Equinox documentation, "Filtered transformations": `filter_jit`, `filter_vmap` and kin look at
the leaves of their arguments and results; those that are not arrays are static. What is
differentiated is the floating-point arrays of the first argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.engine.checks.recompilation.non_arrays import is_leaf_class
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.kinds.array_values import TracerKind
from jaxlint.engine.domain.pytrees import WHOLE, map_leaves
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    MAY_BE_STATIC,
    NONE,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    NumPy,
    Perhaps,
    Traced,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.engine.transforms.filtered_annotations import annotated, rebuilt
from jaxlint.engine.transforms.subclasses import is_abstract, objects_for, objects_of
from jaxlint.engine.transforms.trace_boundary import enter, leave
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir


def enter_arrays(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    value: Value,
    kind: TracerKind = "abstract",
    drop_axis: bool = False,
    along: int | None = None,
) -> Value:
    """An argument as the body of such a wrapper sees it."""

    def leaf(one: Value) -> Value:
        one = Concrete() if is_made(one) else one
        if isinstance(one, (Unknown, Union)):
            static = machine.unknown(MAY_BE_STATIC)
            return Perhaps(static.reason) if isinstance(one, Perhaps) else static
        if isinstance(one, Bound) and isinstance(one.owner, Instance) and one.owner.cls.tree:
            return Bound(one.func, map_leaves(one.owner, leaf, trace), one.loop)
        if not isinstance(one, (Traced, Concrete, NumPy, FrameworkObject)):
            return one
        if kind == "ad" and not isinstance(one, FrameworkObject):
            if one.dtype in WHOLE:
                return one
            if not one.dtype and not trace.staged:
                # Integers stay as they are: it depends on what the array holds.
                return Union((enter(machine, trace, place, name, function, one, kind), one))
        return enter(machine, trace, place, name, function, one, kind, drop_axis, along)

    return map_leaves(value, leaf, trace, is_leaf=is_leaf_class)


def leave_arrays(
    machine: Machine, frame: Frame, node: ir.Node, value: Value, operands: list[Value]
) -> Value:
    """A result of such a body as the code around sees it."""

    def leaf(one: Value) -> Value:
        if isinstance(one, (Traced, Concrete, NumPy, FrameworkObject)):
            return leave(machine, frame, node, one, operands)
        return one

    return map_leaves(value, leaf, frame.trace, is_leaf=is_leaf_class)


def gradient(machine: Machine, frame: Frame, node: ir.Node, primal: Value) -> Value:
    """The gradient of an argument: None where there is no derivative."""

    def leaf(one: Value) -> Value:
        if isinstance(one, (Unknown, Union, FrameworkObject)):
            return one
        if not isinstance(one, (Traced, Concrete, NumPy)) or one.dtype in WHOLE:
            return NONE
        return leave(machine, frame, node, one, [one])

    return map_leaves(primal, leaf, frame.trace, is_leaf=is_leaf_class)


def argument(
    machine: Machine, func: Function, param: ir.Param, made: Traced, trace: Trace
) -> Value:
    """A parameter of such a function for any caller, by its annotation."""
    if param.annotation is None or param.kind in ("vararg", "kwarg"):
        return machine.unknown(MAY_BE_STATIC)
    return annotated(machine, func.frame, param.annotation, made, trace)


def own_arrays(machine: Machine, record: TransformUse, trace: Trace) -> Value:
    """What such a wrapper runs: where it compiles a module, or a method of one, the arrays of the
    module are arguments too. Source: `equinox.filter_jit`, which takes any callable pytree; special
    methods are none, since Equinox wraps all others."""
    func, wrapper = record.func, record.wrapper
    if not (wrapper.lenient and wrapper.compiles and isinstance(func, Bound)):
        return func
    owner, method = func.owner, func.func
    if not isinstance(owner, Instance) or not owner.cls.tree or not isinstance(method, Function):
        return func
    if record.given is func and method.node.name.startswith("__"):
        return func
    place = next(iter(method.node.params), method.node)
    inside = enter_arrays(machine, trace, place, "self", method.node.name, owner)
    return Bound(method, inside, func.loop)


def own_object(machine: Machine, owner: Class, made: Traced, trace: Trace) -> Value:
    """`self` of such a method for any object of its class."""
    return rebuilt(machine, owner, made, trace)


def alternatives(
    machine: Machine, wrapper: Wrapper, func: Function, trace: Trace, args: Args
) -> Iterator[Args]:
    """The arguments of such a function for any caller, in turn with each object that an abstract
    class among its annotations stands for; as they are where there is none."""
    found = _stand_ins(machine, func) if wrapper.lenient else {}
    for at in range(max(map(len, found.values()), default=1)):
        chosen = {param.name: each[at % len(each)] for param, each in found.items()}
        inside = {
            name: enter_arrays(machine, trace, param, name, func.node.name, chosen[name])
            for param in found
            if (name := param.name)
        }
        yield _replaced(func, args, inside)


def _stand_ins(machine: Machine, func: Function) -> dict[ir.Param, list[Instance]]:
    found: dict[ir.Param, list[Instance]] = {}
    for at, param in enumerate(func.node.params):
        if at == 0 and func.owner is not None and param.name == "self":
            abstract = func.owner.tree == "leaves" and is_abstract(func.owner)
            each = objects_of(machine, func.owner) if abstract else []
        else:
            each = objects_for(machine, func.frame, param.annotation)
        default = func.defaults.get(param.name)
        if isinstance(default, Instance) and default.cls.tree:
            each = [default, *(one for one in each if one.cls != default.cls)]
        if each:
            found[param] = each
    return found


def _replaced(func: Function, args: Args, inside: dict[str, Value]) -> Args:
    """Arguments with others for some parameters."""
    positional, keywords = list(args.positional), dict(args.keywords)
    for at, param in enumerate(func.node.params):
        if param.name in inside and param.name in keywords:
            keywords[param.name] = inside[param.name]
        elif param.name in inside and at < len(positional):
            positional[at] = inside[param.name]
    return Args(positional, keywords, args.rest, args.more, args.nodes, args.keyword_nodes)

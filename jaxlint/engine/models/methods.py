"""Methods of arrays, containers, strings, library objects and transformed functions."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.immutability import references
from jaxlint.engine.checks.numerics import lost_gradient, out_of_bounds
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import combined
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, FrameworkTuple
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.shapes import dims_of, with_dims
from jaxlint.engine.domain.special_values import At, EffectfulObject, OpaqueArray, Structure
from jaxlint.engine.domain.values import (
    NONE,
    STATIC,
    Bound,
    Class,
    Concrete,
    Instance,
    Iterator,
    Mapping,
    Method,
    NumPy,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
)
from jaxlint.engine.evaluation import guesses
from jaxlint.engine.evaluation.classes import instantiate, replaced
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.array_functions import array_function
from jaxlint.engine.models.call_effects import effect
from jaxlint.engine.models.stdlib.random_numbers import drawn_array
from jaxlint.engine.operations import scalars
from jaxlint.engine.operations.changes import changed, growing
from jaxlint.engine.operations.conditions.narrowing import leaf_of
from jaxlint.engine.operations.containers import dicts, lending, lists
from jaxlint.engine.operations.containers.iteration import advance, iterate
from jaxlint.engine.operations.pytrees import jax_tree
from jaxlint.engine.transforms import wrappers
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.purity import CHANGING
from jaxlint.syntax import ir

# Methods of library objects that give another object of the kind.
_SAME_KIND = {
    "logger": frozenset({"getChild", "bind", "opt", "patch"}),
    "path": frozenset(
        {"absolute", "expanduser", "joinpath", "resolve", "with_name", "with_suffix"}
    ),
}


def call_method(machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args) -> Value:
    """The result of `owner.name(*args)`."""
    owner, name = method.owner, method.name
    if isinstance(owner, (Traced, Concrete)) or _makes_array(owner, name):
        return _array(machine, frame, node, method, owner, args)
    if isinstance(owner, (FrameworkObject, Instance, FrameworkTuple)):
        answer = machine.frameworks.ask("method", owner, machine, frame, node, owner, name, args)
        if answer is not None:
            return answer
    if isinstance(owner, NumPy):
        return _numpy(machine, frame, node, owner, name, args)
    if isinstance(owner, (Sequence, Mapping)):
        return _container(machine, frame, node, method, owner, args)
    if isinstance(owner, At):
        return _at(machine, frame, node, owner, name, args)
    if isinstance(owner, Transformed):
        return wrappers.call_method(machine, frame, node, owner, name, args)
    if isinstance(owner, Bound) and isinstance(owner.func, Transformed):
        return _bound(machine, frame, node, owner, owner.func, name, args)
    if isinstance(owner, EffectfulObject):
        return _effectful(machine, frame, node, owner, name, args)
    if isinstance(owner, Structure):
        inside = Args([owner, *args.positional], args.keywords, nodes=[node, *args.nodes])
        return jax_tree.tree_unflatten(machine, frame, node, inside)
    if isinstance(owner, Static):
        if name == "format":
            for heard in machine.checks.template_format:
                heard(machine, frame, owner, args)
        return scalars.call_method(owner, name, args, frame.trace)
    if isinstance(owner, Instance):
        if name == "_asdict":
            return Mapping(dict(owner.fields), frame.trace, path=frame.path)
        return replaced(frame, owner, args)
    if isinstance(owner, Iterator) and name == "__next__":
        return _next(machine, frame, node, owner, method.place)
    if isinstance(owner, Ref):
        return references.call_method(machine, frame, node, owner, method, args)
    if isinstance(owner, Class):
        return _class(machine, frame, node, owner, name, args)
    return machine.unknown("method")


def _bound(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Bound,
    func: Transformed,
    name: str,
    args: Args,
) -> Value:
    """A method of a transformed method."""
    inside = Args(
        [owner.owner, *args.positional],
        args.keywords,
        args.rest,
        args.more,
        [node, *args.nodes],
        args.keyword_nodes,
    )
    return wrappers.call_method(machine, frame, node, func, name, inside)


def _effectful(
    machine: Machine, frame: Frame, node: ir.Expr, owner: EffectfulObject, name: str, args: Args
) -> Value:
    """A method of a file, a logger or a generator of random numbers."""
    kind = lookup.method_effect(owner.kind, name)
    if kind is not None:
        if not (owner.settled and owner.born is frame.trace):
            effect(machine, frame, node, f"{owner.kind}.{name}", args, kind)
        return drawn_array(name, args) if kind == "rng" else machine.unknown("result of an effect")
    if name in _SAME_KIND.get(owner.kind, ()):
        return EffectfulObject(owner.kind, owner.born, owner.settled)
    return machine.unknown("method of a library object")


def _next(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Iterator, place: ir.Node | None
) -> Value:
    """`iterator.__next__()`."""
    holder = place.value if isinstance(place, ir.Attribute) else node
    advance(machine, frame, holder, owner, "next")
    return owner.element


def _class(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Class, name: str, args: Args
) -> Value:
    """A method of a class of the program."""
    given = args.get(0, "iterable")
    if name == "_make" and given is not None:
        element, items, _ = iterate(machine, frame, args.node(0, "", node), given, "for")
        inside = Args(items) if items is not None else Args(rest=element)
        return instantiate(machine, frame, node, owner, inside)
    return machine.unknown("method of a class")


def _makes_array(owner: Value, name: str) -> bool:
    """Whether a method makes an array of one of which nothing else is known."""
    spec = lookup.method(name) if isinstance(owner, OpaqueArray) else None
    return spec is not None and spec.result == "array" and not spec.restructures


def _array(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    method: Method,
    owner: Value,
    args: Args,
) -> Value:
    name = method.name
    place = method.place.value if isinstance(method.place, ir.Attribute) else node
    if isinstance(owner, Traced) and not owner.leaf:
        if name in lookup.ARRAYS_ONLY:
            return _array(machine, frame, node, method, leaf_of(owner), args)
        return _tree_method(machine, frame, node, owner, name, args)
    if name in lookup.CONCRETISING_METHODS:
        demand(machine, frame, place, owner, "method", name, name)
        if name != "item":
            return STATIC
        return lost_gradient.item(machine, frame, place, owner, Static(kind=dtype_of(owner)))
    spec = lookup.method(name)
    if spec is None:
        return machine.unknown("array method")
    return array_function(machine, frame, node, spec, name, args, (owner, place))


def _tree_method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Traced, name: str, args: Args
) -> Value:
    """Methods of a parameter that may be a dict: its keys are static, its values traced."""
    child = Traced(owner.trail, owner.kind, leaf=False)
    if name in ("items", "keys", "values"):
        element: Value = {
            "items": Sequence("tuple", [STATIC, child], frame.trace),
            "keys": STATIC,
            "values": child,
        }[name]
        return Iterator(element, frame.trace, None, "view", node)
    if name in ("get", "pop"):
        return child if len(args.positional) < 2 else machine.unknown("value with a default")
    if name == "copy":
        return owner
    return guesses.part(machine, node, owner, machine.unknown("method of a pytree parameter"))


def _numpy(
    machine: Machine, frame: Frame, node: ir.Expr, owner: NumPy, name: str, args: Args
) -> Value:
    if name in ("item", "tolist"):
        return Static(kind=dtype_of(owner) if name == "item" else "")
    if name in ("fill", "sort", "partition", "resize", "put", "itemset") and frame.trace.is_host:
        machine.dynamic.effects.oldest = 0
        machine.happened(owner.changes, 0, node, lambda tick: (tick, node))
        return NONE
    if name in ("any", "all"):
        return NumPy("bool")
    if lookup.method(name) is None:
        return machine.unknown("method of a NumPy array")
    return NumPy("" if name in ("astype", "view") else owner.dtype)


def _at(machine: Machine, frame: Frame, node: ir.Expr, owner: At, name: str, args: Args) -> Value:
    operands = [owner.array, *args.values()]
    for heard in machine.checks.array_update:
        heard(machine, frame, node, owner.array, name, args)
    if name == "get" and isinstance(owner.array, (Traced, Concrete)):
        return machine.operation(frame, node, operands, dtype_of(owner.array))
    if not isinstance(owner.array, (Traced, Concrete)):
        unknown = machine.unknown("update of an unknown array")
        if isinstance(owner.array, OpaqueArray) and not isinstance(unknown, OpaqueArray):
            return _like(owner.array, unknown.reason, name)
        return unknown
    made = machine.operation(frame, node, operands, dtype_of(owner.array), owner.array.rank)
    if isinstance(made, Unknown):
        # Whatever is put into it, it is an array.
        return _like(owner.array, made.reason, name)
    made = with_dims(combined("", owner.array, owner.array, made), dims_of(owner.array))
    return out_of_bounds.kept(machine, owner.array, made)


def _like(array: Traced | Concrete | OpaqueArray, reason: str, name: str) -> OpaqueArray:
    """An updated copy of an array, of its dtype and shape; elements of it have its dtype."""
    made = OpaqueArray(reason, dtype_of(array), None if name == "get" else array.rank, array.strong)
    if name != "get":
        made.dims = array.dims
    return made


# Methods of a sequence that add one element, and look at nothing else.
_ADDING = frozenset({"add", "append", "appendleft"})


def _container(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    method: Method,
    owner: Sequence | Mapping,
    args: Args,
) -> Value:
    name = method.name
    if (
        name in CHANGING and owner.kind != "tuple"
        if isinstance(owner, Sequence)
        else name in CHANGING and not (name == "setdefault" and dicts.surely_has(owner, args))
    ):
        if isinstance(owner, Sequence) and lending.is_lent(frame, method):
            return _lent(machine, frame, node, method, owner, args)
        if isinstance(owner, Sequence) and name in _ADDING:
            with growing(machine, owner):
                _note_change(machine, frame, node, method, owner, args)
                return lists.call_method(machine, frame, node, owner, name, args)
        _note_change(machine, frame, node, method, owner, args)
    if isinstance(owner, Mapping):
        return dicts.call_method(machine, frame, node, owner, name, args)
    return lists.call_method(machine, frame, node, owner, name, args)


def _lent(
    machine: Machine, frame: Frame, node: ir.Expr, method: Method, owner: Sequence, args: Args
) -> Value:
    """A list is appended to for a while, or holds again what it held before that."""
    name, value = method.name, args.get(0, "")
    loan = None if value is None else lending.lend(machine, frame, owner, value)
    _note_change(machine, frame, node, method, owner, args)
    taken = lending.take_back(machine, frame, owner) if loan is None else None
    result = taken or lists.call_method(machine, frame, node, owner, name, args)
    if loan is not None:
        lending.is_lent_out(loan, name)
    return result


def _note_change(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    method: Method,
    owner: Sequence | Mapping,
    args: Args,
) -> None:
    holder = method.place.value if isinstance(method.place, ir.Attribute) else None
    text = dotted_text(holder)
    attribute = isinstance(holder, ir.Attribute)
    place = "attribute" if attribute else "container"
    changed(
        machine,
        frame,
        node,
        owner,
        place,
        text,
        method.name,
        args.values(),
        text.rpartition(".")[0],
    )
    for value in args.values():
        record = getattr(value, "record", None)
        if record is not None and frame.trace.is_host:
            record.stored(frame, node)

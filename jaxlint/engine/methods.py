"""Methods of arrays, containers, strings, library objects and transformed functions."""

from __future__ import annotations

from jaxlint.engine import contracts
from jaxlint.engine.bindings import dotted_text
from jaxlint.engine.builtins import effect
from jaxlint.engine.classes import replaced
from jaxlint.engine.containers import changed, grow, iterate, put
from jaxlint.engine.library import array_function
from jaxlint.engine.machine import Args, Machine
from jaxlint.engine.sinks import demand, leaf_of
from jaxlint.engine.state import Frame
from jaxlint.engine.trees import dtype_of
from jaxlint.engine.values import (
    INT,
    NONE,
    STATIC,
    STR,
    At,
    Bound,
    Class,
    Concrete,
    Instance,
    Iterator,
    Mapping,
    Method,
    NumPy,
    Object,
    Ref,
    Sequence,
    Static,
    Text,
    Traced,
    Transformed,
    Value,
    as_traced,
    finds_traced,
    join_all,
)
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_MUTATORS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
        "sort",
        "reverse",
        "appendleft",
        "extendleft",
        "popleft",
        "__setitem__",
    }
)

# Methods of library objects that give another object of the kind.
_SAME_KIND = {
    "logger": frozenset({"getChild", "bind", "opt", "patch"}),
    "path": frozenset(
        {"absolute", "expanduser", "joinpath", "resolve", "with_name", "with_suffix"}
    ),
}


# Methods of arrays that containers do not have. An object of a registered class may, and then
# computes the result from its leaves.
_ARRAYS_ONLY = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "astype",
        "clip",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "flatten",
        "max",
        "mean",
        "min",
        "nonzero",
        "prod",
        "ptp",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "trace",
        "transpose",
        "var",
    ]
)


def call_method(machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args) -> Value:
    """The result of `owner.name(*args)`."""
    owner, name = method.owner, method.name
    if isinstance(owner, (Traced, Concrete)):
        return _array(machine, frame, node, method, owner, args)
    if isinstance(owner, NumPy):
        return _numpy(machine, frame, node, owner, name, args)
    if isinstance(owner, (Sequence, Mapping)):
        return _container(machine, frame, node, method, owner, args)
    if isinstance(owner, At):
        return _at(machine, frame, node, owner, args)
    if isinstance(owner, Transformed):
        return contracts.call_method(machine, frame, node, owner, name, args)
    if isinstance(owner, Bound) and isinstance(owner.func, Transformed):
        inside = Args(
            [owner.owner, *args.positional],
            args.keywords,
            args.rest,
            args.more,
            [node, *args.nodes],
            args.keyword_nodes,
        )
        return contracts.call_method(machine, frame, node, owner.func, name, inside)
    if isinstance(owner, Object):
        kind = lookup.method_effect(owner.kind, name)
        if kind is not None:
            if not (owner.settled and owner.born is frame.trace):
                effect(machine, frame, node, f"{owner.kind}.{name}", args, kind)
            return NumPy() if kind == "rng" else machine.unknown("result of an effect")
        if name in _SAME_KIND.get(owner.kind, ()):
            return Object(owner.kind, owner.born, owner.settled)
        return machine.unknown("method of a library object")
    if isinstance(owner, Static):
        return _string(owner, name, args)
    if isinstance(owner, Instance):
        return replaced(frame, owner, args)
    if isinstance(owner, Iterator) and name == "__next__":
        return owner.element
    if isinstance(owner, Ref):
        return machine.unknown("method of a reference")
    if isinstance(owner, Class):
        return machine.unknown("method of a class")
    return machine.unknown("method")


def _string(owner: Static, name: str, args: Args) -> Value:
    if name == "format":
        for value, place in args.pairs():
            traced = finds_traced(value)
            if traced is not None:
                return Text(traced, place)
    if name in ("startswith", "endswith", "isdigit", "isidentifier"):
        return Static(kind="bool")
    return STR if name not in ("split", "rsplit", "splitlines", "encode", "partition") else STATIC


def _array(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    method: Method,
    owner: Traced | Concrete,
    args: Args,
) -> Value:
    name = method.name
    place = method.place.value if isinstance(method.place, ir.Attribute) else node
    if isinstance(owner, Traced) and not owner.leaf:
        if name in _ARRAYS_ONLY:
            return _array(machine, frame, node, method, leaf_of(owner), args)
        return _tree_method(machine, frame, node, owner, name, args)
    if name in lookup.CONCRETISING_METHODS:
        demand(machine, frame, place, owner, "method", name, name)
        return Static(kind=dtype_of(owner)) if name == "item" else STATIC
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
    return machine.unknown("method of a pytree parameter")


def _numpy(
    machine: Machine, frame: Frame, node: ir.Expr, owner: NumPy, name: str, args: Args
) -> Value:
    if name in ("item", "tolist"):
        return Static(kind=owner.dtype if name == "item" else "")
    if name in ("fill", "sort", "partition", "resize", "put", "itemset") and frame.trace.is_host:
        machine.tick += 1
        owner.changes.append((machine.tick, node))
        return NONE
    if name in ("any", "all"):
        return NumPy("bool")
    if lookup.method(name) is None:
        return machine.unknown("method of a NumPy array")
    return NumPy("" if name in ("astype", "view") else owner.dtype)


def _at(machine: Machine, frame: Frame, node: ir.Expr, owner: At, args: Args) -> Value:
    operands = [owner.array, *args.values()]
    if not isinstance(owner.array, (Traced, Concrete)):
        return machine.unknown("update of an unknown array")
    return machine.operation(frame, node, operands, dtype_of(owner.array), owner.array.rank)


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
        name in _MUTATORS and owner.kind != "tuple"
        if isinstance(owner, Sequence)
        else name in _MUTATORS
    ):
        _note_change(machine, frame, node, method, owner, args)
    if isinstance(owner, Mapping):
        return _mapping(machine, frame, node, owner, name, args)
    return _sequence(machine, frame, node, owner, name, args)


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


def _sequence(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Sequence, name: str, args: Args
) -> Value:
    first = args.get(0, "")
    element = join_all([*(owner.items or []), *([owner.element] if owner.element else [])])
    if name in ("append", "add", "appendleft") and first is not None:
        grow(frame, owner, [first])
        return NONE
    if name in ("extend", "extendleft", "update") and first is not None:
        inner, items, _ = iterate(machine, frame, args.node(0, "", node), first, name)
        grow(frame, owner, items if items is not None else [inner])
        return NONE
    if name == "insert" and len(args.positional) == 2:
        demand(machine, frame, args.nodes[0], args.positional[0], "subscript", container=owner.kind)
        owner.items = None if owner.items is None else [args.positional[1], *owner.items]
        if owner.items is None:
            grow(frame, owner, [args.positional[1]])
        return NONE
    if name in ("pop", "popleft"):
        if first is not None:
            demand(machine, frame, args.node(0, "", node), first, "subscript", container=owner.kind)
        owner.items, owner.element = None, element
        return element
    if name in ("index", "count", "remove") and first is not None and owner.kind != "set":
        if as_traced(first) is not None and (owner.items or owner.element):
            demand(machine, frame, args.node(0, "", node), first, "in", name)
        return INT if name != "remove" else NONE
    if name == "sort":
        if "key" not in args.keywords and as_traced(element) is not None:
            several = owner.items is None or len(owner.items) > 1
            if several:
                demand(machine, frame, node, element, "order", "sort", "list.sort")
        return NONE
    if name == "copy":
        items = None if owner.items is None else list(owner.items)
        return Sequence(owner.kind, items, frame.trace, owner.element, frame.path)
    if name in ("clear", "reverse", "discard"):
        owner.element, owner.items = element, None
        return NONE
    if name == "_replace" or name == "_asdict":
        return machine.unknown("named tuple")
    if name in ("union", "intersection", "difference"):
        return Sequence("set", None, frame.trace, element)
    return machine.unknown("method of a sequence")


def _mapping(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Mapping, name: str, args: Args
) -> Value:
    first = args.get(0, "")
    const = first.const if isinstance(first, Static) and first.known else None
    values = [*owner.items.values(), *([owner.element] if owner.element else [])]
    element = join_all(values) if values else machine.unknown("value of an empty dict")
    if name in ("items", "keys", "values"):
        return _view(frame, node, owner, name, element)
    if name in ("get", "pop", "setdefault"):
        default = args.get(1, "default")
        if isinstance(const, (str, int, float, bool)) and const in owner.items:
            return owner.items[const]
        if name == "setdefault" and default is not None and first is not None:
            put(machine, frame, owner, first, default)
            return default
        if owner.open or owner.element is not None or const is None:
            return machine.unknown("value that may be missing")
        return default if default is not None else NONE
    if name == "update":
        for other in args.positional:
            if isinstance(other, Mapping):
                owner.items.update(other.items)
                owner.open |= other.open
                owner.element = owner.element or other.element
            else:
                owner.open, owner.element = True, machine.unknown("updated mapping")
        owner.items.update(args.keywords)
        return NONE
    if name == "copy":
        return Mapping(dict(owner.items), frame.trace, owner.element, owner.open, frame.path)
    return machine.unknown("method of a mapping")


def _view(frame: Frame, node: ir.Expr, owner: Mapping, name: str, element: Value) -> Value:
    closed = not owner.open and owner.element is None and len(owner.items) <= 16
    one: Value = STATIC if name == "keys" else element
    if name == "items":
        one = Sequence("tuple", [STATIC, element], frame.trace)
    known: list[Value] | None = None
    if closed:
        pairs = owner.items.items()
        if name == "keys":
            known = [Static(k) for k, _ in pairs]
        elif name == "values":
            known = [v for _, v in pairs]
        else:
            known = [Sequence("tuple", [Static(k), v], frame.trace) for k, v in pairs]
    return Iterator(one, frame.trace, known, "view", node)

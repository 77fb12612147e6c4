"""Whether the two functions that a class is registered with undo each other: one takes an object
apart, the other makes an object of the parts.

An object whose fields are marks goes through both. What then holds another mark shows that the
parts were put together in another order; a constructor that cannot take them raises.

Source: JAX documentation, "Pytrees", section "Custom pytree nodes".
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.library import static_counters
from jaxlint.engine.checks.library.lost_fields import lost
from jaxlint.engine.domain.arguments import Args, takes_count
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traversal import known, walk_values
from jaxlint.engine.domain.values import (
    Class,
    Descriptor,
    Function,
    Instance,
    Sequence,
    Unknown,
    Value,
)
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import structure
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

_MARK = "field that is taken apart"
_DEPTH = 4
# Of what unflatten functions are given, and flatten functions give.
_PARTS = 2


@slotted(eq=False)
class _Trip:
    """One passage of an object of a class: what its constructor was called with."""

    cls: Class
    calls: list[tuple[ir.Expr, Args]]


_TRIPS: PerRun[list[_Trip]] = PerRun(list)


def constructed(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    """A class is called."""
    for trip in _TRIPS.of(machine):
        if trip.cls is func:
            trip.calls.append((node, args))


def check(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    cls: Class,
    flatten: Value | None,
    unflatten: Value | None,
    keyed: bool = False,
) -> None:
    """A class is registered with these functions."""
    taken, made = _function(flatten), _function(unflatten)
    if taken is None or made is None or cls.opaque:
        return
    for func, value, count in ((taken, flatten, 1), (made, unflatten, _PARTS)):
        if not _takes(func, value, count):
            _report(machine, frame, func.node, "pytree-arity", cls, func.node.name, count)
            return
    marks = _marks(taken.node)
    if not marks:
        return
    whole = Instance(cls, frame.trace, path=frame.path)
    whole.fields.update(marks)
    trips = _TRIPS.of(machine)
    trip = _Trip(cls, [])
    with machine.quiet():
        parts = machine.invoke(taken, Args([whole]), machine.host, node)
    if _is_no_pair(parts):
        _report(machine, frame, returned(taken.node), "pytree-pair", cls, taken.node.name)
        return
    pair = parts.items if isinstance(parts, Sequence) else None
    if pair is None or len(pair) != _PARTS:
        return
    inside = {id(one) for one in walk_values(pair[1], known, _DEPTH)}
    static = {name for name, mark in marks.items() if id(mark) in inside}
    params = (_parameters(cls) or ([], 0))[0]
    static_counters.judge(machine, cls, static, params, returned(taken.node))
    children = _unkeyed(pair[0]) if keyed else pair[0]
    if children is None:
        return
    trips.append(trip)
    try:
        with machine.quiet():
            again = machine.invoke(
                made, _given(unflatten, cls, pair[1], children), machine.host, node
            )
    finally:
        trips.remove(trip)
    if not _compare(machine, frame, cls, made, marks, trip, again):
        name = lost(cls, taken, made, [args for _, args in trip.calls])
        if name:
            place = returned(taken.node)
            misused(machine, frame, place, "pytree-lost", cls.name, name, unsure=True)


def _function(value: Value | None) -> Function | None:
    inner = value.func if isinstance(value, Descriptor) else value
    return inner if isinstance(inner, Function) else None


def _takes(func: Function, value: Value | None, count: int) -> bool:
    """Whether a function can be called with so many arguments, beside the class that a class
    method gets by itself."""
    return takes_count(func, count + (isinstance(value, Descriptor) and value.kind == "class"))


def _given(unflatten: Value | None, cls: Class, rest: Value, children: Value) -> Args:
    """What JAX calls an unflatten function with, a class method with the class before that."""
    is_method = isinstance(unflatten, Descriptor) and unflatten.kind == "class"
    return Args([cls, rest, children] if is_method else [rest, children])


def _marks(flatten: ir.FunctionDef) -> dict[str, Value]:
    """A value for each attribute that a flatten function reads of the object."""
    owner = flatten.params[0].name if flatten.params else ""
    names = {attribute_of(one, owner) for one in walk(flatten.body)}
    return {name: Unknown(_MARK) for name in sorted(filter(None, names))}


def _is_no_pair(parts: Value) -> bool:
    """Whether a flatten function certainly gives something else than children and the rest."""
    if isinstance(parts, Sequence) and type(parts) is Sequence and parts.items is not None:
        return len(parts.items) != _PARTS
    return structure(parts) in ("leaf", "dict", "None")


def _unkeyed(children: Value) -> Value | None:
    """The children of pairs of keys and children."""
    items = children.items if isinstance(children, Sequence) else None
    pairs = [one.items if isinstance(one, Sequence) else None for one in items or ()]
    if items is None or any(pair is None or len(pair) != _PARTS for pair in pairs):
        return None
    return Sequence("tuple", [pair[1] for pair in pairs if pair], None)


# -- what comes out ----------------------------------------------------------------------------


def _compare(
    machine: Machine,
    frame: Frame,
    cls: Class,
    made: Function,
    marks: dict[str, Value],
    trip: _Trip,
    again: Value,
) -> bool:
    """Whether something is wrong with what was made of the parts."""
    names = {id(mark): name for name, mark in marks.items()}
    for node, args in trip.calls:
        count = _miscounted(cls, args)
        if count is not None:
            _report(machine, frame, node, "pytree-count", cls, count)
            return True
        odd = _misplaced(cls, args, names)
        if odd is not None:
            _report(machine, frame, node, "pytree-order", cls, *odd)
            return True
    if not isinstance(again, Instance) or again.cls is not cls:
        return False
    for name, mark in marks.items():
        held = again.fields.get(name)
        found = mark if held is None else _mistaken(held, mark, names)
        if isinstance(found, str):
            _report(machine, frame, returned(made.node), "pytree-order", cls, name, found)
            return True
    return False


def _mistaken(held: Value, mark: Value, names: dict[int, str]) -> str | None:
    """What a field certainly holds instead of what was taken out of it, None where it may hold
    that."""
    if held is mark:
        return None
    if id(held) in names:
        return names[id(held)]
    inside = [names[id(one)] for one in walk_values(held, known, _DEPTH) if id(one) in names]
    own = names[id(mark)]
    return ", ".join(inside) if inside and own not in inside else None


def _parameters(cls: Class) -> tuple[list[str], int] | None:
    """The names that a constructor takes by position, and how many of them it needs; None where
    that is not known."""
    init = cls.find("__init__")
    if isinstance(init, Function):
        params = init.node.params[1:]
        plain = [one for one in params if one.kind in ("plain", "positional")]
        if any(one.kind == "vararg" for one in params):
            return None
        return [one.name for one in plain], sum(one.name not in init.defaults for one in plain)
    if init is not None or "__new__" in cls.namespace or not cls.generates:
        return None
    if any(spec is not None for _, spec in cls.fields.values()):
        return None
    needed = sum(name not in cls.namespace for name in cls.fields)
    return [*cls.fields], needed


def _miscounted(cls: Class, args: Args) -> str | None:
    """How many arguments a constructor is given that takes another number of them."""
    known_of = _parameters(cls)
    if known_of is None or args.rest is not None or args.more is not None:
        return None
    names, needed = known_of
    given = len(args.positional)
    left = [name for name in names[given:needed] if name not in args.keywords]
    if given > len(names):
        return f"{given}|{len(names)}|"
    return f"{given + len(args.keywords)}|{needed}|{left[0]}" if left else None


def _misplaced(cls: Class, args: Args, names: dict[int, str]) -> tuple[str, str] | None:
    """A parameter that is named like a field, and is given what was taken out of another one for
    which there is a parameter too."""
    known_of = _parameters(cls)
    if known_of is None:
        return None
    params = known_of[0]
    for name, value in [*zip(params, args.positional, strict=False), *args.keywords.items()]:
        found = names.get(id(value))
        fits = found is None or found == name or found not in params
        if not fits and name in names.values() and found is not None:
            return name, found
    return None


def _report(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    kind: str,
    cls: Class,
    *details: object,
) -> None:
    misused(machine, frame, node, kind, cls.name, "|".join(map(str, details)))


CHECK = Check("pytree-round-trips", on_construction=constructed)

"""The descriptions of the arguments of calls, kind by kind (`viewpoints`)."""

from __future__ import annotations

from typing import Any, Final

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Key, is_made
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.layouts import AxisSpec, DeviceMesh, Layout, Placement
from jaxlint.engine.domain.possibilities import Candidates, Element, Field
from jaxlint.engine.domain.special_values import (
    At,
    EffectfulObject,
    Module,
    OpaqueArray,
    Structure,
    Super,
)
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    UNSET,
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Heap,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NonNone,
    NumPy,
    Partial,
    Perhaps,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.relations.identity import Mark
from jaxlint.engine.summaries.fingerprints import outer_names
from jaxlint.engine.summaries.viewpoints import Description, UndescribedError

_CONSTANTS: Final = (int, float, complex, str, bytes, bool, type(None), Mark)


def described(
    machine: Any, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...]
) -> tuple[Any, Description] | None:
    """A call of a function of a shared module, and what was met in it; None for one that is the
    affair of this analysis alone."""
    found = Description(machine, trace, outer)
    found.callee = func.node
    found.owner = next(iter(env.values()), None)
    if isinstance(found.owner, Instance):
        found.prior = len(found.owner.changes), {n: len(w) for n, w in found.owner.writes.items()}
    try:
        key = (found.value(func), found.arguments(env))
    except UndescribedError:
        return None
    around = tuple([(one.shape[0][0], one.staged, one.once, one.loses) for one in found.traces])
    eager = trace.is_staged_by_eager or not (trace.staged or trace.is_host)
    modes = trace.staging(), around if eager else None
    return (*key, modes, machine.modes(trace.is_host)), found


def _special(description: Description, value: Value) -> Any:
    """A value of a kind that says a little more than its base does."""
    kind = type(value)
    for base in (Static, Concrete):
        more = kind.__dict__.get("__slots__", ())
        if isinstance(value, base) and kind.__base__ is base:
            told = tuple(getattr(value, name) for name in more)
            if all(isinstance(one, (*_CONSTANTS, range)) for one in told):
                return (kind, Description.kinds[base](description, value), told)
    raise UndescribedError(kind.__name__)


def _static(description: Description, value: Static) -> Any:
    const = value.const
    if const is UNSET:
        return ("s", value.kind)
    if isinstance(const, _CONSTANTS):
        return ("c", type(const), const)
    if isinstance(const, Member):
        description.is_local |= const.cls.age >= SHARED
        return ("c", Member, id(const.cls), const.name)
    return ("s", "object", value.kind)


def _layout(description: Description, value: Layout) -> Any:
    return (type(value), *value.key())


def _traced(description: Description, value: Traced) -> Any:
    known = description.met(value)
    if known is not None:
        return ("#", known)
    kinds = (value.kind, description.dtype(value.dtype), value.rank, value.leaf)
    told = (value.strong, value.weak, value.dims)
    trail = description.trail(value.trail)
    return ("t", *kinds, *told, trail, description.extent(value))


def _concrete(description: Description, value: Concrete) -> Any:
    known = description.met(value)
    if known is not None:
        return ("#", known)
    what = description.dtype(value.dtype), value.rank, value.strong, value.dims
    return ("k", *what, description.extent(value))


def _numpy(description: Description, value: NumPy) -> Any:
    known = description.met(value)
    if known is not None:
        return ("#", known)
    if value.changes:
        raise UndescribedError("changed")
    return ("n", value.dtype, value.axes)


def _known(description: Description, value: Heap) -> Any:
    """An object that was met before, or that is the same to all analyses and as it was; None for
    any other one."""
    known = description.met(value)
    if known is not None:
        return ("#", known)
    if value.age >= SHARED:
        return None
    if description.is_lent(value):
        # This analysis has changed it.
        description.is_local = True
        return None
    return ("i", id(value))


def _class(description: Description, value: Class) -> Any:
    description.is_local |= value.age >= SHARED
    return ("C", id(value))


def _function(description: Description, value: Function) -> Any:
    known = description.met(value)
    if known is not None:
        return ("#", known)
    frame = value.frame
    root, owner = frame.root, value.owner
    description.is_local |= root.age >= SHARED or (owner is not None and owner.age >= SHARED)
    head = ("f", id(value.node), description.frame(frame), id(owner), value.loop is None)
    defaults = description.values(value.defaults.values())
    wraps, shows = description.optional(value.wraps), description.optional(value.shows)
    if frame.parent is None or frame.age < SHARED:
        return (*head, defaults, wraps, shows)
    seen = []
    for name, scope in outer_names(value):
        if scope.parent is not None and scope.age >= SHARED:
            place = description.frame(scope), description.born(scope.trace)
            seen.append((name, *place, description.value(scope.env[name])))
    return (*head, defaults, wraps, shows, tuple(seen))


def _heap(description: Description, value: Heap) -> Any:
    """What all objects say of themselves."""
    if value.leaks:
        raise UndescribedError("leaks")
    return (
        id(value) if value.age < SHARED else None,
        description.born(value.born),
        value.local,
        description.path(value.path),
        tuple([node.origin for _, node in value.changes]),
    )


def _sequence(description: Description, value: Sequence) -> Any:
    known = _known(description, value)
    if known is not None:
        return known
    head = _heap(description, value)
    items = None if value.items is None else description.values(value.items)
    first = value.head and (description.values(value.head[0]), description.value(value.head[1]))
    rest = description.optional(value.element), description.optional(value.holds)
    return ("q", value.kind, head, items, *rest, first, description.optional(value.last))


def _mapping(description: Description, value: Mapping) -> Any:
    known = _known(description, value)
    if known is not None:
        return known
    head = _heap(description, value)
    for name in value.items:
        if not isinstance(name, _CONSTANTS):
            raise UndescribedError("name")
    items = tuple(value.items), description.values(value.items.values())
    return ("m", head, items, description.optional(value.element), value.open)


def _instance(description: Description, value: Instance) -> Any:
    known = _known(description, value)
    if known is not None:
        return known
    head = _heap(description, value), _class(description, value.cls), value.generic
    fields = tuple(value.fields), description.values(value.fields.values())
    writes = tuple([(name, len(held)) for name, held in value.writes.items()])
    return ("x", head, description.optional(value.tree), fields, writes)


def _iterator(description: Description, value: Iterator) -> Any:
    known = _known(description, value)
    if known is not None:
        return known
    head = _heap(description, value)
    items = None if value.items is None else description.values(value.items)
    rest = description.value(value.element), description.optional(value.holds)
    return ("g", value.source, head, items, *rest)


def _transformed(description: Description, value: Transformed) -> Any:
    description.is_local |= value.record.age >= SHARED or description.is_lent(value.record)
    return ("T", id(value.record), description.value(value.func))


def _bound(description: Description, value: Bound) -> Any:
    loop = value.loop is None
    return ("b", description.value(value.func), description.value(value.owner), loop)


def _partial(description: Description, value: Partial) -> Any:
    given = description.values(value.args), tuple(value.keywords)
    more = description.values(value.keywords.values())
    return ("p", description.value(value.func), *given, more, value.loop is None)


def _args(description: Description, args: Args) -> Any:
    given = description.values(args.positional), tuple(args.keywords)
    more = description.values(args.keywords.values())
    return (*given, more, description.optional(args.rest), description.optional(args.more))


def _framework_object(description: Description, value: FrameworkObject) -> Any:
    known = description.met(value)
    if known is not None:
        return ("#", known)
    args = None if value.args is None else _args(description, value.args)
    state: list[Any] = []
    for name, held in value.state.items():
        if isinstance(held, Value):
            state.append((name, description.value(held)))
        elif isinstance(held, dict):
            state.append((name, tuple(held), description.values(held.values())))
        elif isinstance(held, _CONSTANTS) or held is None:
            state.append((name, held))
        else:
            raise UndescribedError("state")
    made = None if value.made is None else value.made.origin
    return ("F", value.dotted, args, made, description.born(value.born), tuple(state))


def _effectful(description: Description, value: EffectfulObject) -> Any:
    return ("O", value.kind, description.born(value.born), value.settled)


Description.special = _special
Description.kinds |= {
    Static: _static,
    Traced: _traced,
    Concrete: _concrete,
    NumPy: _numpy,
    Unknown: lambda description, value: "?",
    NonNone: lambda description, value: "!",
    Perhaps: lambda description, value: "~",
    Key: lambda description, value: ("y", is_made(value), description.dtype(value.dtype)),
    OpaqueArray: lambda description, value: (
        *("a", value.dtype, value.rank, value.strong),
        value.dims,
    ),
    LibraryName: lambda description, value: ("e", value.dotted),
    Module: lambda description, value: ("M", value.place.path, value.place.directory),
    Class: _class,
    Function: _function,
    Sequence: _sequence,
    Mapping: _mapping,
    Instance: _instance,
    Iterator: _iterator,
    Transformed: _transformed,
    Bound: _bound,
    Partial: _partial,
    Candidates: lambda description, value: ("O?", *description.values(value.options)),
    Element: lambda description, value: ("E?", *description.values(value.options)),
    Field: lambda description, value: ("F?", *description.values(value.options)),
    Union: lambda description, value: ("o", *description.values(value.options)),
    Method: lambda description, value: (
        "d",
        description.value(value.owner),
        value.name,
        None if value.place is None else value.place.origin,
    ),
    Descriptor: lambda description, value: (
        "D",
        value.kind,
        description.value(value.func),
        description.optional(value.setter),
    ),
    AxisSpec: _layout,
    DeviceMesh: _layout,
    Placement: _layout,
    Structure: lambda description, value: ("S", description.value(value.tree)),
    Super: lambda description, value: (
        "U",
        _class(description, value.cls),
        description.value(value.owner),
    ),
    At: lambda description, value: (
        "A",
        description.value(value.array),
        value.indexed,
        None if value.place is None else value.place.origin,
    ),
    FrameworkObject: _framework_object,
    EffectfulObject: _effectful,
}

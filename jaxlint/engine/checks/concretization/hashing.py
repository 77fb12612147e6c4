"""Where Python asks a value for its hash, which arrays refuse: keys, elements of sets, memos."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.checks.concretization.host_conversions import refuse
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import rank_of
from jaxlint.engine.domain.values import (
    Concrete,
    Function,
    Mapping,
    Method,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    as_traced,
)
from jaxlint.engine.machine.events import Check, Named, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.memoization import is_memoised
from jaxlint.syntax import ir

# Methods that hash their first argument.
_OF_DICTS = frozenset({"__contains__", "__getitem__", "get", "pop", "setdefault"})
_OF_SETS = frozenset({"__contains__", "add", "discard", "remove"})
_DEEPEST = 3


def array_in(value: Value, depth: int = _DEEPEST, trees: bool = False) -> Value | None:
    """The array that a hashed value is, or holds, on every path; `trees` takes what may be some
    container of arrays for one."""
    if isinstance(value, Concrete) or (isinstance(value, Traced) and (value.leaf or trees)):
        return value
    if isinstance(value, Union):
        if not all(array_in(option, depth) is not None for option in value.options):
            return None
        return as_traced(value) or array_in(value.options[0], depth)
    if isinstance(value, Sequence) and value.kind in ("tuple", "set") and depth:
        found = (array_in(item, depth - 1) for item in value.items or ())
        return next((one for one in found if one is not None), None)
    return None


def hashed(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    value: Value,
    what: str,
    among: Value | None = None,
) -> None:
    """Reports an array that is hashed; `what` says what for: "key", "element", "hash", "memo".

    Who looks for a value `among` numbers does not mean a container.
    """
    if isinstance(value, (Traced, Concrete, Union, Sequence)):
        found = array_in(value, trees=among is not None and _has_numbers(among))
        if found is not None:
            refuse(machine, frame, node, found, "hash", what)


def _has_numbers(container: Value) -> bool:
    """Whether all keys of a dict, or elements of a set, are known to be numbers."""
    if isinstance(container, Mapping):
        known = not container.open and container.element is None
        return known and bool(container.items) and all(map(_is_number, container.items))
    items = container.items if isinstance(container, Sequence) else None
    return bool(items) and all(
        isinstance(one, Static) and _is_number(one.const) for one in items or ()
    )


def _is_number(const: Any) -> bool:
    return isinstance(const, (bool, int, float))


def method_called(
    machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args
) -> None:
    """A method of a dict or set."""
    owner, name = method.owner, method.name
    first = args.get(0, "")
    if first is None:
        return
    if isinstance(owner, Mapping) and name in _OF_DICTS:
        hashed(machine, frame, args.node(0, "", node), first, "key", owner)
    elif isinstance(owner, Sequence) and owner.kind == "set" and name in _OF_SETS:
        hashed(machine, frame, args.node(0, "", node), first, "element", owner)


def builtin_called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """`hash(x)`, `set(xs)`, `frozenset(xs)`."""
    first = args.get(0, "")
    if first is None:
        return
    place = args.node(0, "", node)
    if dotted == "builtins.hash":
        hashed(machine, frame, place, first, "hash")
    elif isinstance(first, Sequence):
        for item in first.items or ():
            hashed(machine, frame, place, item, "element")
    elif array_in(first) is first and (rank_of(first) or 0) > 0:
        # Iteration gives arrays, and a set hashes them.
        refuse(machine, frame, place, first, "hash", "element")


BUILTINS = frozenset({"builtins.frozenset", "builtins.hash", "builtins.set"})


def member(machine: Machine, frame: Frame, node: ir.Node, value: Value, container: Value) -> None:
    """`value in container`."""
    if isinstance(container, Mapping):
        hashed(machine, frame, node, value, "key", container)
    elif isinstance(container, Sequence) and container.kind == "set":
        hashed(machine, frame, node, value, "element", container)


def memoised(
    machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args, result: Value
) -> None:
    """A function was called, of which results may be kept."""
    if not is_memoised(func):
        return
    for value, place in args.pairs():
        hashed(machine, frame, place, value, "memo")


CHECK = Check(
    "hashing",
    on_hash=hashed,
    on_containment=member,
    on_library_result=(Named(builtin_called, BUILTINS),),
    on_decorated_result=memoised,
    on_method_result=(Typed(method_called, (Mapping, Sequence)),),
)

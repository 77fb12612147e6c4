"""Methods and operators of dicts."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import among
from jaxlint.engine.domain.values import (
    NONE,
    STATIC,
    Iterator,
    Mapping,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    join,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.changes import put
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.registries import chosen
from jaxlint.syntax import ir

# The keys of longer mappings are not followed one by one.
MOST_KEYS = 64


def call_method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Mapping, name: str, args: Args
) -> Value:
    """The result of `owner.name(*args)`."""
    values = [*owner.items.values(), *([owner.element] if owner.element else [])]
    element = join_all(values) if values else machine.unknown("value of an empty dict")
    if name in ("items", "keys", "values"):
        return _view(frame, node, owner, name, element)
    if name in ("get", "pop", "setdefault"):
        found = _value(machine, frame, owner, name, args)
        return chosen(machine, args.node(0, "", node), owner, found)
    if name == "update":
        for at, other in enumerate(args.positional):
            merge(machine, frame, args.node(at, "", node), owner, other)
        for key, value in args.keywords.items():
            put(machine, frame, owner, Static(key), value)
        owner.open |= args.more is not None
        return NONE
    if name == "copy":
        return Mapping(dict(owner.items), frame.trace, owner.element, owner.open, frame.path)
    if name == "popitem":
        owner.open = True
        return Sequence("tuple", [STATIC, element], frame.trace)
    if name == "clear":
        if frame.is_straight(owner):
            owner.items, owner.element, owner.open = {}, None, False
        else:
            owner.open = True
        return NONE
    if name in ("move_to_end", "subtract"):
        return NONE
    if name in ("most_common", "elements"):
        pair = Sequence("tuple", [STATIC, element], frame.trace)
        one = pair if name == "most_common" else STATIC
        return Sequence("list", None, frame.trace, one, frame.path)
    if name == "total":
        return element
    return machine.unknown("method of a mapping")


def _value(machine: Machine, frame: Frame, owner: Mapping, name: str, args: Args) -> Value:
    first, default = args.get(0, ""), args.get(1, "default")
    const = first.const if isinstance(first, Static) and first.known else None
    if isinstance(const, KEYS) and const in owner.items:
        found = owner.items[const]
        if name == "pop" and frame.is_straight(owner):
            del owner.items[const]
        elif name == "pop":
            owner.open = True
        return found
    if name == "setdefault" and default is not None and first is not None:
        put(machine, frame, owner, first, default)
        return default
    if owner.open or owner.element is not None:
        return among(machine.unknown("value that may be missing"), _values(owner))
    if const is None and isinstance(first, Static) and not (name == "pop" and default is None):
        return join_all([*owner.items.values(), default if default is not None else NONE])
    if const is None:
        return among(machine.unknown("value of an unknown key"), _values(owner))
    return default if default is not None else NONE


def _values(owner: Mapping) -> list[Value]:
    return [*owner.items.values(), *([owner.element] if owner.element else [])]


def surely_has(owner: Mapping, args: Args) -> bool:
    """Whether the key of a method call is in a dict that nothing was removed from."""
    first = args.get(0, "")
    if not isinstance(first, Static) or not isinstance(first.const, (int, str)):
        return False
    return not owner.open and first.const in owner.items


def merge(machine: Machine, frame: Frame, node: ir.Expr, owner: Mapping, other: Value) -> None:
    """`owner.update(other)`."""
    overridden(machine, owner, other)
    if isinstance(other, Mapping):
        for key, value in other.items.items():
            put(machine, frame, owner, Static(key), value)
        owner.open |= other.open
        if other.element is not None:
            owner.element = (
                other.element if owner.element is None else join(owner.element, other.element)
            )
        return
    pairs = None
    if not isinstance(other, Traced):
        _, pairs, _ = iterate(machine, frame, node, other, "for")
    if pairs is not None and all(isinstance(p, Sequence) and _is_pair(p) for p in pairs):
        for pair in pairs:
            assert isinstance(pair, Sequence) and pair.items is not None
            put(machine, frame, owner, pair.items[0], pair.items[1])
        return
    owner.open, owner.element = True, machine.unknown("updated mapping")


def overridden(machine: Machine, owner: Mapping, other: Value) -> None:
    """Constants that a dict holds are defaults where what is unpacked into it is not known: that
    may have the same keys. Arrays and objects are taken to stay."""
    if isinstance(other, Mapping):
        if not other.open and other.element is None:
            return
    elif not isinstance(other, (Unknown, Union)):
        return
    for key, value in owner.items.items():
        if isinstance(value, Static) and value.known:
            owner.items[key] = machine.unknown("value that may be overridden")


def _is_pair(value: Sequence) -> bool:
    return value.items is not None and len(value.items) == 2


def union(frame: Frame, left: Mapping, right: Mapping) -> Mapping:
    """`left | right`."""
    parts = [m.element for m in (left, right) if m.element is not None]
    return Mapping(
        {**left.items, **right.items},
        frame.trace,
        join_all(parts) if parts else None,
        left.open or right.open,
        frame.path,
    )


def from_keys(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`dict.fromkeys(keys, value)`."""
    keys, value = args.get(0, ""), args.get(1, "") or NONE
    if keys is None:
        return machine.unknown("dict of keys")
    _, items, _ = iterate(machine, frame, args.node(0, "", node), keys, "for")
    made = Mapping({}, frame.trace, path=frame.path, made=node)
    if items is None:
        made.open, made.element = True, value
    for item in items or []:
        put(machine, frame, made, item, value)
    return made


def _view(frame: Frame, node: ir.Expr, owner: Mapping, name: str, element: Value) -> Value:
    closed = not owner.open and owner.element is None and len(owner.items) <= MOST_KEYS
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


def is_looked_up(machine: Machine, frame: Frame, node: ir.If) -> bool:
    """Whether `if key in table: return table[key]` finds the key: the same trace has filled the
    table before, under keys that are not known."""
    test, first = node.test, node.body[0] if node.body else None
    given = first.value if isinstance(first, ir.Return) else None
    if not isinstance(test, ir.Compare) or not isinstance(given, ir.Subscript):
        return False
    if frame.trace.is_host or test.ops != ("in",):
        return False
    table = machine.eval(frame, given.value)
    if not isinstance(table, Mapping) or table.open or table.element is None:
        return False
    text = machine.module.text_of
    asked = (text(test.left).strip("()"), text(test.comparators[0]))
    looked_up = asked == (text(given.index).strip("()"), text(given.value))
    return table.born is frame.trace and looked_up

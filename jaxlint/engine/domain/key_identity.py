"""Which random key a value is: the names by which the analysis tells keys apart.

The dtype of a key array that is known is an `Origin`: one type for each key. Values whose dtypes
differ join to one of no known dtype, and what leaves a trace or is computed keeps none, so that
two values of one origin hold the same key.
"""

from __future__ import annotations

from copy import copy
from itertools import count
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import set_later, stored_later
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import targets_of, walk
from jaxlint.dataflow.steady_attributes import keeps
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.special_values import OPERATION, GivenAway, OpaqueArray
from jaxlint.engine.domain.values import (
    MOST_NESTED,
    Concrete,
    Instance,
    Mapping,
    NonNone,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.syntax import ir

_NUMBERS = count(1)
# Arrays of more keys than this are not followed key by key.
MOST_KEYS = 16


@slotted(frozen=True, eq=False)
class Root:
    """Where a key comes from that is not derived from one that is known.

    `scope` is the frame in which it has its name or is made, `trace` the trace around that (the
    host for a key of a constant seed, which is the same in every trace). `parameter` is the name
    of a parameter of `scope`. `typed` keys are no arrays of integers. `was` is the value before it
    was known to be a key.
    """

    scope: Any
    trace: Any
    node: ir.Node
    parameter: str = ""
    constant: bool = False
    typed: bool = False
    was: Value | None = None

    @property
    def holder(self) -> Any:
        """The activation to which the key belongs: elsewhere, the name says nothing."""
        return self.scope.home()


class Origin(str):
    """The name of a key, or of an array of `many` keys (-1: of a number that is not known)."""

    __slots__ = ("made", "many", "root")

    made: ir.Node | None
    many: int | None
    root: Root

    def derived(self, step: str, made: ir.Node | None, many: int | None = None) -> Origin:
        """The key that a step gives of this one, or the keys."""
        name = Origin(self + step)
        name.root, name.made, name.many = self.root, made, many
        return name

    def part(self, at: int) -> Origin:
        """One of an array of keys."""
        return self.whole().derived(f"/{at}", self.made)

    def whole(self) -> Origin:
        """The key of which this is the array of parts, else the key itself."""
        if self.many is None or ":" not in self:
            return self
        name = Origin(self.rpartition(":")[0])
        name.root, name.made, name.many = self.root, self.made, None
        return name

    def rebased(self, key: Origin) -> Origin:
        """What this key is where its root is another key."""
        end = next((at for at, char in enumerate(self) if char in "/+:"), len(self))
        name = Origin(key.whole() + self[end:])
        name.root, name.made, name.many = key.root, self.made, self.many
        return name


def begun(root: Root, made: ir.Node | None = None, many: int | None = None) -> Origin:
    """The origin of a key about which nothing is known but its root."""
    name = Origin(f"key{next(_NUMBERS)}")
    name.root, name.made, name.many = root, made, many
    return name


class Key(NonNone):
    """A value that nothing is known of but which key it is."""

    __slots__ = ("dtype",)

    def __init__(self, reason: str, dtype: Origin) -> None:
        super().__init__(reason)
        self.dtype = dtype


def is_made(value: Value) -> bool:
    """Whether a value of which nothing else is known is an array that JAX made."""
    return isinstance(value, OpaqueArray) or (isinstance(value, Key) and value.reason == OPERATION)


def origin_of(value: object) -> Origin | None:
    """Which key a value is, where that is known."""
    dtype = getattr(value, "dtype", None)
    return dtype if type(dtype) is Origin else None


def keyed(value: Value, origin: Origin | None) -> Value:
    """A value that is known to be a key, or None: not known which one."""
    if isinstance(value, (Traced, Concrete)):
        made = copy(value)
        made.dtype = "" if origin is None else origin
        return made
    if isinstance(value, Unknown):
        if origin is not None:
            return Key(value.reason, origin)
        return OpaqueArray(value.reason) if is_made(value) else Unknown(value.reason)
    return value


def anonymous(value: Value, depth: int = MOST_NESTED) -> Value:
    """A value that stands for many of its sort: which keys are in it is not known."""
    if origin_of(value) is not None:
        return keyed(value, None)
    if isinstance(value, (Sequence, Mapping)) and value.items and depth:
        items = value.items.values() if isinstance(value, Mapping) else value.items
        parts = [anonymous(item, depth - 1) for item in items]
        if any(part is not item for part, item in zip(parts, items, strict=True)):
            made = copy(value)
            if isinstance(made, Mapping):
                made.items = dict(zip(made.items, parts, strict=True))
            else:
                made.items = parts
            return made
    return value


def recognised(a: Value, b: Value) -> Value | None:
    """Of one value before and after it is known to be a key, or is told apart from others, the
    latter."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, GivenAway) and one.was is other:
            return one
        origin = origin_of(one)
        if origin is not None and origin.root.was is other:
            return one
    return None


def named(machine: Any, frame: Any, value: Value, place: ir.Expr) -> Origin | None:
    """Which key an argument is. A value with a name of its own is the key of that name from here
    on, whatever it came from."""
    origin = origin_of(value)
    home = None if origin is None else origin.root.holder
    if origin is not None and (home in machine.dynamic.frames or home is frame.root):
        return origin
    if not isinstance(value, (Traced, Concrete, Unknown)):
        return None
    if isinstance(place, (ir.Attribute, ir.Subscript)):
        found = _of_field(machine, frame, value, place) or _of_item(machine, frame, value, place)
        return found or _of_part(machine, frame, place)
    if not isinstance(place, ir.Name):
        return None
    scope = _scope_of(frame, place.id)
    if scope is None:
        return None
    held = scope.env[place.id]
    if held is not value:
        # Another one of the functions that may be called has named it.
        known = origin_of(held)
        return known if known is not None and known.root.was is value else None
    if origin is not None and home is scope.home():
        return origin
    given = typestate.current(machine, typestate.OWN).given if scope is frame.home() else {}
    parameter = place.id if given.get(place.id) is value else ""
    made = begun(Root(scope, scope.trace, place, parameter, was=value))
    if machine.world is not None:
        machine.loans.take_name(scope, place.id)
    scope.env[place.id] = keyed(value, made)
    return made


def _scope_of(frame: Any, name: str) -> Any:
    """The frame that binds a name which code in `frame` reads, None if none does."""
    scope = frame
    while scope is not None and name not in scope.env:
        scope = scope.enclosing()
    return scope


def _of_part(machine: Any, frame: Any, place: ir.Expr) -> Origin | None:
    """Which key `state.key`, `state["key"]` or `keys[0]` is, of a parameter of which nothing else
    is known: one for each way in which it is written, as long as the parameter is the same object
    and no code changes that part of it."""
    text, root = _part(place)
    scope = _scope_of(frame, root) if text else None
    owner = None if scope is None else scope.env[root]
    is_whole = isinstance(owner, Traced) and not owner.leaf
    if scope is None or scope.func is None or not (is_whole or isinstance(owner, Unknown)):
        return None
    if all(param.name != root for param in scope.func.params):
        return None
    is_changed = text.rpartition(".")[2] in stored_later(frame.root.module)
    if is_changed or root in _items_stored(scope.func):
        return None
    known = scope.env.get(f"<{text}>")
    origin = origin_of(known)
    if origin is not None and origin.root.was is owner:
        return origin
    made = begun(Root(scope, scope.trace, place, was=owner))
    scope.env[f"<{text}>"] = Key("part of a parameter", made)
    return made


def _part(place: ir.Expr) -> tuple[str, str]:
    """The text of an attribute or an item of a name, and the name; nothing for other parts."""
    text, node = "", place
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        if isinstance(node, ir.Attribute):
            text = f".{node.attr}{text}"
        elif isinstance(node.index, ir.Const) and isinstance(node.index.value, (int, str)):
            text = f"[{node.index.value!r}]{text}"
        else:
            return "", ""
        node = node.value
    return (f"{node.id}{text}", node.id) if isinstance(node, ir.Name) else ("", "")


@answered_once
def _items_stored(func: ir.FunctionDef) -> frozenset[str]:
    """The names of a function whose items it sets or deletes."""
    found: set[str] = set()
    for one in walk(func.body):
        for target in one.targets if isinstance(one, ir.Delete) else targets_of(one):
            while isinstance(target, (ir.Attribute, ir.Subscript)):
                target = target.value
                if isinstance(target, ir.Name):
                    found.add(target.id)
    return frozenset(found)


def _of_field(machine: Any, frame: Any, value: Value, place: ir.Expr) -> Origin | None:
    """Which key `self.key` is. Of an object that stands for all of its class, nothing but
    initialisers may set an attribute of that name."""
    if not isinstance(place, ir.Attribute):
        return None
    name = place.value.id if isinstance(place.value, ir.Name) else ""
    scope = _scope_of(frame, name)
    owner = None if scope is None else scope.env[name]
    if not isinstance(owner, Instance) or owner.fields.get(place.attr) is not value:
        return None
    # The generic object of a class stands for one object where it is the method's own.
    params = scope.func.params[:1] if scope.cls is not None and scope.func is not None else ()
    if owner.generic and [param.name for param in params] != [name]:
        return None
    if owner.generic and place.attr in set_later(frame.root.module):
        return _of_kept_field(frame, scope, value, place)
    made = begun(Root(frame.root, owner.born or frame.root.trace, place, was=value))
    machine.borrow(owner)
    owner.fields[place.attr] = keyed(value, made)
    return made


def _of_kept_field(frame: Any, scope: Any, value: Value, place: ir.Attribute) -> Origin | None:
    """Which key `self.key` is that other methods set: one while the method runs that leaves it
    alone."""
    if not keeps(scope.func, place.attr, frame.root.module):
        return None
    text = f"<{_part(place)[0]}>"
    origin = origin_of(scope.env.get(text))
    if origin is None or origin.root.was is not value:
        origin = begun(Root(scope, scope.trace, place, was=value))
        scope.env[text] = Key("part of an object", origin)
    return origin


def _of_item(machine: Any, frame: Any, value: Value, place: ir.Expr) -> Origin | None:
    """Which key `state["key"]` is, of a dict that is known."""
    if not isinstance(place, ir.Subscript) or not isinstance(place.index, ir.Const):
        return None
    name, at = place.value.id if isinstance(place.value, ir.Name) else "", place.index.value
    scope = _scope_of(frame, name)
    owner = None if scope is None else scope.env[name]
    if (
        not isinstance(owner, Mapping)
        or not isinstance(at, str)
        or owner.items.get(at) is not value
    ):
        return None
    made = begun(Root(frame.root, owner.born or frame.root.trace, place, was=value))
    machine.borrow(owner)
    owner.items[at] = keyed(value, made)
    return made


def received(machine: Any, frame: Any) -> None:
    """A function begins: the keys that it is given are its parameters."""
    env = frame.env
    for name, value in env.items():
        origin = origin_of(value)
        if origin is not None:
            root = Root(frame, frame.trace, origin.root.node, name)
            env[name] = keyed(value, begun(root, many=origin.many))
    typestate.handed_in(machine, env)


def each(value: Value) -> list[Value] | None:
    """The keys of an array of a known number of keys."""
    origin = origin_of(value)
    if origin is None or origin.many is None or not 0 < origin.many <= MOST_KEYS:
        return None
    return [keyed(value, origin.part(at)) for at in range(origin.many)]


def item(result: Value, base: Value, index: Value) -> Value:
    """`base[index]` of an array of keys; one word of a raw key is no key."""
    origin = origin_of(base)
    if origin is None:
        return result
    const = index.const if isinstance(index, Static) else None
    if origin.many is None or not isinstance(const, int):
        return keyed(result, None)
    at = const + origin.many if const < 0 and origin.many > 0 else const
    return keyed(result, None if at < 0 else origin.part(at))

"""`eqx.tree_at`: a copy of a pytree with other values at some places.

Source: Equinox documentation, `equinox.tree_at`: `where` is called with the tree, its leaves
wrapped in objects that are nothing but themselves, and gives back nodes of it.
"""

from __future__ import annotations

from itertools import product

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import is_child, map_leaves
from jaxlint.engine.domain.values import (
    Class,
    Function,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
    join,
    join_all,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

Step = str | int
Path = tuple[Step, ...]

MOST_ALTERNATIVES = 8
"""How many forms of a tree `where` is tried on."""
MOST_DEPTH = 6

_LEAF = Class("LeafWrapper", None, ())


def tree_at(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`eqx.tree_at(lambda tree: tree.field, tree, value)`."""
    where, tree = args.get(0, "where"), args.get(1, "pytree")
    if tree is None:
        return machine.unknown("tree_at")
    paths = _paths(where)
    if paths is not None:
        new = _replacements(args, paths)
        if new is not None:
            for path, value in zip(paths, new, strict=True):
                tree = _put(machine, frame, node, tree, path, value)
            return tree
    if isinstance(where, (Function, Union)):
        results = [
            _found_and_put(machine, frame, node, where, form, args) for form in _forms(frame, tree)
        ]
        known = [result for result in results if result is not None]
        if known and len(known) == len(results):
            found = known[0]
            for other in known[1:]:
                found = _joined(frame, found, other)
            return found
    return map_leaves(tree, lambda _: machine.unknown("replaced leaf"), frame.trace)


class _New(Value):
    """A value that is put in place, functions included."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def children(self) -> list[Value]:
        return [self.value]

    def rebuild(self, children: list[Value]) -> Value:
        (value,) = children
        return _New(value)


def _replacements(args: Args, paths: list[Path]) -> list[Value] | None:
    """The new values, in the order of the paths; a function stands for what it makes of old."""
    made = args.keywords.get("replace_fn")
    if made is not None:
        return [made] * len(paths)
    value = args.get(2, "replace")
    if value is None:
        return None
    if len(paths) == 1:
        return [_New(value)]
    if isinstance(value, Sequence) and value.items is not None and len(value.items) == len(paths):
        return [_New(item) for item in value.items]
    return None


# -- places that the text of `where` names --------------------------------------------------------


def _paths(where: Value | None) -> list[Path] | None:
    """The places that `lambda tree: (tree.a, tree.b[0])` names, None where its text does not say
    them."""
    if not isinstance(where, Function) or len(where.node.params) != 1:
        return None
    body = where.node.body
    if len(body) != 1 or not isinstance(body[0], ir.Return) or body[0].value is None:
        return None
    result = body[0].value
    parts = result.items if isinstance(result, ir.Sequence) else (result,)
    paths = [_path(part, where.node.params[0].name) for part in parts]
    known = [path for path in paths if path is not None]
    return known if len(known) == len(paths) else None


def _path(node: ir.Expr, root: str) -> Path | None:
    path: list[Step] = []
    while not isinstance(node, ir.Name):
        if isinstance(node, ir.Attribute):
            path.append(node.attr)
        elif isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const):
            if not isinstance(node.index.value, (int, str)):
                return None
            path.append(node.index.value)
        else:
            return None
        node = node.value
    return tuple(path[::-1]) if node.id == root else None


# -- places that `where` finds ---------------------------------------------------------------------


@slotted(frozen=True)
class _Pair:
    """A place, and what is put there unless a function makes it; `certain` where it is replaced
    on every path."""

    path: Path
    new: Value | None
    certain: bool = True


class _Marked:
    """A copy of a tree of which each node and each leaf is known by its identity."""

    def __init__(
        self, machine: Machine, frame: Frame, node: ir.Expr, is_leaf: Value | None
    ) -> None:
        self.machine, self.frame, self.node, self.is_leaf = machine, frame, node, is_leaf
        # By identity, with the node itself, which keeps it alive.
        self.places: dict[int, tuple[Value, Path]] = {}

    def copy(self, value: Value, path: Path = ()) -> Value:
        """The copy of what is at a path."""
        made = self._copied(value, path)
        if not is_none(made):
            self.places[id(made)] = (made, path)
        return made

    def _copied(self, value: Value, path: Path) -> Value:
        born = self.frame.trace
        if self._is_leaf(value) or len(path) >= MOST_DEPTH:
            return Instance(_LEAF, born)
        if type(value) is Sequence and value.items is not None and value.element is None:
            items = [self.copy(one, (*path, at)) for at, one in enumerate(value.items)]
            return Sequence(value.kind, items, born)
        if isinstance(value, Mapping) and not value.open and value.element is None:
            return Mapping({k: self.copy(v, (*path, k)) for k, v in value.items.items()}, born)
        cls = value.cls if isinstance(value, Instance) else None
        if isinstance(value, Instance) and cls is not None and cls.tree in ("leaves", "some"):
            made = Instance(cls, born)
            made.tree = value.tree
            for name, held in value.fields.items():
                child = is_child(cls, name) is not False
                made.fields[name] = self.copy(held, (*path, name)) if child else held
            return made
        return value if is_none(value) else Instance(_LEAF, born)

    def _is_leaf(self, value: Value) -> bool:
        if self.is_leaf is None or is_none(self.is_leaf):
            return False
        given = Args([value], nodes=[self.node])
        answer = self.machine.call(self.frame, self.node, self.is_leaf, given)
        return isinstance(answer, Static) and answer.known and bool(answer.const)

    def pairs(self, found: Value, new: Value | None) -> list[_Pair] | None:
        """The places among what `where` gave, each with what replaces it, None where one of them
        is not known. There is nothing beside them where a function replaces them."""
        known = self.places.get(id(found))
        if known is not None:
            return [_Pair(known[1], new)]
        if not isinstance(found, Sequence):
            return [] if is_none(found) else None
        if found.items is None or found.element is not None:
            return self._some(found, new)
        beside: list[Value | None] = [None] * len(found.items)
        if isinstance(new, Sequence) and new.items is not None:
            beside = [*new.items]
        elif new is not None:
            return None
        if len(beside) != len(found.items):
            return None
        parts = [self.pairs(one, other) for one, other in zip(found.items, beside, strict=True)]
        certain = [part for part in parts if part is not None]
        return [pair for part in certain for pair in part] if len(certain) == len(parts) else None

    def _some(self, found: Sequence, new: Value | None) -> list[_Pair] | None:
        """The places of which some are replaced, it is not known which."""
        inner = [*(found.items or ()), *([] if found.element is None else [found.element])]
        nodes = [one for value in inner for one in options(value)]
        known = [self.places.get(id(one)) for one in nodes]
        paths = [place[1] for place in known if place is not None]
        if len(paths) < len(nodes):
            return None
        value = None if new is None else self._any_of(new)
        return [_Pair(path, value, certain=False) for path in paths]

    def _any_of(self, new: Value) -> Value:
        rest = new.element if isinstance(new, Sequence) else None
        held = [*(new.items or ())] if isinstance(new, Sequence) else []
        held += [] if rest is None else [rest]
        return join_all(held) if held else self.machine.unknown("replaced leaf")


def _found_and_put(
    machine: Machine, frame: Frame, node: ir.Expr, where: Value, tree: Value, args: Args
) -> Value | None:
    """The tree with other values where `where` says, None where that is not known."""
    made, value = args.keywords.get("replace_fn"), args.get(2, "replace")
    if made is None and value is None:
        return None
    with machine.quiet():
        marked = _Marked(machine, frame, node, args.keywords.get("is_leaf"))
        copy = marked.copy(tree)
        found = machine.call(frame, node, where, Args([copy], nodes=[node]))
    pairs = marked.pairs(found, None if made is not None else value)
    if pairs is None:
        return None
    for pair in pairs:
        new = made if pair.new is None else _New(pair.new)
        if new is None:
            return None
        with machine.one_of((tree,) if pair.certain else (tree, new)):
            put = _put(machine, frame, node, tree, pair.path, new)
        tree = put if pair.certain else _joined(frame, tree, put)
    return tree


def _forms(frame: Frame, tree: Value) -> list[Value]:
    """What a tree may be, without alternatives inside it; itself where these are too many."""
    forms = _alternatives(frame, tree, MOST_DEPTH)
    return forms if len(forms) <= MOST_ALTERNATIVES else [tree]


def _alternatives(frame: Frame, value: Value, depth: int) -> list[Value]:
    if isinstance(value, Union):
        return [form for one in value.options for form in _alternatives(frame, one, depth)]
    held: dict[Step, Value] = {}
    if isinstance(value, Instance) and value.cls.tree in ("leaves", "some"):
        held.update(value.fields)
    elif type(value) is Sequence and value.items is not None:
        held = dict(enumerate(value.items))
    forms = {name: _alternatives(frame, one, depth - 1) for name, one in held.items() if depth}
    several = {name: some for name, some in forms.items() if len(some) > 1}
    count = 1
    for some in several.values():
        count *= len(some)
    if not several or count > MOST_ALTERNATIVES:
        return [value] * min(count, MOST_ALTERNATIVES + 1)
    chosen = product(*several.values())
    return [_with(frame, value, dict(zip(several, one, strict=True))) for one in chosen]


def _with(frame: Frame, value: Value, parts: dict[Step, Value]) -> Value:
    """A copy of an object or sequence with other parts."""
    if isinstance(value, Instance):
        made = Instance(value.cls, frame.trace, path=frame.path)
        made.tree = value.tree
        made.fields = {**value.fields, **{str(name): one for name, one in parts.items()}}
        return made
    assert isinstance(value, Sequence)
    items = [parts.get(at, one) for at, one in enumerate(value.items or ())]
    return Sequence(value.kind, items, frame.trace, value.element, frame.path)


def _joined(frame: Frame, one: Value, other: Value) -> Value:
    """Either of two forms of a tree, part by part."""
    if one is other:
        return one
    if isinstance(one, Instance) and isinstance(other, Instance):
        if one.cls == other.cls and one.fields.keys() == other.fields.keys():
            fields = one.fields.items()
            parts: dict[Step, Value] = {}
            parts.update((name, _joined(frame, held, other.fields[name])) for name, held in fields)
            return _with(frame, one, parts)
    elif type(one) is Sequence and type(other) is Sequence and one.kind == other.kind:
        items = zip(one.items or (), other.items or (), strict=False)
        if one.items is not None and other.items is not None and len(one.items) == len(other.items):
            return _with(frame, one, {at: _joined(frame, *both) for at, both in enumerate(items)})
    return join(one, other)


# -- putting values in place -----------------------------------------------------------------------


def _put(
    machine: Machine, frame: Frame, node: ir.Expr, tree: Value, path: Path, value: Value
) -> Value:
    """A copy of a pytree with another value at a path."""
    if not path:
        if isinstance(value, _New):
            return value.value
        return machine.call(frame, node, value, Args([tree], nodes=[node]))
    if isinstance(tree, Union):
        # None has no parts.
        held = [one for one in options(tree) if not is_none(one)]
        with machine.one_of(held):
            return join_all([_put(machine, frame, node, one, path, value) for one in held])
    step, rest = path[0], path[1:]
    if isinstance(tree, Instance) and isinstance(step, str):
        old = tree.fields.get(step) or machine.unknown("field")
        return _with(frame, tree, {step: _put(machine, frame, node, old, rest, value)})
    if isinstance(tree, FrameworkObject) and isinstance(step, str) and not rest:
        copy = FrameworkObject(tree.dotted, tree.args, tree.made, tree.born)
        new = value.value if isinstance(value, _New) else machine.unknown("replaced leaf")
        fields = {**tree.state.get("fields", {}), step: new}
        copy.state = {**tree.state, "fields": fields}
        return copy
    items = tree.items if isinstance(tree, Sequence) else None
    if isinstance(tree, Sequence) and items is not None and isinstance(step, int):
        if not -len(items) <= step < len(items):
            return machine.unknown("replaced part")
        at = step % len(items)
        return _with(frame, tree, {at: _put(machine, frame, node, items[at], rest, value)})
    if isinstance(tree, Mapping) and step in tree.items:
        known = dict(tree.items)
        known[step] = _put(machine, frame, node, known[step], rest, value)
        return Mapping(known, frame.trace, tree.element, tree.open, frame.path)
    return _beneath(machine, frame, node, tree, path, value)


def _beneath(
    machine: Machine, frame: Frame, node: ir.Expr, tree: Value, path: Path, value: Value
) -> Value:
    """A pytree of which only the leaves are known, with another value somewhere in it."""
    if isinstance(tree, Traced) and not tree.leaf:
        new = _put(machine, frame, node, tree, (), value)
        if isinstance(new, Traced):
            return tree
    return tree if isinstance(tree, Unknown) else machine.unknown("replaced part")

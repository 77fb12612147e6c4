"""Attributes that the objects of a pytree class lose: they are not among the parts that an object
is flattened into, so a rebuilt object has the value that the constructor sets.

Only what an object is given or counts is lost. What methods find again, they may keep.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.idioms import attribute_of, attributes_set
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import CONSTRUCTORS, each_assigned, targets_of, updates, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.values import Class, Descriptor, Function
from jaxlint.syntax import ir

# How the attributes of an object are read and set all at once.
_WHOLE = frozenset({"__dict__", "__slots__", "getattr", "setattr", "update", "vars"})


def lost(cls: Class, taken: Function, made: Function, made_with: list[Args]) -> str:
    """An attribute that is lost when `taken` takes an object apart, and `made` makes another one by
    these calls of the class; "" if there seems to be none."""
    node = cls.node
    if node is None or _is_whole(taken.node) or _is_whole(made.node):
        return ""
    kept = _read_of_object(taken.node)
    if kept is None:
        return ""
    kept |= {name for one in walk(made.node.body) for name in attributes_set(one)}
    names = [*_counted(node), *_given(cls, made_with)]
    return next((one for one in names if one not in kept and _is_plain(cls, one)), "")


def _is_plain(cls: Class, name: str) -> bool:
    return not isinstance(cls.find(name), (Descriptor, Function))


def _is_whole(func: ir.FunctionDef) -> bool:
    """Whether a function names what reads or sets all attributes."""
    nodes = [one for one in walk(func.body) if isinstance(one, (ir.Attribute, ir.Name))]
    return any((one.attr if isinstance(one, ir.Attribute) else one.id) in _WHOLE for one in nodes)


def _read_of_object(flatten: ir.FunctionDef) -> set[str] | None:
    """The attributes that a function reads of the object, None where it does more with that."""
    own = flatten.params[0].name if flatten.params else ""
    called = {id(one.func) for one in walk(flatten.body) if isinstance(one, ir.Call)}
    found: set[str] = set()
    parts: set[int] = set()
    for one in walk(flatten.body):
        if attribute_of(one, own):
            found.add(one.attr)
            parts.add(id(one.value))
            if id(one) in called:
                return None
        elif isinstance(one, ir.Name) and one.id == own and id(one) not in parts:
            return None
    return found


@answered_once
def _counted(cls: ir.ClassDef) -> tuple[str, ...]:
    """The attributes that methods set to what goes by what they were."""
    return tuple(
        dict.fromkeys(
            name
            for method in cls.body
            if isinstance(method, ir.FunctionDef) and method.params
            for name in _updated(method)
            if method.name not in CONSTRUCTORS
        )
    )


def _updated(method: ir.FunctionDef) -> Iterator[str]:
    own = method.params[0].name
    for one in walk(method.body):
        for target in targets_of(one) if isinstance(one, ir.AugAssign) else ():
            yield attribute_of(target, own)
        for target, value in each_assigned(one):
            if value is not None and attribute_of(target, own) and updates(value, target):
                yield attribute_of(target, own)


def _given(cls: Class, made_with: list[Args]) -> Iterator[str]:
    """The parameters of a constructor that keep their defaults in all calls, and which it stores
    under their own names."""
    init = cls.find("__init__")
    if not isinstance(init, Function) or not made_with or cls.node is None:
        return
    own, params = init.node.params[0].name, init.node.params[1:]
    plain = [one.name for one in params if one.kind in ("plain", "positional")]
    stored = {
        attribute_of(target, own)
        for one in walk(init.node.body)
        for target, value in each_assigned(one)
        if isinstance(value, ir.Name) and attribute_of(target, own) == value.id
    }
    for name in (one.name for one in params):
        calls = (one for one in made_with if one.rest is None and one.more is None)
        left = [
            name in init.defaults
            and name not in one.keywords
            and name not in plain[: len(one.positional)]
            for one in calls
        ]
        if name in stored and len(left) == len(made_with) and all(left):
            yield from [name] if _is_read(cls.node, name) else []


@answered_once
def _is_read(cls: ir.ClassDef, name: str) -> bool:
    """Whether methods compute with an attribute of their object."""
    return any(
        attribute_of(one, method.params[0].name) == name
        for method in cls.body
        if isinstance(method, ir.FunctionDef) and method.params
        for one in walk(method.body)
        if method.name not in (*CONSTRUCTORS, "__repr__", "__str__")
    )

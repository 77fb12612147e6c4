"""Host code of other modules: what of it concerns the file that is analysed.

What another module does with its own functions and with values that nothing is known of is found
when that module is examined. It concerns the file that calls it only where functions from elsewhere
go in or went in before, as into a decorator, or objects that are more than their data; everywhere
else, transforms are noted and not run.
Functions that the other module imports by itself do not come from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from jaxlint.dataflow.names import asked_of_first, free_names
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Deferred, Module
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Descriptor,
    Function,
    Instance,
    Mapping,
    Partial,
    Sequence,
    Transformed,
    Union,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.fingerprints import PLAIN, live
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge import lookup

_DEPTH = 3
# Methods by which an object gives and takes its own data.
_OF_DATA = frozenset(
    {
        "__contains__",
        "__copy__",
        "__deepcopy__",
        "__delattr__",
        "__eq__",
        "__getattr__",
        "__getattribute__",
        "__getitem__",
        "__init__",
        "__new__",
        "__reduce_ex__",
        "__setattr__",
        "__setitem__",
    }
)


@contextmanager
def crossing(machine: Machine, func: Function, values: Iterable[Value]) -> Iterator[None]:
    """Runs a host function inside, as its own module's affair unless these arguments make it
    another one's."""
    home = func.frame.root
    idle = machine.dynamic.idle
    if home is machine.globals:
        idle = False
    elif not _brings([*_passed(func, list(values)), *_captured(func)], home, _DEPTH):
        idle = True
    with machine.within(idle=idle):
        yield


def _passed(func: Function, values: list[Value]) -> list[Value]:
    """What a function is given. An object that inherits the method brings into it what it asks of
    the object, and nothing else."""
    owner = values[0] if values else None
    if func.owner is None or not isinstance(owner, Instance):
        return values
    asked = _asked(func, owner) if func.owner in owner.cls.lineage else None
    return values if asked is None else [*asked, *values[1:]]


def _captured(func: Function) -> list[Value]:
    """The functions that a function holds of those around it: a wrapper calls what it was made
    for."""
    found: list[Value] = []
    frame: Frame | None = func.frame
    while frame is not None and frame is not frame.root:
        held = (frame.env.get(name) for name in free_names(func.node))
        found += [value for value in held if isinstance(value, (Function, Transformed))]
        frame = frame.enclosing()
    return found


def _asked(func: Function, owner: Instance) -> list[Value] | None:
    """The methods and fields of an object that a method of it may use, by itself or by others;
    None where the object as a whole goes elsewhere."""
    found: dict[str, Value] = {}
    todo = [func]
    while todo:
        method = todo.pop()
        names = asked_of_first(method.node)
        if names is None:
            return None
        for name in sorted(names - found.keys()):
            value = owner.fields.get(name) or owner.cls.find(name)
            if value is not None:
                found[name] = value
            while isinstance(value, Descriptor):
                value = value.func
            if isinstance(value, Function):
                todo.append(value)
    plain = (value.func if isinstance(value, Descriptor) else value for value in found.values())
    # What an object keeps that its module can make by itself is nothing new to its methods.
    home = func.frame.root
    return [one for one in plain if not isinstance(one, Function) or not _imports_maker(home, one)]


def _brings(values: Iterable[Value], home: Frame, depth: int) -> bool:
    """Whether one of some values is, or holds, code of another module than `home`."""
    return _Search(home).among(values, depth)


class _Search:
    """A search for code of other modules than `home` in what values hold.

    Objects hold each other and many of them the same settings: none is looked into again but from
    less deep. `seen` has how deep was looked into those in which nothing was found.
    """

    def __init__(self, home: Frame) -> None:
        self.home = home
        self.seen: dict[int, int] = {}

    def among(self, values: Iterable[Value], depth: int) -> bool:
        for value in values:
            if isinstance(value, PLAIN) or self.seen.get(id(value), -1) >= depth:
                continue
            if self._finds(value, depth):
                return True
            self.seen[id(value)] = depth
        return False

    def _finds(self, value: Value, depth: int) -> bool:
        home = self.home
        if isinstance(value, (Function, Transformed, Partial, Bound)):
            plain = plain_function(value)
            if plain is not None and plain.frame.root is not home and not _imports(home, plain):
                return True
            held = [value.owner] if isinstance(value, Bound) else []
            if isinstance(value, Partial):
                held = [*value.args, *value.keywords.values()]
            return depth > 0 and self.among(held, depth - 1)
        if isinstance(value, Class):
            return value.home is not home
        if depth == 0:
            return False
        if isinstance(value, Instance):
            if value.cls.home is not home and not value.cls.tree and not _is_data(value.cls):
                return True
            return self.among(live(value), depth - 1)
        if isinstance(value, Union):
            return self.among(value.options, depth - 1)
        if isinstance(value, Sequence):
            return self.among(value.items or (), depth - 1)
        return isinstance(value, Mapping) and self.among(live(value), depth - 1)


def _imports(home: Frame, func: Function) -> bool:
    """Whether a module imports a function of another one by itself."""
    module = func.frame.module
    if module is None or home.module is None:
        return False
    name = func.node.name
    for value in home.env.values():
        if isinstance(value, Deferred) and isinstance(value.source, Module):
            if value.name == name and value.source.place.path == module.file:
                return True
        elif isinstance(value, Module) and value.place.path == module.file:
            return _mentions(home.module.source.text, name)
        elif isinstance(value, Function) and value.node is func.node:
            return True
    return False


def _mentions(text: str, attribute: str) -> bool:
    """Whether a source has an attribute of this name."""
    # What is not there at all is told sooner by a plain search.
    return f".{attribute}" in text and bool(re.search(rf"\.{attribute}\b", text))


def _imports_maker(home: Frame, func: Function) -> bool:
    """Whether a function was made by a module of which another one imports something."""
    root = func.frame.root
    if func.frame is root or root.module is None:
        return False
    for value in home.env.values():
        source = value.source if isinstance(value, Deferred) else value
        if isinstance(source, Module) and source.place.path == root.module.file:
            return True
        maker = value.frame if isinstance(value, Function) else getattr(value, "home", None)
        if maker is root:
            return True
    return False


def _is_data(cls: Class) -> bool:
    """Whether objects of a class do nothing with values that they are given but keep them, as
    settings do: what could be traced goes in as an argument."""
    now = sum(len(one.namespace) + len(one.changes) for one in cls.lineage)
    if cls.is_data is None or cls.is_data[0] != now:
        cls.is_data = now, _only_keeps(cls)
    return cls.is_data[1]


def _only_keeps(cls: Class) -> bool:
    if any(lookup.model_of(one) and not lookup.is_plain_base(one) for one in cls.externals()):
        return False
    methods = (value for one in cls.lineage for value in one.namespace.values())
    return all(
        method.node.name in _OF_DATA or len(method.node.params) <= 1
        for method in methods
        if isinstance(method, Function)
    )

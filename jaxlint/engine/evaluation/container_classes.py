"""Classes of the program that derive from a container of Python: what their objects hold.

An object of such a class has one more field than the program gives it, a dict or a list, to which
subscripts, iteration and the methods go that the class does not define.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Instance, LibraryName, Mapping, Sequence, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# The field of those that have no attribute for it.
_HIDDEN = "<elements>"
# Where objects of the bases keep their elements, and the function that makes these.
_BASES = {
    "builtins.dict": (_HIDDEN, "builtins.dict"),
    "builtins.list": (_HIDDEN, "builtins.list"),
    "collections.OrderedDict": (_HIDDEN, "builtins.dict"),
    "collections.UserDict": ("data", "builtins.dict"),
    "collections.UserList": ("data", "builtins.list"),
}
CONTAINERS = frozenset(_BASES)


def has_elements(cls: Class) -> bool:
    """Whether objects of a class are containers."""
    return not CONTAINERS.isdisjoint(cls.externals())


def fill(machine: Machine, frame: Frame, node: ir.Expr, made: Instance, args: Args) -> None:
    """Gives an object of such a class the elements that it is made of."""
    field, maker = _kept(made.cls)
    held = machine.call(frame, node, LibraryName(maker), args)
    if isinstance(held, (Mapping, Sequence)):
        made.fields[field] = held
    else:
        fill_unknown(machine, made)


def fill_unknown(machine: Machine, made: Instance) -> None:
    """Gives an object of such a class elements of which nothing is known."""
    field, maker = _kept(made.cls)
    made.fields[field] = (
        Mapping({}, made.born, open=True, path=made.path)
        if maker == "builtins.dict"
        else Sequence("list", None, made.born, machine.unknown("element"), made.path)
    )


def _kept(cls: Class) -> tuple[str, str]:
    return next(_BASES[base] for base in cls.externals() if base in _BASES)


def elements(value: Value) -> Mapping | Sequence | None:
    """The container that an object of such a class is to operations that its class leaves to the
    base; None for other values."""
    if not isinstance(value, Instance) or not value.fields:
        return None
    field = "data" if _HIDDEN not in value.fields else _HIDDEN
    held = value.fields.get(field)
    if not isinstance(held, (Mapping, Sequence)):
        return None
    return held if field == _HIDDEN or has_elements(value.cls) else None


def method_of(value: Instance, name: str) -> Mapping | Sequence | None:
    """The container whose method an object has by this name."""
    held = elements(value)
    if held is None:
        return None
    return held if hasattr(dict if isinstance(held, Mapping) else list, name) else None

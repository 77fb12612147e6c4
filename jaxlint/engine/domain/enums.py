"""Members of enumerations, and what else may be a known key of a dict."""

from __future__ import annotations

from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.values import (
    STATIC,
    Class,
    Descriptor,
    Function,
    Static,
    Transformed,
    Unknown,
    Value,
)


@slotted(frozen=True)
class Member:
    """A member of an enumeration, as the constant of a `Static`."""

    cls: Class
    name: str
    value: Value = field(compare=False)

    def __repr__(self) -> str:
        return f"{self.cls.name}.{self.name}"


KEYS = (str, int, float, bool, bytes, Member)
_INTEGERS = frozenset({"enum.IntEnum", "enum.IntFlag"})


def is_enumeration(cls: Class) -> bool:
    return any(name.startswith("enum.") for name in cls.externals())


def make_members(cls: Class) -> None:
    """Turns what the body of an enumeration binds into its members."""
    whole = not _INTEGERS.isdisjoint(cls.externals())
    for name, value in list(cls.namespace.items()):
        if name.startswith("_") or isinstance(value, (Function, Descriptor, Class, Transformed)):
            continue
        held = STATIC if isinstance(value, Unknown) else value
        if not whole:
            cls.namespace[name] = Static(Member(cls, name, held), "enum")
        elif not (isinstance(value, Static) and isinstance(value.const, int)):
            cls.namespace[name] = Static(kind="int")


def members(cls: Class) -> list[Value]:
    """The members in order of definition."""
    found = [v for n, v in cls.namespace.items() if isinstance(v, Static) and not n.startswith("_")]
    return list(found)


def member_of(cls: Class, value: Value) -> Value:
    """`Mode(value)`: the member that has it, where that is known."""
    const = value.const if isinstance(value, Static) and value.known else None
    if const is None:
        return STATIC
    for member in members(cls):
        if isinstance(member, Static) and isinstance(member.const, Member):
            held = member.const.value
            if isinstance(held, Static) and held.known and held.const == const:
                return member
    return value if isinstance(const, Member) else STATIC

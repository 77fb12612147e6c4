"""Values that stand for what Python and JAX make on the side: `super()`, field specifications,
structures of pytrees."""

from __future__ import annotations

from jaxlint.engine.values import Class, Static, Value


class FieldSpec(Value):
    """`dataclasses.field(...)` and kin: what it says of a field; `fixed` makes it static."""

    __slots__ = ("default", "factory", "fixed")

    def __init__(self, fixed: bool, default: Value | None, factory: Value | None) -> None:
        self.fixed = fixed
        self.default = default
        self.factory = factory


class Structure(Static):
    """A `PyTreeDef`: the structure of `tree`."""

    __slots__ = ("tree",)

    def __init__(self, tree: Value) -> None:
        super().__init__(kind="structure")
        self.tree = tree


class Super(Value):
    """`super()`: attributes of `owner` looked up behind `cls`."""

    __slots__ = ("cls", "owner")

    def __init__(self, cls: Class, owner: Value) -> None:
        self.cls = cls
        self.owner = owner

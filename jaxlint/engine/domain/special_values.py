"""Values that stand for what Python and JAX make on the side: modules, `super()`, `x.at`, field
specifications, structures of pytrees."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.domain.kinds.array_values import Dims, Strength
from jaxlint.engine.domain.kinds.value import present, refilled
from jaxlint.engine.domain.values import Class, LibraryName, NonNone, Static, Traced, Unknown, Value
from jaxlint.project.modules import Place
from jaxlint.syntax import ir


class Module(Value):
    """A module of the project: `importer` is the file whose import names it `dotted`."""

    __slots__ = ("dotted", "importer", "place")

    def __init__(self, dotted: str, place: Place, importer: str) -> None:
        self.dotted = dotted
        self.place = place
        self.importer = importer

    def __repr__(self) -> str:
        return f"<module {self.dotted}>"


class Deferred(Value):
    """What a name of a module stands for once somebody asks: `source` is the module that it is
    imported from, or the frame and the statement that define it. One that is `shared` stands in a
    module that several analyses share."""

    __slots__ = ("asked", "name", "shared", "source")

    def __init__(self, source: Module | tuple[Any, ir.Stmt], name: str, shared: bool) -> None:
        self.source = source
        self.name = name
        self.shared = shared
        # Being looked up: who asks again meanwhile asks in a circle.
        self.asked = False

    def __repr__(self) -> str:
        return f"<deferred {self.name}>"


class GivenAway(Unknown):
    """What host code gave to a call that deletes its buffers, where nothing else is known of it:
    an object of its own, so that it is told from what else `was` the same unknown value."""

    __slots__ = ("was",)

    def __init__(self, was: Unknown) -> None:
        super().__init__(was.reason)
        self.was = was


class FieldSpec(Value):
    """`dataclasses.field(...)` and kin: what it says of a field. `fixed` tells that it is static,
    None that it may be. `converter` makes the field of what is passed for it, which may have to
    go `by_name`. What is `set_later` is nothing that the constructor takes. Code that registers a
    class may read the `metadata`, None where there is none."""

    __slots__ = ("by_name", "converter", "default", "factory", "fixed", "metadata", "set_later")

    def __init__(
        self,
        fixed: bool | None,
        default: Value | None,
        factory: Value | None,
        converter: Value | None = None,
        metadata: Value | None = None,
    ) -> None:
        self.fixed = fixed
        self.default = default
        self.factory = factory
        self.converter = converter
        self.metadata = metadata
        self.by_name = False
        self.set_later = False

    def children(self) -> list[Value]:
        """The default and what makes one, the converter and the metadata, as far as there are."""
        return present(self._held())

    def rebuild(self, children: list[Value]) -> Value:
        made = FieldSpec(self.fixed, *refilled(self._held(), children))
        made.by_name, made.set_later = self.by_name, self.set_later
        return made

    def _held(self) -> tuple[Value | None, ...]:
        return self.default, self.factory, self.converter, self.metadata


class Structure(Static):
    """A `PyTreeDef`: the structure of `tree`."""

    __slots__ = ("tree",)

    def __init__(self, tree: Value) -> None:
        super().__init__(kind="structure")
        self.tree = tree

    def children(self) -> list[Value]:
        return [self.tree]

    def rebuild(self, children: list[Value]) -> Value:
        (tree,) = children
        return Structure(tree)


class DType(Static):
    """The dtype of an array: of what `numbers` it is, and its `width` where that is known."""

    __slots__ = ("numbers", "width")

    def __init__(self, numbers: str, width: str = "") -> None:
        super().__init__(kind="dtype")
        self.numbers, self.width = numbers, width

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, DType):
            return super().merged(other, depth)
        if self.numbers != other.numbers:
            return Static(kind="dtype")
        return self if self.width == other.width else DType(self.numbers)


class Super(Value):
    """`super()`: attributes of `owner` looked up behind `cls`."""

    __slots__ = ("cls", "owner")

    def __init__(self, cls: Class, owner: Value) -> None:
        self.cls = cls
        self.owner = owner

    def children(self) -> list[Value]:
        return [self.owner]

    def rebuild(self, children: list[Value]) -> Value:
        (owner,) = children
        return Super(self.cls, owner)


class TracerType(LibraryName):
    """`type(x)` of a tracer."""

    __slots__ = ("traced",)

    def __init__(self, traced: Traced) -> None:
        super().__init__("jax.core.Tracer")
        self.traced = traced


OPERATION = "operation on an unknown value"
"""Why a result of JAX is not known."""


class OpaqueArray(NonNone):
    """What a JAX function makes of values that are not known: some JAX array. Its dtype and rank
    may be known all the same."""

    __slots__ = ("dims", "dtype", "rank", "strong")

    def __init__(
        self, reason: str, dtype: str = "", rank: int | None = None, strong: Strength = False
    ) -> None:
        super().__init__(reason)
        self.dtype = dtype
        self.rank, self.strong = rank, strong
        self.dims: Dims | None = None

    def along(self, rank: int | None) -> OpaqueArray:
        """An array of the same dtype, with so many dimensions."""
        return OpaqueArray(self.reason, self.dtype, rank, self.strong)


class At(Value):
    """`x.at`, and `x.at[index]` once indexed."""

    __slots__ = ("array", "indexed", "place")

    def __init__(
        self, array: Value, indexed: bool = False, place: ir.Subscript | None = None
    ) -> None:
        self.array = array
        self.indexed = indexed
        # Where it was indexed.
        self.place = place

    def children(self) -> list[Value]:
        return [self.array]

    def rebuild(self, children: list[Value]) -> Value:
        (array,) = children
        return At(array, self.indexed, self.place)


class TracedString(Static):
    """A string with a traced value in it: `traced`, and the places where such were formatted."""

    __slots__ = ("place", "places", "traced")

    def __init__(self, traced: Traced, *places: ir.Expr) -> None:
        super().__init__(kind="str")
        self.traced, self.places = traced, places
        self.place = places[0]


class EffectfulObject(Value):
    """An object of a library class whose methods have effects: "logger", "rng", "path", ...

    `settled` objects were made in trace `born` with all that they depend on: their methods
    repeat with the trace, so nothing is frozen that was not already.
    """

    __slots__ = ("born", "kind", "settled")

    def __init__(self, kind: str, born: Any = None, settled: bool = False) -> None:
        self.kind = kind
        self.born = born
        self.settled = settled

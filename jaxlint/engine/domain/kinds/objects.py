"""Abstract classes of the project and their objects."""

from __future__ import annotations

from copy import copy
from itertools import chain
from typing import Any, Literal

from jaxlint.engine.domain.kinds.array_values import Concrete, Traced
from jaxlint.engine.domain.kinds.containers import AGES, Heap
from jaxlint.engine.domain.kinds.lattice import are_told_apart, join
from jaxlint.engine.domain.kinds.value import NUMBERS, LibraryName, Static, Value
from jaxlint.syntax import ir

DescriptorKind = Literal["static", "class", "property", "cached"]


# Bases of libraries that make no fields.
_PLAIN_BASES = frozenset({"abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"})


def _array_of(a: Value, b: Value) -> Value | None:
    """The array, where the other value is a Python number: a leaf that is given as a number to a
    compiled function is an array in what that gives."""
    number, array = (a, b) if isinstance(a, Static) else (b, a)
    is_number = isinstance(number, Static) and number.kind in NUMBERS
    return array if is_number and isinstance(array, (Concrete, Traced)) else None


class Class(Value):
    """A class of this file.

    `tree` says how JAX sees its objects: "" (not a pytree), "leaves" (all fields are children
    but `meta`), "some" (only `child_fields`); `unclear` fields may be children or not. What an
    `opaque` class does with attributes is up to code that is not in the file. Objects of a class
    that `compares` are equal when their fields are, those of others when they are the same. The
    constructor of one that `generates` takes its fields, that of one that `converts` does what
    they say (attrs). `registry` is a dictionary that it was chosen from by a key that another one
    may take, and `given` what it was then called with.
    """

    __slots__ = (
        "age",
        "bases",
        "born",
        "changes",
        "child_fields",
        "compares",
        "converts",
        "fields",
        "generates",
        "generic",
        "given",
        "home",
        "is_data",
        "libraries",
        "lineage",
        "loop",
        "made",
        "meta",
        "name",
        "namespace",
        "node",
        "opaque",
        "place",
        "registry",
        "tree",
        "unclear",
    )

    is_object = True

    def __init__(self, name: str, node: ir.ClassDef | None, bases: tuple[Value, ...]) -> None:
        self.age = next(AGES)
        # Where a module defines it. One of the file that is analysed is there twice: code in other
        # files has its own.
        self.place: tuple[str, int] | None = None
        self.name = name
        self.node = node
        self.bases = bases
        # The class and those that it derives from, each behind all that derive from it.
        inherited = [c for base in bases if isinstance(base, Class) for c in base.lineage]
        self.lineage: tuple[Class, ...] = tuple(dict.fromkeys([*inherited[::-1], self]))[::-1]
        # The library classes among these, by their full names.
        own = [base.dotted for base in bases if isinstance(base, LibraryName)]
        inherited_from = (c.libraries for c in bases if isinstance(c, Class))
        self.libraries: list[str] = list(dict.fromkeys(chain(own, *inherited_from)))
        self.namespace: dict[str, Value] = {}
        self.changes: list[tuple[int, ir.Node]] = []
        self.fields: dict[str, tuple[ir.Expr | None, Value | None]] = {}
        self.generic: Instance | None = None
        # What the fields of host objects held at first, by the arguments of the construction.
        self.made: dict[Any, dict[str, Any]] = {}
        self.tree = ""
        self.opaque = False
        self.compares = False
        self.converts = False
        self.generates = False
        self.meta, self.child_fields = set[str](), set[str]()
        self.unclear: set[str] = set()
        self.loop: Any = None
        # The frame of the module that defines it, and the trace in which it is defined.
        self.home: Any = None
        self.born: Any = None
        # Whether its objects are mere data, as of so many attributes and changes of them.
        self.is_data: tuple[int, bool] | None = None
        self.registry: Any = None
        self.given: Any = None

    is_told_apart = True
    is_followed = True
    is_definition = True

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.place is not None and isinstance(other, Class) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.name)

    def find(self, name: str) -> Value | None:
        """The class attribute, through the bases whose source is known."""
        return next((c.namespace[name] for c in self.lineage if name in c.namespace), None)

    def makes_record(self) -> None:
        """The class becomes a dataclass or the like: its fields are those that its body declares,
        and those of bases that are records too. What other bases declare are attributes.

        Source: Python documentation, `dataclasses`, "Inheritance".
        """
        body = () if self.node is None else self.node.body
        targets = (one.target for one in body if isinstance(one, ir.AnnAssign))
        kept = {one.id for one in targets if isinstance(one, ir.Name)}
        plain = [one for one in self.lineage[1:] if one.is_plain()]
        kept.update(*(one.fields for one in self.lineage[1:] if one not in plain))
        for name in {name for one in plain for name in one.fields} - kept:
            self.fields.pop(name, None)

    def is_plain(self) -> bool:
        """Whether nothing makes fields of what the class declares."""
        return not self.generates and not self.tree and _PLAIN_BASES.issuperset(self.libraries)

    def derives(self, base: Class) -> bool:
        """Whether this is the class or derives from it."""
        return base in self.lineage

    def externals(self) -> list[str]:
        """Dotted names of the library classes it derives from."""
        return self.libraries

    def __repr__(self) -> str:
        return f"<class {self.name}>"


class Instance(Heap):
    """An object of a class of this file.

    `generic` marks the one object that stands for all host objects of its class; `tree` one
    that was rebuilt from leaves, so that what the class does not say of a field is traced; what
    is `decided` its constructor reads.
    """

    __slots__ = ("cls", "decided", "fields", "generic", "keyed", "tree", "writes")

    def __init__(self, cls: Class, born: Any, generic: bool = False, path: Any = None) -> None:
        super().__init__(born, path)
        self.cls = cls
        self.fields: dict[str, Value] = {}
        self.generic = generic
        self.decided: frozenset[str] | None = None
        self.tree: Traced | None = None
        self.writes: dict[str, list[tuple[int, ir.Node, Any]]] = {}
        self.keyed: Any = None

    def __repr__(self) -> str:
        return f"<{self.cls.name}>"

    is_told_apart = True
    is_followed = True

    def merged(self, other: Value, depth: int) -> Value | None:
        """One object of a pytree class for two that are alike but for their leaves."""
        if not isinstance(other, Instance) or not self._is_like(other):
            return None
        pairs = {name: (held, other.fields[name]) for name, held in self.fields.items()}
        arrays = {name: _array_of(a, b) for name, (a, b) in pairs.items()}
        if any(
            a is not b and arrays[name] is None and are_told_apart(a, b, depth - 1)
            for name, (a, b) in pairs.items()
        ):
            return None
        made = copy(self)
        made.age = next(AGES)
        made.fields = {
            name: arrays[name] or join(a, b, depth - 1) for name, (a, b) in pairs.items()
        }
        made.changes, made.leaks, made.writes, made.keyed = [], [], {}, None
        return made

    def _is_like(self, other: Instance) -> bool:
        alike = self.cls == other.cls and self.cls.tree == "leaves" and self.tree is other.tree
        single = not self.generic and not other.generic
        return alike and single and self.fields.keys() == other.fields.keys()

    def may_be_leafless(self) -> bool:
        fields = self.fields.keys() | self.cls.fields.keys()
        return self.cls.tree == "leaves" and fields <= self.cls.meta

    def children(self) -> list[Value]:
        """What its fields hold."""
        return [*self.fields.values()]

    def rebuild(self, children: list[Value]) -> Value:
        made = Instance(self.cls, self.born, self.generic, self.path)
        made.tree = self.tree
        made.fields = dict(zip(self.fields, children, strict=True))
        return made


class Descriptor(Value):
    """A function in a class namespace: "static", "class", "property" or "cached"."""

    __slots__ = ("func", "kind", "setter")

    def __init__(self, kind: DescriptorKind, func: Value) -> None:
        self.kind, self.func = kind, func
        self.setter: Value | None = None

    def children(self) -> list[Value]:
        return [self.func] if self.setter is None else [self.func, self.setter]

    def rebuild(self, children: list[Value]) -> Value:
        made = Descriptor(self.kind, children[0])
        made.setter = children[1] if len(children) > 1 else None
        return made

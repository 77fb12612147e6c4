"""The abstract domain: what the tracer knows of a Python value, and how two of them join.

Values without identity are immutable and shared; the heap kinds (`Sequence`, `Mapping`,
`Instance`) are mutable objects whose identity is that of the Python object they stand for.
"""

from __future__ import annotations

import functools
from copy import copy
from itertools import chain, count
from typing import Any, Final

from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir
from jaxlint.syntax.lowering.literals import LARGEST


class _Unset:
    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNSET: Final = _Unset()
AGES: Final = count(1)


class Value:
    """Anything a name can be bound to."""

    __slots__ = ()


class Static(Value):
    """A Python value that tracing leaves alone; `const` is the value itself where known.

    `kind` narrows an unknown constant: "int", "str", "bool", "shape" (a tuple of ints), ...
    Integers from `LARGEST` on are not known, so that computing with one ends and fits in memory.
    """

    __slots__ = ("const", "kind")

    def __init__(self, const: Any = UNSET, kind: str = "") -> None:
        if type(const) is int and not -LARGEST < const < LARGEST:
            const, kind = UNSET, "int"
        self.const = const
        self.kind = kind or (type(const).__name__ if const is not UNSET else "")

    @property
    def known(self) -> bool:
        return self.const is not UNSET

    def __repr__(self) -> str:
        return f"Static({self.const if self.known else self.kind})"


class NumPy(Value):
    """A concrete NumPy array or scalar. Identity is that of the array, for in-place changes."""

    __slots__ = ("changes", "dtype")

    def __init__(self, dtype: str = "") -> None:
        self.dtype = dtype
        self.changes: list[tuple[int, ir.Node]] = []


class Concrete(Value):
    """A concrete `jax.Array`, in host code or captured by traced code."""

    __slots__ = ("dtype", "rank", "strong")

    def __init__(self, dtype: str = "", rank: int | None = None, strong: bool = False) -> None:
        self.dtype = dtype
        self.rank, self.strong = rank, strong


class Traced(Value):
    """A tracer.

    `kind` is "abstract" (staged code), "batch" (`vmap`) or "ad" (`grad` and kin outside staged
    code: it carries a concrete value). `leaf` is False for a parameter that may be a pytree:
    then only uses that fail for containers as well may be reported. `strong` and `weak` tell that
    its dtype certainly stands, or gives way to another.
    """

    __slots__ = ("dtype", "kind", "leaf", "rank", "strong", "trail", "weak")

    def __init__(
        self,
        trail: Provenance,
        kind: str = "abstract",
        dtype: str = "",
        rank: int | None = None,
        leaf: bool = True,
        weak: bool = False,
        strong: bool = False,
    ) -> None:
        self.trail, self.kind = trail, kind
        self.dtype, self.rank = dtype, rank
        self.leaf, self.weak, self.strong = leaf, weak, strong

    def __repr__(self) -> str:
        return f"Traced({self.kind}, {self.dtype or '?'}{'' if self.leaf else ', tree?'})"


class Ref(Value):
    """A mutable array reference (`jax.Ref`, Pallas): reading gives an array, writing is legal."""

    __slots__ = ("trail",)

    def __init__(self, trail: Provenance) -> None:
        self.trail = trail


class Unknown(Value):
    """A value jaxlint knows nothing about, and why. Never the ground of a finding."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unknown({self.reason})"


class NonNone(Unknown):
    """An unknown value that a test found not to be None."""

    __slots__ = ()


class Perhaps(Unknown):
    """An unknown value that may be without leaves, such as None: a path or a default says so."""

    __slots__ = ()


class Union(Value):
    """One of a few values, depending on the path taken."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options

    def __repr__(self) -> str:
        return f"Choice{self.options}"


class Heap(Value):
    """A mutable Python object. `born` is the trace in which it was made, `age` orders objects
    and activations by when they were made."""

    __slots__ = ("age", "born", "changes", "leaks", "local", "made", "path")

    def __init__(self, born: Any, path: Any = None, made: ir.Node | None = None) -> None:
        self.age = next(AGES)
        self.born = born
        self.path = path
        self.made = made
        self.changes: list[tuple[int, ir.Node]] = []
        # Made in a function: nothing outside it sees the object unless it is handed out.
        self.local = False
        # Leaks into this object that matter once it is used where it was made.
        self.leaks: list[Any] = []


class Sequence(Heap):
    """A list, tuple, set or deque: `items` where the length is known, `element` for the rest;
    `holds` is a tracer that is certainly among elements that are not known one by one,
    `head` the first elements of a tuple of unknown length, and any of the elements after them.
    `last` is the last of them, where it is known.
    """

    __slots__ = ("element", "head", "holds", "items", "kind", "last")

    def __init__(
        self,
        kind: str,
        items: list[Value] | None,
        born: Any,
        element: Value | None = None,
        path: Any = None,
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, path, made)
        self.kind = kind
        self.last: Value | None = None
        self.holds: Traced | None = None
        self.head: tuple[list[Value], Value] | None = None
        if items is not None and len(items) > MOST_ELEMENTS:
            self.holds = next((t for t in map(as_traced, items) if t is not None), None)
            element = join_all(items if element is None else [*items, element])
            items = None
        self.items = items
        self.element = element

    def __repr__(self) -> str:
        return f"{self.kind}({self.items if self.items is not None else self.element})"


class Mapping(Heap):
    """A dict: values by constant key, and `element` for keys that are not constant.

    `open` tells that there may be keys that are not listed.
    """

    __slots__ = ("element", "items", "keyed", "open")

    def __init__(
        self,
        items: dict[Any, Value],
        born: Any,
        element: Value | None = None,
        open: bool = False,
        path: Any = None,
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, path, made)
        self.items = items
        self.element = element
        self.open = open
        self.keyed: Any = None


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


class Iterator(Heap):
    """An iterator or generator: advancing one from outside a trace is an effect."""

    __slots__ = ("element", "holds", "items", "source")

    def __init__(
        self,
        element: Value,
        born: Any,
        items: list[Value] | None = None,
        source: str = "iterator",
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, None, made)
        self.element = element
        self.holds: Traced | None = None
        self.items = items
        self.source = source


class LibraryName(Value):
    """Something imported or built in, by its dotted name: a module, function, class, ..."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted

    def __repr__(self) -> str:
        return f"<{self.dotted}>"


class Function(Value):
    """A `def` or lambda with the frame it closes over.

    `loop` is the iteration in which it was made; `owner` its class; `shows` has its signature.
    """

    __slots__ = ("defaults", "frame", "loop", "node", "owner", "shows", "wraps")

    def __init__(
        self,
        node: ir.FunctionDef,
        frame: Any,
        defaults: dict[str, Value],
        owner: Class | None = None,
        loop: Any = None,
    ) -> None:
        self.node = node
        self.frame = frame
        self.defaults = defaults
        self.owner = owner
        self.loop = loop
        self.wraps: Value | None = None
        self.shows: Value | None = None

    def __repr__(self) -> str:
        return f"<function {self.node.name}>"


class Descriptor(Value):
    """A function in a class namespace: "static", "class", "property" or "cached"."""

    __slots__ = ("func", "kind", "setter")

    def __init__(self, kind: str, func: Value) -> None:
        self.kind, self.func = kind, func
        self.setter: Value | None = None


class Bound(Value):
    """A method of a known function: each access makes a new object in Python."""

    __slots__ = ("func", "loop", "owner")

    def __init__(self, func: Value, owner: Value, loop: Any = None) -> None:
        self.func, self.owner, self.loop = func, owner, loop


class Partial(Value):
    """`functools.partial` or `jax.tree_util.Partial`."""

    __slots__ = ("args", "func", "keywords", "loop")

    def __init__(
        self, func: Value, args: tuple[Value, ...], keywords: dict[str, Value], loop: Any = None
    ) -> None:
        self.func = func
        self.args = args
        self.keywords = keywords
        self.loop = loop


class Method(Value):
    """A method of something that is not an object of the file: `x.sum`, `out.append`."""

    __slots__ = ("name", "owner", "place")

    def __init__(self, owner: Value, name: str, place: ir.Expr | None = None) -> None:
        self.owner = owner
        self.name = name
        self.place = place


class Transformed(Value):
    """The result of a transform: `record` holds what is known of its options and its uses, and
    `inner` is the function under all transforms."""

    __slots__ = ("func", "inner", "record")

    def __init__(self, func: Value, record: Any) -> None:
        self.func = func
        self.inner: Value = func.inner if isinstance(func, Transformed) else func
        self.record = record


class Class(Value):
    """A class of this file.

    `tree` says how JAX sees its objects: "" (not a pytree), "leaves" (all fields are children
    but `meta`), "some" (only `children`); `unclear` fields may be children or not. What an
    `opaque` class does with attributes is up to code that is not in the file. Objects of a class
    that `compares` are equal when their fields are, those of others when they are the same. The
    constructor of one that `generates` takes its fields, that of one that `converts` does what
    they say (attrs).
    """

    __slots__ = (
        "bases",
        "born",
        "changes",
        "children",
        "compares",
        "converts",
        "fields",
        "generates",
        "generic",
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
        "tree",
        "unclear",
    )

    def __init__(self, name: str, node: ir.ClassDef | None, bases: tuple[Value, ...]) -> None:
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
        self.meta, self.children = set[str](), set[str]()
        self.unclear: set[str] = set()
        self.loop: Any = None
        # The frame of the module that defines it, and the trace in which it is defined.
        self.home: Any = None
        self.born: Any = None
        # Whether its objects are mere data, as of so many attributes and changes of them.
        self.is_data: tuple[int, bool] | None = None

    def find(self, name: str) -> Value | None:
        """The class attribute, through the bases whose source is known."""
        return next((c.namespace[name] for c in self.lineage if name in c.namespace), None)

    def derives(self, base: Class) -> bool:
        """Whether this is the class or derives from it."""
        return base in self.lineage

    def externals(self) -> list[str]:
        """Dotted names of the library classes it derives from."""
        return self.libraries

    def __repr__(self) -> str:
        return f"<class {self.name}>"


NONE: Final = Static(None)
TRUE: Final = Static(True)
FALSE: Final = Static(False)
STATIC: Final = Static()
BOOL: Final = Static(kind="bool")
INT: Final = Static(kind="int")
STR: Final = Static(kind="str")
SHAPE: Final = Static(kind="shape")

MOST_OPTIONS: Final = 4
# Sequences longer than this are known by what their elements have in common.
MOST_ELEMENTS: Final = 1024
# Tuples that nest deeper are not joined element by element.
MOST_NESTED: Final = 6


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.const is None


def may_be_leafless(value: Value) -> bool:
    """Whether a value is on some path None, or an object of a pytree class of static fields."""
    if isinstance(value, Union):
        return any(map(may_be_leafless, value.options))
    if isinstance(value, Instance):
        fields = value.fields.keys() | value.cls.fields.keys()
        return value.cls.tree == "leaves" and fields <= value.cls.meta
    return isinstance(value, Perhaps) or is_none(value)


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives of a value, itself when there is one."""
    return value.options if isinstance(value, Union) else (value,)


def as_traced(value: Value) -> Traced | None:
    """The tracer that a value is on every path, None where it may be something else."""
    if not isinstance(value, Union):
        return value if isinstance(value, Traced) else None
    found = [one for one in value.options if isinstance(one, Traced)]
    weakest = (one for one in found if not one.leaf)
    return None if len(found) < len(value.options) else next(weakest, found[0])


def _join_plain(a: Value, b: Value, depth: int = MOST_NESTED) -> Value | None:
    """The join of two values of one kind that needs no `Union`, None where it does."""
    if isinstance(a, Static) and isinstance(b, Static):
        if a.const is None or b.const is None:
            return a if a.const is b.const else None
        if a.known and b.known and type(a.const) is type(b.const) and a.const == b.const:
            return a
        return Static(kind=a.kind if a.kind == b.kind else "")
    if isinstance(a, Traced) and isinstance(b, Traced):
        if a.kind != b.kind or a.leaf != b.leaf:
            return None
        same = a.dtype == b.dtype and a.rank == b.rank
        if same and a.weak <= b.weak and a.strong <= b.strong and type(a) is type(b):
            return copy(a)
        dtype = a.dtype if a.dtype == b.dtype else ""
        rank = a.rank if a.rank == b.rank else None
        return Traced(a.trail, a.kind, dtype, rank, a.leaf, a.weak and b.weak)
    if isinstance(a, Concrete) and isinstance(b, Concrete):
        same = a.dtype == b.dtype and a.rank == b.rank and type(a) is type(b)
        if same and a.strong <= b.strong:
            return copy(a)
        dtype = a.dtype if a.dtype == b.dtype else ""
        return Concrete(dtype, a.rank if a.rank == b.rank else None)
    if isinstance(a, NumPy) and isinstance(b, NumPy):
        return a if a.dtype == b.dtype else NumPy()
    if isinstance(a, LibraryName) and isinstance(b, LibraryName) and a.dotted == b.dotted:
        return a
    if isinstance(a, Function) and isinstance(b, Function):
        return a if a.node is b.node and a.frame is b.frame else None
    if isinstance(a, Instance) and isinstance(b, Instance):
        return _join_objects(a, b, depth)
    return _join_tuples(a, b, depth)


def _join_objects(a: Instance, b: Instance, depth: int) -> Value | None:
    """One object of a pytree class for two that are alike but for their leaves."""
    alike = a.cls is b.cls and a.cls.tree == "leaves" and a.tree is b.tree
    if not alike or a.generic or b.generic or a.fields.keys() != b.fields.keys():
        return None
    pairs = {name: (held, b.fields[name]) for name, held in a.fields.items()}
    if any(_differ(*pair, depth - 1) for pair in pairs.values() if pair[0] is not pair[1]):
        return None
    made = copy(a)
    made.age, made.fields = next(AGES), {n: join(*pair, depth - 1) for n, pair in pairs.items()}
    made.changes, made.leaks, made.writes, made.keyed = [], [], {}, None
    return made


def _differ(a: Value, b: Value, depth: int) -> bool:
    """Whether a test may tell two values apart that are no arrays."""
    if isinstance(a, (Static, *_DECIDED)) or isinstance(b, (Static, *_DECIDED)):
        same = depth > 0 and _join_plain(a, b, depth) is not None
        lost = isinstance(a, Static) and isinstance(b, Static) and a.known and a.const != b.const
        return lost or not same
    return False


_DECIDED = (Function, Class, Instance, Partial, Bound, Transformed)


def _join_tuples(a: Value, b: Value, depth: int) -> Value | None:
    if not (isinstance(a, Sequence) and isinstance(b, Sequence)):
        return None
    if a.kind != "tuple" or b.kind != "tuple" or a.items is None or b.items is None:
        return None
    if len(a.items) != len(b.items):
        return None
    items = [join(x, y, depth - 1) for x, y in zip(a.items, b.items, strict=True)]
    return Sequence("tuple", items, a.born)


def join(a: Value, b: Value, depth: int = MOST_NESTED) -> Value:
    """What is known when either may hold. Unknown absorbs. Arrays join to a third one."""
    if a is b:
        return a
    if depth == 0:
        return Unknown("deeply nested")
    for one in (a, b):
        if isinstance(one, Unknown):
            present = isinstance(a, NonNone) and isinstance(b, NonNone)
            leafless = may_be_leafless(a) or may_be_leafless(b)
            return (NonNone if present else Perhaps if leafless else Unknown)(one.reason)
    if not isinstance(a, Union) and not isinstance(b, Union):
        plain = _join_plain(a, b, depth)
        if plain is not None:
            return plain
    merged: list[Value] = []
    for value in (*options(a), *options(b)):
        for at, other in enumerate(merged):
            plain = value if value is other else _join_plain(other, value, depth)
            if plain is not None:
                merged[at] = plain
                break
        else:
            merged.append(value)
    if len(merged) == 1:
        return merged[0]
    if len(merged) > MOST_OPTIONS:
        return Unknown("too many alternatives")
    return Union(tuple(merged))


def join_all(values: list[Value]) -> Value:
    """The join of several values, None for no value at all."""
    return functools.reduce(join, values) if values else NONE

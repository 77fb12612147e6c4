"""How the engine says that JAX refuses something, and what is certain of a value's structure."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.dtypes import is_strong, width
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import INEXACT, dtype_of, is_child, is_inexact, is_promised
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import differ, dims_of
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.traversal import alternatives, known, paired, walk_values
from jaxlint.engine.domain.values import (
    Class,
    Concrete,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    is_none,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

_NUMBERS = ("bool", "int", "float", "complex")
_INEXACT = ("float", "complex", INEXACT)

# Refusals of what the running function made, or got of functions that it runs.
_OWN = frozenset(
    {
        "branch-tree",
        "branch-type",
        "carry-tree",
        "carry-type",
        "combined-tree",
        "combined-type",
        "out-none",
    }
)


def refuse(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    kind: str,
    subject: str = "",
    detail: str = "",
    callee: str = "",
    own: bool = False,
    unsure: bool = False,
) -> None:
    """Reports that JAX raises here. Where one of several things happens, what goes in may depend
    on which: only what a function makes itself (`own`) is held against it. What most likely does
    not fit is `unsure`."""
    if not own and kind not in _OWN and machine.silences().unsure:
        return
    machine.emit(
        facts.Refused(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            kind=kind,
            subject=subject,
            detail=detail,
            callee=callee,
        ),
        unsure,
    )


def callee_of(node: ir.Node, dotted: str) -> str:
    """The function that a call calls, as written."""
    if isinstance(node, ir.Call):
        written = dotted_text(node.func)
        if written:
            return written
    return dotted.replace("jax.lax.", "lax.")


def is_leaf(value: Value) -> bool:
    """Whether a value is certainly one array or number."""
    return all(map(_is_one, alternatives(value)))


def _is_one(value: Value) -> bool:
    if isinstance(value, Traced):
        return value.leaf
    number = isinstance(value, Static) and value.kind in _NUMBERS
    return number or isinstance(value, (Concrete, NumPy, OpaqueArray))


def structure(value: Value) -> str:
    """What a value certainly is as a pytree: "leaf", "tuple", "list", "dict", "object", "None" or
    ""."""
    if is_leaf(value):
        return "leaf"
    if is_none(value):
        return "None"
    if isinstance(value, Sequence):
        known = value.kind in ("tuple", "list") and type(value) is Sequence
        return value.kind if known else ""
    if isinstance(value, Instance):
        return "object" if _is_node(value) else ""
    return "dict" if isinstance(value, Mapping) else ""


def _is_node(value: Instance) -> bool:
    """Whether an object is a pytree whose class and children are known. One that stands for any
    of its class may be of a class that derives from it."""
    return value.cls.tree == "leaves" and not value.generic and not value.cls.unclear


def number_of_parts(value: Value) -> int | None:
    """How many children a container or an object has as a pytree, None where it is not known."""
    if isinstance(value, Mapping):
        return None if value.open or value.element is not None else len(value.items)
    if isinstance(value, Instance):
        return len(value.cls.fields.keys() - value.cls.meta) if _is_node(value) else None
    return None if not isinstance(value, Sequence) or value.items is None else len(value.items)


def leaves(value: Value, depth: int = 4) -> list[Value]:
    """The parts of a pytree that are certainly there, itself where it is no container."""
    return [one for one in walk_values(value, _parts, depth) if not _is_tree(one)]


def _is_tree(value: Value) -> bool:
    plain = isinstance(value, Sequence) and value.kind in ("tuple", "list")
    return plain or isinstance(value, Mapping) or _is_record(value)


def _is_record(value: Value) -> bool:
    """Whether a value is one object of a pytree class whose fields are its children."""
    return isinstance(value, Instance) and value.cls.tree == "leaves" and not value.generic


def _parts(value: Value) -> list[Value]:
    if isinstance(value, Instance) and _is_record(value):
        held = value.fields.items()
        return [one for name, one in held if name in value.cls.fields and is_child(value.cls, name)]
    return known(value) if _is_tree(value) else []


def kind_of(value: Value) -> str:
    """The kind of dtype that an array or number certainly has, "" where it is not known;
    "inexact" where it is "float" or "complex"."""
    if isinstance(value, Union):
        kinds = {kind_of(option) for option in value.options}
        return kinds.pop() if len(kinds) == 1 else ""
    if not is_leaf(value):
        return ""
    kind = dtype_of(value)
    if not kind and is_inexact(value):
        return INEXACT
    return kind if kind in _NUMBERS else ""


def shapes_differ(one: Value, other: Value) -> bool:
    """Whether two arrays certainly have different shapes. The number that an
    annotation promises may be an array."""
    if is_promised(one) or is_promised(other):
        return False
    if differ(one, other):
        return is_leaf(one) and is_leaf(other)
    a, b = rank_of(one), rank_of(other)
    return a is not None and b is not None and a != b and is_leaf(one) and is_leaf(other)


def fits_loop(given: Value, made: Value) -> bool:
    """Whether a loop that starts with one array may go on with another, as far as dtypes go.

    What has a weak type gives way to a stronger one (JAX documentation, "Type promotion
    semantics").
    """
    old, new = kind_of(given), kind_of(made)
    if _widths_differ(given, made):
        return False
    if _may_equal(old, new):
        return True
    if "bool" in (old, new) or _level(new) < _level(old):
        return False
    return not is_strong(given)


def _may_equal(one: str, other: str) -> bool:
    """Whether two kinds of dtypes may be the same one."""
    if not one or not other or one == other:
        return True
    return INEXACT in (one, other) and one in _INEXACT and other in _INEXACT


def _level(kind: str) -> int:
    """How far up the promotion of types a kind of dtype certainly is."""
    return _NUMBERS.index("float" if kind == INEXACT else kind)


def fits_branch(one: Value, other: Value) -> bool:
    """Whether two branches may give these arrays, as far as dtypes go."""
    return _may_equal(kind_of(one), kind_of(other)) and not _widths_differ(one, other)


def _widths_differ(one: Value, other: Value) -> bool:
    """Whether the dtypes of two arrays stand, and are certainly of different widths."""
    a, b = width(one), width(other)
    return bool(a and b) and a != b and kind_of(one) == kind_of(other) != ""


def describe(value: Value) -> str:
    """A word for a value in messages: "an int array", "a tuple of 2", "None"."""
    found = structure(value)
    if found in ("tuple", "list"):
        assert isinstance(value, Sequence)
        count = "" if value.items is None else f" of {len(value.items)}"
        return f"a {found}{count}"
    if found == "leaf":
        kind, rank = kind_of(value), rank_of(value)
        kind = width(value) or kind
        article = "an" if kind.startswith("int") else "a"
        kind = "float or complex" if kind == INEXACT else kind
        what = f"{article} {kind}" if kind else "an array"
        dims = dims_of(value) or ()
        if rank and any(one is not None for one in dims):
            shape = ", ".join("?" if one is None else str(one) for one in dims)
            shape = f"({shape},)" if rank == 1 else f"({shape})"
            return f"{what if kind else 'an'} array of shape {shape}"
        if rank:
            return f"{what} array of rank {rank}" if kind else f"an array of rank {rank}"
        return what
    if isinstance(value, Instance) and found:
        return f"a `{value.cls.name}`"
    return {"dict": "a dict", "None": "None"}.get(found, "something else")


def tree_difference(one: Value, other: Value, depth: int = 5) -> tuple[Value, Value] | None:
    """The first parts in which two pytrees certainly differ in structure."""
    a, b = structure(one), structure(other)
    if not a or not b or depth == 0:
        return None
    if a != b:
        empty = "None" in (a, b) and not all(leaves(v) for v in (one, other))
        return None if empty else (one, other)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        if one.items is None or other.items is None:
            return None
        if len(one.items) != len(other.items):
            return (one, other)
    if isinstance(one, Instance) and isinstance(other, Instance) and _nodes_differ(one, other):
        return (one, other)
    for left, right in _paired_parts(one, other):
        found = tree_difference(left, right, depth - 1)
        if found is not None:
            return found
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        closed = not any(m.open or m.element is not None for m in (one, other))
        if closed and one.items.keys() != other.items.keys():
            return (one, other)
    return None


def _classes_differ(one: Class, other: Class) -> bool:
    """Whether two classes are certainly two: one that a function makes may be kept by it."""
    placed = one.place is not None and other.place is not None
    return one != other and (placed or one.name != other.name)


def _nodes_differ(one: Instance, other: Instance) -> bool:
    """Whether the classes differ, or a field that is no child holds another constant."""
    if _classes_differ(one.cls, other.cls):
        return True
    held = ((one.fields.get(name), other.fields.get(name)) for name in one.cls.meta)
    return any(
        isinstance(a, Static)
        and isinstance(b, Static)
        and a.known
        and b.known
        and type(a.const) is type(b.const)
        and isinstance(a.const, (bool, int, str))
        and a.const != b.const
        for a, b in held
    )


def _paired_parts(one: Value, other: Value) -> list[tuple[Value, Value]]:
    """What stands at the same places in two pytrees of one structure."""
    if not isinstance(one, Instance) or not isinstance(other, Instance):
        return paired(one, other)
    if one.cls != other.cls or structure(one) != "object" or structure(other) != "object":
        return []
    names = [name for name in one.cls.fields if name not in one.cls.meta]
    held = [(one.fields.get(name), other.fields.get(name)) for name in names]
    return [(a, b) for a, b in held if a is not None and b is not None]


def all_leaves(value: Value, depth: int = 5) -> list[Value] | None:
    """The arrays of a pytree in order, None where they are not all known."""
    found = structure(value)
    if found in ("leaf", "None"):
        return [value] if found == "leaf" else []
    if not found or not depth or number_of_parts(value) is None:
        return None
    if isinstance(value, Instance):
        names = [name for name in value.cls.fields if name not in value.cls.meta]
        held = [value.fields.get(name) for name in names]
    elif isinstance(value, Mapping):
        held = [value.items[key] for key in sorted(value.items, key=str)]
    else:
        held = [*known(value)]
    inner = [None if one is None else all_leaves(one, depth - 1) for one in held]
    return None if None in inner else [leaf for part in inner for leaf in part or ()]


def paired_leaves(one: Value, other: Value, depth: int = 5) -> list[tuple[Value, Value]]:
    """The arrays at the same places in two pytrees."""
    if is_leaf(one) and is_leaf(other):
        return [(one, other)]
    if depth == 0 or structure(one) != structure(other):
        return []
    found = _paired_parts(one, other)
    return [pair for left, right in found for pair in paired_leaves(left, right, depth - 1)]
